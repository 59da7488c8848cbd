"""The parts that request handlers need, in one object: memory, deliveries, sockets, signed requests."""

from __future__ import annotations

from dataclasses import dataclass

from .delivery import Delivery
from .signed_http import SignedHttp
from .socket_mode import SocketMode
from .wire import Args
from .workspace import Workspace
from .world import AppInstall


@dataclass(frozen=True, slots=True)
class Hub:
    """Everything behind the HTTP surface."""

    workspace: Workspace
    delivery: Delivery
    sockets: SocketMode
    signed: SignedHttp


@dataclass(frozen=True, slots=True)
class Call:
    """One Web API request after its token was checked."""

    hub: Hub
    app: AppInstall
    method: str
    args: Args

    @property
    def workspace(self) -> Workspace:
        """Short for `hub.workspace`."""
        return self.hub.workspace
