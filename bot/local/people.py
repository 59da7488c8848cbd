"""What people do, for tests and the page: speak, click, use commands and modals, come and go."""

from __future__ import annotations

from typing import Any, Literal

from . import acting, interactions
from .hub import Hub
from .interactions import Interaction
from .responses import answer
from .wire import Json
from .workspace import Grant, Workspace
from .world import AppInstall


class People:
    """Every act of a person. Channels are named by id, name or `#name`."""

    hub: Hub
    workspace: Workspace

    @property
    def app(self) -> AppInstall:
        """The app under test."""
        return self.workspace.app()

    @property
    def mention(self) -> str:
        """How a message names the bot."""
        return f"<@{self.app.bot_user}>"

    async def say(
        self,
        channel: str,
        user: str,
        text: str,
        *,
        thread_ts: str | None = None,
        files: acting.Files = (),
        broadcast: bool = False,
        extra: Json | None = None,
    ) -> str:
        """A person writes in a channel (id, name or `#name`) or thread, with files; the timestamp."""
        where = self.workspace.channel_named(channel)
        return acting.say(
            self.hub, where, user, text, thread_ts=thread_ts, files=files, broadcast=broadcast, extra=extra
        )

    async def ask(self, channel: str, user: str, question: str, **options: Any) -> str:
        """A person mentions the bot; the timestamp."""
        return await self.say(channel, user, f"{self.mention} {question}", **options)

    async def tell(self, user: str, text: str, **options: Any) -> str:
        """A person writes to the bot directly; the timestamp. `dm(user)` is the channel."""
        return await self.say(self.dm(user), user, text, **options)

    def dm(self, user: str) -> str:
        """The direct message between this person and the bot."""
        return self.workspace.direct_message(user).id

    async def edit(self, channel: str, ts: str, user: str, text: str) -> None:
        """A person edits their own message."""
        acting.edit(self.hub, self.workspace.channel_named(channel), ts, user, text)

    async def delete(self, channel: str, ts: str) -> None:
        """A message is deleted; a root cannot be replied to any more."""
        acting.delete(self.hub, self.workspace.channel_named(channel), ts)

    async def delete_file(self, file_id: str) -> None:
        """A person deletes a file that was shared."""
        acting.delete_file(self.hub, file_id)

    async def click(
        self,
        user: str,
        message_ts: str,
        action_id: str,
        *,
        channel: str | None = None,
        block_id: str | None = None,
        **chosen: Any,
    ) -> Interaction:
        """A person uses an element; `chosen` adds e.g. `selected_option=…`. Waits for the acknowledgement (3 s)."""
        channel_id, message = interactions.find_message(self.workspace, message_ts, channel)
        owner, element = interactions.find_element(message.get("blocks"), action_id, block_id)
        visible_to = element.get("visible_to_user_ids")
        if visible_to and user not in visible_to:
            raise PermissionError(f"{action_id} is not shown to {user}")
        if message.get("shown_to", user) != user:
            raise PermissionError(f"message {message_ts} is not shown to {user}")
        return await interactions.click(
            self.hub, self._owner(message), user, channel_id, message, owner, {**element, **chosen}
        )

    async def click_view(self, user: str, view_id: str, action_id: str, **chosen: Any) -> Interaction:
        """A person uses an element of a modal or of App Home."""
        view = self._view(view_id)
        owner, element = interactions.find_element(view.get("blocks"), action_id)
        app = self.workspace.app(view["app_id"])
        return await interactions.click_view(self.hub, app, user, view, owner, {**element, **chosen})

    async def command(self, user: str, channel: str, command: str, text: str = "") -> Interaction:
        """A person uses a slash command; what the acknowledgement says is shown to them."""
        where = self.workspace.channel_named(channel).id
        outcome = await interactions.command(self.hub, self.app, user, where, command, text)
        if outcome.acked and outcome.payload:
            grant = Grant(self.app.app_id, user, where, self.workspace.now())
            answer(self.hub, grant, outcome.payload, method="command_ack")
        return outcome

    async def shortcut(
        self, user: str, message_ts: str, callback_id: str, *, channel: str | None = None
    ) -> Interaction:
        """A person uses a message shortcut."""
        channel_id, message = interactions.find_message(self.workspace, message_ts, channel)
        return await interactions.shortcut(self.hub, self.app, user, channel_id, message, callback_id)

    async def submit(self, user: str, view_id: str, values: Json | None = None) -> Interaction:
        """A person submits a modal: `values` = `{block_id: {action_id: {...}}}`."""
        view = self._view(view_id)
        return await interactions.submit(self.hub, self.workspace.app(view["app_id"]), user, view, values or {})

    async def close_view(self, user: str, view_id: str) -> Interaction | None:
        """A person closes a modal."""
        view = self._view(view_id)
        return await interactions.close(self.hub, self.workspace.app(view["app_id"]), user, view)

    async def open_home(self, user: str, tab: Literal["home", "messages"] = "home") -> None:
        """A person opens the app's page."""
        acting.open_home(self.hub, self.workspace.direct_message(user), user, tab)

    async def stop_session(self, user: str, channel: str, thread_ts: str) -> None:
        """A person presses the native Stop."""
        acting.stop_session(self.hub, self.workspace.channel_named(channel), thread_ts, user)

    async def join(self, channel: str, user: str, inviter: str | None = None) -> None:
        """Somebody joins; the bot itself with `slack.app.bot_user`."""
        acting.join(self.hub, self.workspace.channel_named(channel), user, inviter)

    async def leave(self, channel: str, user: str) -> None:
        """Somebody leaves or is removed."""
        acting.leave(self.hub, self.workspace.channel_named(channel), user)

    async def archive(self, channel: str, user: str = "U0ANN") -> None:
        """A channel is archived."""
        acting.archive(self.hub, self.workspace.channel_named(channel), user)

    async def share_channel(self, channel: str, team: str) -> None:
        """A channel is shared with another organisation."""
        acting.share_channel(self.hub, self.workspace.channel_named(channel), team)

    async def revoke_tokens(self) -> None:
        """The bot token is revoked: every call says so from now on."""
        acting.revoke_tokens(self.hub)

    async def remove_scope(self, *scopes: str) -> None:
        """The app loses scopes: calls that need them answer `missing_scope`, downloads show a login page."""
        self.app.scopes.difference_update(scopes)

    async def emit(self, event: Json, *, channel: str | None = None, event_id: str | None = None) -> str:
        """Send any event to the app under test; its event id."""
        where = self.workspace.channel_named(channel) if channel else None
        return self.hub.delivery.event(self.app, event, where, event_id=event_id)

    def _owner(self, message: Json) -> AppInstall:
        return self.workspace.app(message.get("app_id", self.app.app_id))

    def _view(self, view_id: str) -> Json:
        for view in [*self.workspace.views.values(), *self.workspace.homes.values()]:
            if view["id"] == view_id:
                return view
        raise LookupError(f"no view {view_id}")
