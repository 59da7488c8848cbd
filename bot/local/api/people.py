"""People and groups: `users.*`, `usergroups.*`."""

from __future__ import annotations

from bot.local.hub import Call
from bot.local.wire import Json, SlackError
from bot.local.workspace import Workspace
from bot.local.world import AppInstall, Person, UserGroup

from .method import Method, page


def info(call: Call) -> Json:
    """One account: a person or a bot user."""
    user = call.args.text("user")
    person = call.workspace.person(user)
    if person is not None:
        locale = {"locale": person.locale} if call.args.flag("include_locale") else {}
        return {"user": person_object(call, person) | locale}
    app = call.workspace.app_of_bot(user)
    if app is None:
        raise SlackError("user_not_found")
    return {"user": bot_object(call.workspace, app)}


def listing(call: Call) -> Json:
    """Every account of the workspace; people of other organisations are not listed."""
    own = [person_object(call, person) for person in call.workspace.world.people if not person.external]
    bots = [bot_object(call.workspace, app) for app in call.workspace.world.apps]
    shown, cursor = page(call, [*own, *bots], 200)
    return {"members": shown, "response_metadata": cursor}


def group_users(call: Call) -> Json:
    """User ids in a user group."""
    wanted = call.args.text("usergroup")
    group = next((group for group in call.workspace.world.groups if group.id == wanted), None)
    if group is None:
        raise SlackError("no_such_subteam")
    return {"users": list(group.users)}


def groups(call: Call) -> Json:
    """Every user group."""
    with_users = call.args.flag("include_users")
    shown = [_group_object(call.workspace, group, with_users) for group in call.workspace.world.groups]
    return {"usergroups": shown}


def person_object(call: Call, person: Person) -> Json:
    """A person as the API shows them; the address only with `users:read.email`."""
    profile: Json = {
        "real_name": person.real_name,
        "display_name": person.name,
        "team": person.team,
    }
    if person.email and "users:read.email" in call.app.scopes:
        profile["email"] = person.email
    shown: Json = {
        "id": person.id,
        "team_id": person.team,
        "name": person.name,
        "real_name": person.real_name,
        "deleted": person.deleted,
        "tz": person.tz,
        "tz_label": person.tz,
        "tz_offset": person.tz_offset,
        "profile": profile,
        "is_admin": person.admin,
        "is_owner": False,
        "is_primary_owner": False,
        "is_bot": False,
        "is_app_user": False,
        "updated": 1_700_000_000,
    }
    if person.guest is not None:
        shown |= {"is_restricted": person.guest != "none", "is_ultra_restricted": person.guest == "single"}
    if person.external:
        shown["is_stranger"] = True
    return shown


def bot_object(workspace: Workspace, app: AppInstall) -> Json:
    """A bot user as the API shows it."""
    return {
        "id": app.bot_user,
        "team_id": workspace.world.team_id,
        "name": app.name,
        "real_name": app.name,
        "deleted": False,
        "tz": "America/Los_Angeles",
        "tz_offset": -28800,
        "profile": {"real_name": app.name, "display_name": app.name, "bot_id": app.bot_id, "api_app_id": app.app_id},
        "is_bot": True,
        "is_app_user": False,
        "is_restricted": False,
        "is_ultra_restricted": False,
    }


def _group_object(workspace: Workspace, group: UserGroup, with_users: bool) -> Json:
    shown: Json = {
        "id": group.id,
        "team_id": workspace.world.team_id,
        "is_usergroup": True,
        "name": group.name,
        "handle": group.handle,
        "user_count": len(group.users),
        "date_delete": 0,
    }
    return {**shown, "users": list(group.users)} if with_users else shown


METHODS = {
    "users.info": Method(info, ("users:read",), 100),
    "users.list": Method(listing, ("users:read",), 20),
    "usergroups.list": Method(groups, ("usergroups:read",), 20),
    "usergroups.users.list": Method(group_users, ("usergroups:read",), 20),
}
