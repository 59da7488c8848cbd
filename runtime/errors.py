"""Every error the runtime raises, and the published list of codes that a model or a person can meet.

FootnoteError
├── CallError               a tool call that ended badly: becomes a result the model reads and repairs
├── ConfigurationError      settings or manifest refuse to load; the process must not start
├── StateError              the state store cannot be used
│   ├── StateLocked         another process holds the same state
│   ├── StateTooNew         the store was written by a newer version
│   └── StateUnavailable    full disk, read-only folder, database down
└── ModelError              the model endpoint gave no usable step
    ├── ModelUnavailable    down, overloaded or timed out after the allowed retries
    ├── ModelRejected       key, quota or request refused; retrying cannot help
    └── ModelGarbled        half a stream, or an answer that is not the protocol
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CALL_CODES: Mapping[str, str] = {
    "tool_not_available": "No tool of this name is offered in this run.",
    "invalid_arguments": "The arguments do not match the tool's schema.",
    "admission_changed": "The source is no longer open to this conversation's audience.",
    "approval_required": "A named person has to approve this exact change first.",
    "not_approved": "The change was rejected, expired or voided; nothing was run.",
    "state_changed": "The target differs from what was approved; nothing was run.",
    "update_refused": "The change is not open to updates, or what it would do cannot be shown exactly.",
    "too_many_rows": "More rows fit the conditions than may be changed at once.",
    "target_busy": "Another change of the same table has not ended yet; nothing was run.",
    "outcome_unknown": "Nobody can tell whether the change was applied; it is not run again.",
    "dry_run": "This deployment only rehearses changes: it was approved, and nothing was written.",
    "effect_unavailable": "Changes are not possible in this run.",
    "budget_exceeded": "A limit of this run is used up.",
    "timeout": "The call took longer than its deadline.",
    "cancelled": "The run was stopped.",
    "resource_limit": "The query needed more memory or time than it may use; the worker was replaced.",
    "output_invalid": "The tool produced a result that does not match its own contract.",
    "internal_error": "Something failed inside; the correlation id finds it in the log.",
    "toolbox_tool_not_available": "A tool to be loaded is not in this run's catalog.",
    "toolbox_already_pinned": "The tool is offered already.",
    "toolbox_limit_exceeded": "More tools would be loaded than a run may hold.",
    "cursor_invalid": "The cursor belongs to another catalog or query.",
    "no_workspace": "No workspace is open in this conversation.",
    "not_found": "Nothing of this name is admitted here.",
    "file_refused": "The file cannot be read right, so it is not read at all.",
    "file_changed": "The file changed or vanished while it was being read.",
    "pattern_refused": "A path or search pattern is not allowed or matches too much.",
    "set_not_homogeneous": "The files of the set do not share one shape.",
    "sql_syntax": "The SQL does not parse.",
    "sql_not_allowed": "Only one read over admitted tables is allowed.",
    "sql_too_long": "The SQL is longer than the bound.",
    "sql_too_deep": "The SQL is nested deeper than the bound.",
    "sql_unknown_table": "A table is not admitted here.",
    "sql_unknown_column": "A column does not exist in the tables that are read.",
    "function_not_allowed": "A function is not on the allow-list.",
    "sql_failed": "The engine refused or failed the query.",
    "python_failed": "The program raised an exception or broke its interpreter; what it printed backs no figure.",
    "python_limit": "The program needed more fuel, time, memory, output or SQL than one run may use.",
    "python_unavailable": "The sealed Python interpreter cannot be started here.",
    "chart_refused": "The rows cannot be drawn right as this chart, so nothing is drawn.",
    "source_unavailable": "The source cannot be reached, or does not answer as it must, now.",
    "remote_changed": "The remote server or its tool is not what an operator admitted, so it is not called.",
    "remote_failed": "The remote tool says that it failed.",
    "workspace_differs": "This replica holds other files than the run began with.",
}

_NAMES = "Look the names up with the tools that list and search."
_OPERATOR = "An operator has to look."
_SIMPLER = "Filter or aggregate earlier, or ask for less at once."
_QUERY = "Mend the query and run it again."

NEXT_STEPS: Mapping[str, str] = {
    "tool_not_available": "Use toolbox_search to see what this run offers.",
    "invalid_arguments": "Send the call again with these arguments mended.",
    "admission_changed": "Other sources may still be open here.",
    "approval_required": "Ask one of the people who may approve it.",
    "not_approved": "Nothing was changed; ask anew only when a person wants it.",
    "state_changed": "Nothing was written. Preview the change again.",
    "update_refused": "Change what the message names; else it can't be done here.",
    "too_many_rows": "Narrow the conditions.",
    "target_busy": "Nothing was written. Try again in a moment.",
    "outcome_unknown": "Never run it again: an operator has to look.",
    "dry_run": "Nothing was written; an operator decides when changes are made here.",
    "effect_unavailable": "Nothing can be changed from here.",
    "budget_exceeded": "Answer now from the evidence that is there.",
    "timeout": _SIMPLER,
    "cancelled": "What was gathered until then stays.",
    "resource_limit": _SIMPLER,
    "output_invalid": "Try another way; an operator has to look at this.",
    "internal_error": "Try another way.",
    "toolbox_tool_not_available": "Use toolbox_search.",
    "toolbox_already_pinned": "Call it directly.",
    "toolbox_limit_exceeded": "Load only what the next steps need.",
    "cursor_invalid": "Search again without a cursor.",
    "no_workspace": "Other sources may be open here.",
    "not_found": _NAMES,
    "file_refused": "Use other files: this one is not read.",
    "file_changed": "Call again: the file is read anew.",
    "pattern_refused": "Write a plainer pattern.",
    "set_not_homogeneous": "Narrow the pattern to files of one shape.",
    "sql_syntax": _QUERY,
    "sql_not_allowed": "Write one SELECT (or WITH … SELECT) over the open tables.",
    "sql_too_long": "Shorten the query.",
    "sql_too_deep": "Split it into WITH steps.",
    "sql_unknown_table": _NAMES,
    "sql_unknown_column": _NAMES,
    "function_not_allowed": "Use another function of the engine.",
    "sql_failed": _QUERY,
    "python_failed": "Mend the program and run it again.",
    "python_limit": "Do more of the work in SQL, or on fewer rows.",
    "python_unavailable": "Do the work in SQL.",
    "chart_refused": "Change the query so that it gives labels and numbers.",
    "source_unavailable": "Try again in a moment.",
    "remote_changed": _OPERATOR,
    "remote_failed": "Mend the arguments if the message says how.",
    "workspace_differs": _OPERATOR,
}
"""What a model may try after an error of each code, where nobody knows anything closer."""


class FootnoteError(Exception):
    """The root of every error that Footnote raises on purpose."""


class CallError(FootnoteError):
    """A tool call that ended badly. `code` is one of CALL_CODES; `hint` says what to try next, by default NEXT_STEPS'
    words for its code."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        hint: str = "",
        retryable: bool = False,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        if code not in CALL_CODES:
            raise ValueError(f"unlisted error code: {code}")
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint or NEXT_STEPS[code]
        self.retryable = retryable
        self.details: Mapping[str, Any] = details or {}

    def as_json(self) -> dict[str, Any]:
        """`{code, message, hint, retryable, details?}`, the `error` part of a result envelope (TOOLS.md)."""
        body: dict[str, Any] = {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "retryable": self.retryable,
        }
        if self.details:
            body["details"] = dict(self.details)
        return body


class ConfigurationError(FootnoteError):
    """Settings or a manifest cannot be used. The message names the key and says how to mend it."""


class StateError(FootnoteError):
    """The state store cannot be used."""


class StateLocked(StateError):
    """Another process holds the same state; the message names the lock file and, when known, the process id."""


class StateTooNew(StateError):
    """The store was written by a newer version of Footnote than this one."""


class StateUnavailable(StateError):
    """The store cannot be reached or written (full disk, read-only folder, database down)."""


class ModelError(FootnoteError):
    """The model endpoint gave no usable step. The message is fit for a person: it never holds a key or a body."""


class ModelUnavailable(ModelError):
    """The endpoint is down, overloaded or too slow, after the allowed retries."""


class ModelRejected(ModelError):
    """The endpoint refused the key, the model name or the request; retrying cannot help."""


class ModelGarbled(ModelError):
    """The endpoint's answer broke off or is not the Messages protocol."""
