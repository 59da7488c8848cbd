"""Fetches a file from Slack: the token goes to Slack's own hosts only, and what comes is proved to be the file."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

import aiohttp
import structlog
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery.answers import CALL_ERRORS, error_name
from bot.shared_files.slack_file import SlackFile, mib
from runtime.engines.workspace.byte_store import ByteStore, Incoming

log = structlog.get_logger(__name__)

# A file that Slack has not finished with, or that did not come through, is asked for again after these pauses.
PAUSES_S = (0.5, 1.0, 2.0, 3.0, 4.0)
_PIECE_BYTES = 1 << 16
_HOPS = 3
_LOOKED_AT_BYTES = 512
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PAGES = (b"<!doctype html", b"<html", b"<head", b"<body")
_GONE = frozenset({"file_not_found", "file_deleted"})
_CLOSED = frozenset({"access_denied", "no_permission", "not_visible", "team_access_not_granted", "not_allowed"})


class NotFetched(Exception):
    """A file that is not read; the message is the end of a sentence for people."""


class Withheld(NotFetched):
    """Slack sent something else than the file; files.info may know a better reason."""


class NotYet(Exception):
    """It may come at the next attempt; the message says what to tell if it doesn't."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file whose bytes are in the store."""

    file: SlackFile
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Over one client and its HTTP session. `seconds` is the longest that the bytes of one file may take."""

    client: AsyncWebClient
    session: aiohttp.ClientSession
    store: ByteStore
    seconds: float
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def fetch(self, raw: Mapping[str, Any], most_bytes: int) -> Fetched:
        """The file of a Slack file object, in the store. Raises NotFetched, StateUnavailable."""
        file, problem = SlackFile.of(raw), "it did not arrive"
        for pause in (0.0, *PAUSES_S):
            last = pause == PAUSES_S[-1]
            try:
                if pause:
                    await self.sleep(pause)
                if pause or not file.ready:
                    file = await self._look(file.id)
                if refusal := file.refusal(most_bytes):
                    raise NotFetched(refusal)
                if not (file.ready or (last and file.url)):
                    raise NotYet("Slack has not finished with it; share it again in a minute")
                return await self._download(file, most_bytes)
            except NotYet as late:
                problem = str(late)
            except Withheld:
                await self._look_why(file.id, most_bytes)
                raise
        raise NotFetched(problem)

    async def _look_why(self, file_id: str, most_bytes: int) -> None:
        """Raises NotFetched when what Slack says of the file now tells why it is not handed out, as when it was deleted
        meanwhile."""
        with contextlib.suppress(NotYet):
            if refusal := (await self._look(file_id)).refusal(most_bytes):
                raise NotFetched(refusal)

    async def _look(self, file_id: str) -> SlackFile:
        """What Slack says of it now."""
        try:
            found = SlackFile.of((await self.client.files_info(file=file_id)).get("file") or {})
        except CALL_ERRORS as error:
            name = error_name(error)
            if name in _GONE:
                raise NotFetched("it was deleted") from error
            if name in _CLOSED:
                raise NotFetched("Slack does not show it to me; it may belong to another organisation") from error
            if name == "missing_scope":
                raise NotFetched("the app lacks the right files:read; an operator can add it") from error
            if isinstance(error, SlackApiError):
                log.warning("files.info failed", file=file_id, error=name)
            raise NotYet("Slack could not be asked for it; try again later") from error
        if found.hidden:
            raise NotFetched("Slack does not show it to me; it belongs to another organisation")
        return found

    async def _download(self, file: SlackFile, most_bytes: int) -> Fetched:
        try:
            async with asyncio.timeout(self.seconds):
                with self.store.incoming() as incoming:
                    await self._receive(file, most_bytes, incoming)
            return Fetched(file, incoming.sha256, incoming.size)
        except TimeoutError:
            raise NotFetched(f"it did not arrive within {self.seconds:,.0f} seconds") from None
        except (aiohttp.ClientError, ConnectionError) as error:
            raise NotYet("the connection broke while it was fetched; share it again") from error

    async def _receive(self, file: SlackFile, most_bytes: int, incoming: Incoming) -> None:
        url = file.url
        for _ in range(_HOPS):
            if not self.trusts(url):
                log.warning("a file's address is not Slack's", file=file.id, address=url.partition("?")[0][:200])
                raise NotFetched("Slack named an address outside Slack for it")
            async with self.session.get(
                url,
                headers={"Authorization": f"Bearer {self.client.token}", "Accept-Encoding": "identity"},
                allow_redirects=False,
                proxy=self.client.proxy,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=30),
            ) as reply:
                if reply.status not in _REDIRECTS:
                    _require_file(file, reply)
                    await _copy(file, reply.content, most_bytes, incoming)
                    return
                url = _next(url, reply.headers.get("Location", ""))
        raise NotFetched("Slack sent me from one address to the next for it")

    def trusts(self, url: str) -> bool:
        """Whether an address is the API's own host or one below it (files.slack.com of slack.com), asked as safely:
        the token goes nowhere else."""
        try:
            api, asked = urlsplit(self.client.base_url), urlsplit(url)
        except ValueError:  # no address at all, as https://[
            return False
        host, port = asked.hostname or "", _port(asked.scheme, asked.netloc)
        same_host = host == api.hostname or host.endswith(f".{api.hostname}")
        return same_host and asked.scheme == api.scheme and port == _port(api.scheme, api.netloc) and not asked.username


def _next(url: str, location: str) -> str:
    """Where a redirect leads; '' where it leads nowhere."""
    try:
        return urljoin(url, location)
    except ValueError:
        return ""


def _port(scheme: str, netloc: str) -> str:
    port = netloc.rpartition("@")[2].rpartition("]")[2].partition(":")[2]
    return port or ("443" if scheme == "https" else "80")


def _require_file(file: SlackFile, reply: aiohttp.ClientResponse) -> None:
    """Slack answers a missing right with a page to sign in and status 200."""
    if reply.status == 404 or reply.status == 429 or reply.status >= 500:
        raise NotYet("Slack does not hand it out now; share it again later")
    if reply.status != 200:
        raise Withheld(f"Slack refused to hand it out (status {reply.status})")
    if reply.content_type == "text/html" and not file.may_be_page:
        raise Withheld("Slack sent a page to sign in instead of it; the app needs the right files:read")


async def _copy(file: SlackFile, content: aiohttp.StreamReader, most_bytes: int, incoming: Incoming) -> None:
    """The bytes, no more than allowed, if they are the file's: Slack's own count of them decides."""
    start = b""
    async for piece in content.iter_chunked(_PIECE_BYTES):
        if incoming.size < _LOOKED_AT_BYTES:
            start += piece[:_LOOKED_AT_BYTES]
        if incoming.size + len(piece) > most_bytes:
            raise NotFetched(f"it is larger than the {mib(most_bytes)} MiB that are read here")
        incoming.write(piece)
    page = start.removeprefix(b"\xef\xbb\xbf").lstrip().lower().startswith(_PAGES)
    # A spreadsheet that a program exported as a page has just the size that Slack told; a page to sign in hasn't.
    if page and not (file.is_page or (file.may_be_page and incoming.size == file.size)):
        raise Withheld("a web page came instead of it; the app may lack the right files:read")
    if not incoming.size or (file.size is not None and incoming.size != file.size):
        raise NotYet("it did not come whole; share it again")
