"""What the checks found, and the one honest line that says which checks ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Verification:
    """The figures of an answer: how many there are, which were not found in evidence, which evidence is cited, and
    which of what is cited or backs a figure came from a remote server."""

    figures: int = 0
    missing: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()
    remote: tuple[str, ...] = ()

    @property
    def found(self) -> int:
        """How many figures stand in evidence."""
        return self.figures - len(self.missing)

    @property
    def line(self) -> str:
        """The verification line under the answer. It claims only what was checked."""
        return self._checked() + self._from_outside()

    def _from_outside(self) -> str:
        if not self.remote:
            return ""
        verb, what = ("is", "it") if len(self.remote) == 1 else ("are", "they")
        return f" {', '.join(self.remote[:_SHOWN])} {verb} from a remote server: {what} can't be re-run."

    def _checked(self) -> str:
        if not self.figures:
            return "No figures to check; queries not re-run."
        noun = "figure" if self.figures == 1 else "figures"
        line = f"{self.found} of {self.figures} {noun} found in evidence; queries not re-run."
        if self.missing:
            shown = ", ".join(self.missing[:_SHOWN])
            more = f" and {len(self.missing) - _SHOWN} more" if len(self.missing) > _SHOWN else ""
            line += f" Not found in evidence: {shown}{more}."
        return line

    def as_json(self) -> dict[str, Any]:
        """`{figures, found, missing, remote, line}` as `ask --json` gives it."""
        return {
            "figures": self.figures,
            "found": self.found,
            "missing": list(self.missing),
            "remote": list(self.remote),
            "line": self.line,
        }
