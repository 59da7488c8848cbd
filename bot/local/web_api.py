"""`POST /api/METHOD`: reads arguments, checks the token, injects faults, records the call, replies."""

from __future__ import annotations

import asyncio
import json
import logging
import math
from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from .api import METHODS, Method
from .faults import Rule
from .hub import Call, Hub
from .wire import ApiCall, Args, Json, SlackError
from .world import AppInstall

logger = logging.getLogger(__name__)

_ERROR_PAGE = "<!DOCTYPE html><html><head><title>Server Error</title></head><body>Server Error</body></html>"


@dataclass(slots=True)
class WebApi:
    """The Web API of one workspace. `pace` is enforced only when the workspace says so."""

    hub: Hub
    _spent: dict[tuple[str, str], deque[float]] = field(default_factory=lambda: defaultdict(deque))

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """One request, whatever its encoding."""
        method = request.match_info["method"]
        values, token = await _arguments(request)
        record = self._record(method, values, token)
        rule = self.hub.workspace.faults.rule_for(method, values)
        try:
            early = await self._early_fault(request, rule, record)
            if early is not None:
                return early
            return await self._answer(request, method, Args(values), token, record, rule)
        except SlackError as error:
            return self._reply(record, error.body(), error.status, error.headers)

    async def _answer(
        self, request: web.Request, name: str, args: Args, token: str | None, record: ApiCall, rule: Rule | None
    ) -> web.StreamResponse:
        method = METHODS.get(name)
        if method is None:
            raise SlackError("unknown_method", req_method=name)
        app = self._authenticate(method, token)
        self._check_scopes(method, app)
        self._pace(name, method, app, args)
        result = {"ok": True, **method.handler(Call(self.hub, app, name, args))}
        if rule is not None and rule.action == "lose_reply":
            record.delivered = False
            record.result, record.status = result, 200
            self.hub.workspace.changes.notify("call", method=name, number=record.number)
            return _drop(request)
        headers = {"x-oauth-scopes": ",".join(sorted(app.scopes)), "x-accepted-oauth-scopes": ",".join(method.scopes)}
        return self._reply(record, result, 200, headers)

    # -- who ---------------------------------------------------------------------------------------------------

    def _authenticate(self, method: Method, token: str | None) -> AppInstall:
        apps = self.hub.workspace.world.apps
        if not method.needs_token and token is None:
            return apps[0]
        if not token:
            raise SlackError("not_authed")
        for app in apps:
            if token == (app.app_token if method.app_level else app.bot_token):
                if app.revoked:
                    raise SlackError("token_revoked")
                return app
            if token in (app.app_token, app.bot_token):
                raise SlackError("not_allowed_token_type")
        raise SlackError("invalid_auth")

    def _check_scopes(self, method: Method, app: AppInstall) -> None:
        if method.scopes and not app.scopes.intersection(method.scopes):
            raise SlackError("missing_scope", needed=method.scopes[0], provided=",".join(sorted(app.scopes)))

    def _pace(self, name: str, method: Method, app: AppInstall, args: Args) -> None:
        if not self.hub.workspace.enforce_rate:
            return
        if name == "chat.postMessage":
            self._spend((app.app_id, f"channel {args.optional('channel')}"), 1, 1.0)
        if method.per_minute is not None:
            self._spend((app.app_id, name), method.per_minute, 60.0)

    def _spend(self, key: tuple[str, str], most: int, seconds: float) -> None:
        now = self.hub.workspace.now()
        spent = self._spent[key]
        while spent and now - spent[0] >= seconds:
            spent.popleft()
        if len(spent) >= most:
            raise _rate_limited(seconds - (now - spent[0]))
        spent.append(now)

    # -- faults ------------------------------------------------------------------------------------------------

    async def _early_fault(self, request: web.Request, rule: Rule | None, record: ApiCall) -> web.StreamResponse | None:
        """What happens before the request is done; None lets it go on."""
        if rule is None:
            return None
        match rule.action:
            case "rate_limit":
                raise _rate_limited(rule.seconds)
            case "error":
                raise SlackError(rule.error, **rule.extra)
            case "http_error":
                record.status = rule.status
                self.hub.workspace.changes.notify("call", method=record.method, number=record.number)
                return web.Response(status=rule.status, text=_ERROR_PAGE, content_type="text/html")
            case "lose_request":
                record.delivered = False
                self.hub.workspace.changes.notify("call", method=record.method, number=record.number)
                return _drop(request)
            case "delay":
                await asyncio.sleep(rule.seconds)
            case "hold":
                rule.reached.set()
                self.hub.workspace.changes.notify("held", method=record.method)
                await rule.released.wait()
            case "lose_reply":
                pass
        return None

    # -- records -----------------------------------------------------------------------------------------------

    def _record(self, method: str, values: Json, token: str | None) -> ApiCall:
        workspace = self.hub.workspace
        owner = next((app.app_id for app in workspace.world.apps if token in (app.bot_token, app.app_token)), None)
        decoded = {name: _decoded(value) for name, value in values.items()}
        record = ApiCall(len(workspace.calls) + 1, method, decoded, owner, workspace.now())
        workspace.calls.append(record)
        return record

    def _reply(self, record: ApiCall, body: Json, status: int, headers: dict[str, str]) -> web.Response:
        record.result, record.status = body, status
        self.hub.workspace.changes.notify("call", method=record.method, number=record.number)
        return web.json_response(body, status=status, headers=headers)


async def _arguments(request: web.Request) -> tuple[Json, str | None]:
    """Arguments from query and body, and the token from its header or among them."""
    values: Json = dict(request.query)
    if request.can_read_body:
        kind = request.content_type
        if kind == "application/json":
            values |= _json_body(await request.read())
        elif kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
            values |= {name: value for name, value in (await request.post()).items() if isinstance(value, str)}
    header = request.headers.get("Authorization", "")
    in_body = values.pop("token", None)
    return values, header.removeprefix("Bearer ").strip() or in_body


def _json_body(raw: bytes) -> Json:
    try:
        body: Any = json.loads(raw or b"{}")
    except (UnicodeDecodeError, json.JSONDecodeError):
        return {}
    return body if isinstance(body, dict) else {}


def _decoded(value: Any) -> Any:
    # Form fields carry lists and objects as JSON text; records show them as what they are.
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except json.JSONDecodeError:
            return value
    return value


def _rate_limited(seconds: float) -> SlackError:
    return SlackError("ratelimited", status=429, headers={"Retry-After": str(math.ceil(seconds))})


def _drop(request: web.Request) -> web.StreamResponse:
    """Close the connection without a reply."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=500)
