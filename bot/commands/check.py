"""`footnote check`: says of every part whether it will work, and how to mend what won't."""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Literal

from bot.commands.finding import Finding
from bot.commands.local_run import settings_for
from bot.commands.state_check import check_state
from bot.settings import Settings
from runtime.admission import Manifest, load_manifest
from runtime.admission.manifest import PostgresqlSource
from runtime.errors import ConfigurationError, FootnoteError, ModelError

FONTS = ("Droid Sans Fallback", "Noto Color Emoji", "DejaVu Sans")
# Keys of the manifest that nothing follows yet, and what that means.
_NOT_APPLIED = {"retention": "nothing is removed by its age", "exports": "nothing is saved to these folders"}


def run(arguments: argparse.Namespace) -> int:
    """Prints one line per part; 0 unless something failed, 2 when it is the configuration."""
    settings = settings_for(arguments.manifest, None)
    findings = asyncio.run(_gather(settings, live=arguments.live))
    for finding in findings:
        print(f"{finding.state:<4}  {finding.part:<10} {finding.text}")
    failed = [finding for finding in findings if finding.state == "fail"]
    if not failed:
        return 0
    return 2 if any(finding.part in ("settings", "manifest", "workspace") for finding in failed) else 1


async def _gather(settings: Settings, *, live: bool) -> list[Finding]:
    from bot.commands.source_check import check_sources

    findings = [*_settings(settings), *_machine()]
    manifest = _manifest(settings, findings)
    if manifest is not None:
        findings += _declared(manifest, settings)
        findings += [finding async for finding in check_sources(manifest, settings)]
    findings += check_state(settings)
    findings += _data_folder(settings)
    findings.append(await _guest(settings, manifest))
    if live:
        findings += [finding async for finding in _live(settings, manifest)]
    return findings


def _settings(settings: Settings) -> Iterator[Finding]:
    slack = _tried("settings", settings.require_slack, f"Slack by {_way(settings)}")
    model = _tried("settings", settings.require_model, f"model {settings.model}")
    yield from (slack, model, Finding("settings", "ok", f"{settings.composition} composition"))
    if settings.model != "offline":
        from runtime.models.anthropic.prices import known

        if known(settings.model) is None:
            yield Finding("settings", "warn", f"The price of {settings.model} is not known: money caps cannot hold.")
    if settings.slack_client_id or settings.slack_client_secret:
        unused = "SLACK_CLIENT_ID and SLACK_CLIENT_SECRET are read and not used yet: the token's workspace is served."
        yield Finding("settings", "warn", unused)


def _way(settings: Settings) -> str:
    return "Socket Mode" if settings.socket_mode else f"signed HTTP on port {settings.http_port}"


def _tried(part: str, work: Callable[[], object], text: str) -> Finding:
    try:
        work()
    except FootnoteError as error:
        return Finding(part, "fail", str(error))
    return Finding(part, "ok", text)


def _manifest(settings: Settings, findings: list[Finding]) -> Manifest | None:
    try:
        manifest = load_manifest(settings.manifest)
    except ConfigurationError as error:
        findings.append(Finding("manifest", "fail", str(error)))
        return None
    findings.append(Finding("manifest", "ok", f"{settings.manifest}, time zone {manifest.timezone}"))
    return manifest


def _declared(manifest: Manifest, settings: Settings) -> Iterator[Finding]:
    from bot.sources import workspace_root

    if manifest.workspace is not None:
        try:
            yield Finding("workspace", "ok", f"{workspace_root(manifest, settings.manifest)} is readable")
        except ConfigurationError as error:
            yield Finding("workspace", "fail", str(error))
    if manifest.workspace is None and not manifest.sources:
        yield Finding("manifest", "warn", "No source is declared: every question will be answered with that.")
    for source in manifest.sources:
        for rule in source.updates if isinstance(source, PostgresqlSource) else ():
            if not (rule.approvers.users or rule.approvers.groups):
                said = f"approvers of {rule.table} name nobody: no change can be approved. Name users or groups."
                yield Finding(source.id, "warn", said)
    for key in sorted(_NOT_APPLIED.keys() & manifest.model_fields_set):
        yield Finding("manifest", "warn", f"{key} is read and not applied yet: {_NOT_APPLIED[key]}.")


def _machine() -> Iterator[Finding]:
    linux = sys.platform.startswith("linux")
    enforced = "address-space limits and lock files are enforced" if linux else "address-space limits are not enforced"
    yield Finding("system", "ok" if linux else "warn", f"{sys.platform}: {enforced}")
    missing = [font for font in FONTS if font not in _fonts()]
    state: Literal["ok", "warn"] = "warn" if missing else "ok"
    yield Finding("fonts", state, f"missing for charts: {', '.join(missing)}" if missing else "found")


async def _guest(settings: Settings, manifest: Manifest | None) -> Finding:
    from guest import GuestUnavailable
    from runtime.engines.python import describe_python
    from runtime.limits import DEFAULT

    limits = manifest.effective_limits() if manifest is not None else DEFAULT
    isolated = settings.guest == "isolated"
    try:
        text = await describe_python(limits, cache=settings.data_dir / "guest", isolated=isolated)
    except GuestUnavailable as error:
        return Finding("guest", "warn", f"run_python is not offered. {error}")
    return Finding("guest", "ok" if isolated else "warn", text)


def _fonts() -> str:
    lister = shutil.which("fc-list")
    if lister is None:
        return ""
    return subprocess.run([lister, ":", "family"], capture_output=True, text=True, check=False, timeout=20).stdout


def _data_folder(settings: Settings) -> Iterator[Finding]:
    folder: Path = settings.data_dir
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        yield Finding("data", "fail", f"{folder} cannot be made: {error.strerror}. Set FOOTNOTE_DATA_DIR.")
        return
    if not os.access(folder, os.W_OK):
        yield Finding("data", "fail", f"{folder} cannot be written. Set FOOTNOTE_DATA_DIR or its rights.")
        return
    free = shutil.disk_usage(folder).free
    few = free < 1024**3
    yield Finding("data", "warn" if few else "ok", f"{folder}: {free / 1024**3:.1f} GiB free")


async def _live(settings: Settings, manifest: Manifest | None) -> AsyncIterator[Finding]:
    from slack_sdk.errors import SlackClientError

    from bot.commands.id_check import check_ids
    from bot.commands.name_check import check_names
    from bot.delivery.answers import CALL_ERRORS, error_name
    from bot.identity import SlackUnavailable, identify
    from bot.slack_client import open_slack_client
    from runtime.clock import SystemClock

    token = settings.slack_bot_token
    if token is not None:
        async with open_slack_client(token.get_secret_value(), settings.slack_base_url) as slack:
            try:
                identity = await identify(slack.client, SystemClock())
                yield Finding("slack", "ok", f"{identity.team_name} ({identity.team}) as {identity.bot_user}")
                for sentence in identity.warnings():
                    yield Finding("clock" if "clock" in sentence else "slack", "warn", sentence)
                if not any("clock" in sentence for sentence in identity.warnings()):
                    yield Finding("clock", "ok", f"{abs(identity.clock_skew):.0f} s from Slack's")
                if manifest is None:
                    found = check_names(settings.manifest, slack.client)
                else:
                    found = check_ids(manifest, slack.client)
                async for finding in found:
                    yield finding
            except (ConfigurationError, SlackUnavailable) as error:
                yield Finding("slack", "fail", str(error))
            except (SlackClientError, *CALL_ERRORS) as error:
                yield Finding("ids", "fail", f"Slack was not to be asked: {error_name(error) or type(error).__name__}")
    yield await _model(settings)


async def _model(settings: Settings) -> Finding:
    from bot.assembly import choose_model
    from runtime.models.port import ModelRequest, UserMessage

    try:
        model = choose_model(settings)
    except ConfigurationError as error:
        return Finding("model", "fail", str(error))
    if settings.model == "offline":
        return Finding("model", "ok", "offline: a rule-based reader, no endpoint to ask")
    try:
        asked = ModelRequest("Answer with one word.", "", (), (UserMessage("Say ok."),), max_output_tokens=16)
        step = await model.step(asked)
    except ModelError as error:
        return Finding("model", "fail", str(error))
    finally:
        await model.close()
    return Finding("model", "ok", f"{step.model} answered")
