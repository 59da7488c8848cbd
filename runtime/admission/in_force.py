"""The policy that this process works by, beside the one that the state names for all of them."""

from __future__ import annotations

from runtime.admission.policy import Policy


class PolicyInForce:
    """Changes only by `take` and `hear`. While the two differ nothing is admitted: what was withdrawn elsewhere must
    not stay open here."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._named = policy.revision

    @property
    def policy(self) -> Policy:
        """The newest policy that this process has."""
        return self._policy

    @property
    def named(self) -> str:
        """The revision that the state names."""
        return self._named

    @property
    def agreed(self) -> bool:
        """Whether this process has the policy that the state names."""
        return self._policy.revision == self._named

    def ruling(self) -> Policy | None:
        """The policy to admit by; None as long as this process hasn't the one that the state names."""
        return self._policy if self.agreed else None

    def hear(self, revision: str) -> None:
        """The state names this revision."""
        self._named = revision

    def take(self, policy: Policy) -> None:
        """This process works by `policy` from now on."""
        self._policy = policy
