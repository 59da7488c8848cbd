"""What comes from Slack is the file, or it is refused with a reason; the token stays with Slack."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from bot.shared_files.fetching import PAUSES_S, Fetcher, NotFetched
from runtime.engines.workspace.byte_store import DirectoryBytes, Incoming
from runtime.errors import StateUnavailable
from tests.integration.shared_files.conftest import TOKEN, Bench, Place, bytes_of, serving

CSV = b"id,n\n1,2\n3,4"
MOST = 1 << 20
SIGN_IN = b"<!DOCTYPE html><html><head><title>Slack</title></head><body>Sign in</body></html>"


async def test_a_file_comes_once_with_the_token_and_is_kept_by_its_content(bench: Bench) -> None:
    bench.place.file = bytes_of(CSV)
    fetched = await bench.fetcher.fetch(bench.place.described(), MOST)
    assert (fetched.file.name, fetched.size) == ("a.csv", 12)
    assert fetched.sha256 == hashlib.sha256(CSV).hexdigest()
    assert bench.store.contents() == {fetched.sha256}
    assert bench.place.asked == [("/files-pri/T-F1/download/a.csv", f"Bearer {TOKEN}")]
    assert bench.naps == []


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"is_external": True, "external_type": "gdrive"}, "outside Slack"),
        ({"mode": "external"}, "outside Slack"),
        ({"mode": "remote"}, "outside Slack"),
        ({"mode": "tombstone"}, "deleted"),
        ({"mode": "hidden_by_limit"}, "plan hides it"),
        ({"mode": "quip"}, "no uploaded file"),
        ({"mode": "space"}, "no uploaded file"),
        ({"name": ".env"}, "secret"),
        ({"name": "credentials.csv"}, "secret"),
        ({"name": "id_rsa"}, "secret"),
        ({"name": "film.mp4"}, ".mp4 are not read"),
        ({"name": "shop.sqlite"}, "databases"),
        ({"name": "all.zip"}, "packed"),
        ({"name": ""}, "without an extension"),
        ({"size": 0}, "empty"),
        ({"size": MOST + 1}, "at most 1 MiB"),
    ],
)
async def test_what_is_not_read_is_never_asked_for(bench: Bench, more: dict[str, Any], reason: str) -> None:
    with pytest.raises(NotFetched, match=reason):
        await bench.fetcher.fetch(bench.place.described(**more), MOST)
    assert bench.place.asked == []


@pytest.mark.parametrize(
    ("body", "content_type", "reason"),
    [
        (SIGN_IN, "text/html", "page to sign in"),
        (CSV, "text/html", "page to sign in"),
        (SIGN_IN, "text/csv", "web page came"),
        (b"\xef\xbb\xbf\n  <HTML>" + b" " * 40, "application/octet-stream", "web page came"),
    ],
)
async def test_a_page_is_no_file_whatever_it_claims(bench: Bench, body: bytes, content_type: str, reason: str) -> None:
    bench.place.file, bench.place.infos = bytes_of(body, content_type), [bench.place.described()]
    with pytest.raises(NotFetched, match=reason):
        await bench.fetcher.fetch(bench.place.described(size=len(body)), MOST)
    assert bench.store.contents() == frozenset()


async def test_a_page_that_was_shared_is_a_file(bench: Bench) -> None:
    bench.place.file = bytes_of(SIGN_IN, "text/html")
    described = bench.place.described(name="page.html", mimetype="text/html", size=len(SIGN_IN))
    assert (await bench.fetcher.fetch(described, MOST)).size == len(SIGN_IN)


@pytest.mark.parametrize("content_type", ["text/html", "application/vnd.ms-excel"])
async def test_a_spreadsheet_that_is_a_page_is_the_file_when_its_size_is_the_files(
    bench: Bench, content_type: str
) -> None:
    body = b"<html><table><tr><td>a<td>b<tr><td>1<td>2</table></html>"
    bench.place.file = bytes_of(body, content_type)
    described = bench.place.described(name="export.xls", size=len(body))
    assert (await bench.fetcher.fetch(described, MOST)).size == len(body)
    for size in (len(body) + 1, None):
        told = bench.place.described(name="export.xls", size=size)
        bench.place.infos = [told]
        with pytest.raises(NotFetched, match="page"):
            await bench.fetcher.fetch(told, MOST)


async def test_more_than_is_allowed_is_cut_off_while_it_comes(bench: Bench) -> None:
    sent = 0

    async def endless(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        reply = web.StreamResponse(headers={"Content-Type": "text/csv"})
        await reply.prepare(request)
        for _ in range(10_000):
            await reply.write(b"1,2\n" * 4_096)
            sent += 4 * 4_096
        return reply

    bench.place.file = endless
    for described in (bench.place.described(), bench.place.described(size=None)):
        with pytest.raises(NotFetched, match="larger than the 1 MiB"):
            await bench.fetcher.fetch(described, MOST)
    assert sent < 2 * 10_000 * 4 * 4_096
    assert bench.store.contents() == frozenset()


@pytest.mark.parametrize("body", [CSV[:-1], CSV + b"\n", b""])
async def test_what_has_another_size_than_slack_says_is_asked_for_again_then_refused(bench: Bench, body: bytes) -> None:
    bench.place.file = bytes_of(body)
    bench.place.infos = [bench.place.described()]
    with pytest.raises(NotFetched, match="did not come whole"):
        await bench.fetcher.fetch(bench.place.described(), MOST)
    assert bench.naps == list(PAUSES_S)
    assert bench.store.contents() == frozenset()


async def test_a_file_that_was_edited_meanwhile_comes_as_it_is_now(bench: Bench) -> None:
    bench.place.file = bytes_of(CSV + b"\n5,6")
    bench.place.infos = [bench.place.described(size=16)]
    assert (await bench.fetcher.fetch(bench.place.described(), MOST)).size == 16


@pytest.mark.parametrize("status", [404, 429, 500, 503])
async def test_a_file_that_is_late_is_waited_for_boundedly(bench: Bench, status: int) -> None:
    attempts = 0

    async def late(_: web.Request) -> web.Response:
        nonlocal attempts
        attempts += 1
        return web.Response(body=CSV, content_type="text/csv") if attempts == 3 else web.Response(status=status)

    bench.place.file = late
    bench.place.infos = [bench.place.described()]
    assert (await bench.fetcher.fetch(bench.place.described(), MOST)).size == 12
    assert bench.naps == list(PAUSES_S[:2])
    bench.place.file = bytes_of(b"", status=status)
    with pytest.raises(NotFetched, match="does not hand it out now"):
        await bench.fetcher.fetch(bench.place.described(), MOST)


@pytest.mark.parametrize("status", [400, 401, 403, 410])
async def test_a_refusal_is_not_asked_twice(bench: Bench, status: int) -> None:
    bench.place.file, bench.place.infos = bytes_of(b"", status=status), [bench.place.described()]
    with pytest.raises(NotFetched, match=str(status)):
        await bench.fetcher.fetch(bench.place.described(), MOST)
    assert [path for path, _ in bench.place.asked].count("/files-pri/T-F1/download/a.csv") == 1


async def test_a_broken_connection_is_tried_again(bench: Bench) -> None:
    attempts = 0

    async def breaking(request: web.Request) -> web.StreamResponse:
        nonlocal attempts
        attempts += 1
        if attempts == 2:
            return web.Response(body=CSV, content_type="text/csv")
        reply = web.StreamResponse(headers={"Content-Type": "text/csv", "Content-Length": "12"})
        await reply.prepare(request)
        await reply.write(CSV[:5])
        assert request.transport is not None
        request.transport.abort()
        return reply

    bench.place.file = breaking
    bench.place.infos = [bench.place.described()]
    assert (await bench.fetcher.fetch(bench.place.described(), MOST)).size == 12


async def test_what_never_ends_is_given_up(bench: Bench) -> None:
    going = asyncio.Event()

    async def stalling(request: web.Request) -> web.StreamResponse:
        reply = web.StreamResponse(headers={"Content-Type": "text/csv"})
        await reply.prepare(request)
        await going.wait()
        return reply

    bench.place.file = stalling
    with pytest.raises(NotFetched, match="did not arrive within"):
        await replace(bench.fetcher, seconds=0.2).fetch(bench.place.described(), MOST)
    going.set()


async def test_hidden_files_are_looked_up_and_those_of_others_are_refused(bench: Bench) -> None:
    bench.place.file = bytes_of(CSV)
    bench.place.infos = [bench.place.described()]
    hidden = {"id": "F1", "file_access": "check_file_info"}
    assert (await bench.fetcher.fetch(hidden, MOST)).file.name == "a.csv"
    bench.place.infos = [hidden]
    with pytest.raises(NotFetched, match="another organisation"):
        await bench.fetcher.fetch(hidden, MOST)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("file_not_found", "deleted"),
        ("file_deleted", "deleted"),
        ("access_denied", "another organisation"),
        ("missing_scope", "files:read"),
        ("fatal_error", "could not be asked"),
    ],
)
async def test_why_slack_does_not_describe_it_is_said(bench: Bench, error: str, reason: str) -> None:
    bench.place.infos = [{"error": error}]
    with pytest.raises(NotFetched, match=reason):
        await bench.fetcher.fetch({"id": "F1", "file_access": "check_file_info"}, MOST)


async def test_a_file_in_processing_is_waited_for_and_taken_in_the_end(bench: Bench) -> None:
    bench.place.file = bytes_of(CSV)
    raw = bench.place.described(mimetype=None)
    bench.place.infos = [raw, raw, bench.place.described()]
    await bench.fetcher.fetch(raw, MOST)
    assert bench.naps == list(PAUSES_S[:2])
    bench.naps.clear()
    bench.place.infos = [raw]
    assert (await bench.fetcher.fetch(raw, MOST)).size == 12  # its bytes are there, which is what counts
    assert bench.naps == list(PAUSES_S)
    bench.place.infos = [bench.place.described(url_private_download=None)]
    with pytest.raises(NotFetched, match="has not finished"):
        await bench.fetcher.fetch(bench.place.described(url_private_download=""), MOST)


@pytest.mark.parametrize(
    "address",
    [
        "http://evil.example/f",
        "http://127.0.0.1.evil.example/f",
        "http://127.0.0.1:1/f",
        "https://127.0.0.1/f",
        "http://x@127.0.0.1/f",
        "http://127.0.0.1@evil.example/f",
        "//evil.example/f",
        "file:///etc/passwd",
        "ftp://127.0.0.1/f",
        "http://[127.0.0.1/f",
        "http://127.0.0.1\\@evil.example/f",
    ],
)
@pytest.mark.parametrize("redirected", [False, True])
async def test_the_token_goes_to_no_other_place(bench: Bench, address: str, redirected: bool) -> None:
    described = bench.place.described() if redirected else bench.place.described(url_private_download=address)

    async def away(_: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": address})

    bench.place.file = away
    with pytest.raises(NotFetched, match="outside Slack"):
        await bench.fetcher.fetch(described, MOST)
    assert len(bench.place.asked) == redirected


async def test_another_port_of_the_host_is_another_place(bench: Bench) -> None:
    other = Place(file=bytes_of(CSV))
    async with serving(other):
        with pytest.raises(NotFetched, match="outside Slack"):
            await bench.fetcher.fetch(other.described(), MOST)
    assert other.asked == []


async def test_redirects_inside_slack_are_followed_a_few_times(bench: Bench) -> None:
    async def onward(request: web.Request) -> web.Response:
        if request.path == "/there":
            return web.Response(body=CSV, content_type="text/csv")
        return web.Response(status=302, headers={"Location": "/there"})

    bench.place.file = onward
    await bench.fetcher.fetch(bench.place.described(), MOST)
    assert [token for _, token in bench.place.asked] == [f"Bearer {TOKEN}"] * 2

    async def round_and_round(request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": request.path})

    bench.place.file = round_and_round
    with pytest.raises(NotFetched, match="from one address to the next"):
        await bench.fetcher.fetch(bench.place.described(), MOST)


@pytest.mark.parametrize(
    ("api", "address", "ours"),
    [
        ("https://slack.com/api/", "https://files.slack.com/files-pri/T1-F1/a.csv", True),
        ("https://slack.com/api/", "https://slack.com/files/a.csv", True),
        ("https://slack.com/api/", "https://FILES.slack.com:443/a.csv", True),
        ("https://slack.com/api/", "http://files.slack.com/a.csv", False),
        ("https://slack.com/api/", "https://filesslack.com/a.csv", False),
        ("https://slack.com/api/", "https://slack.com.evil.example/a.csv", False),
        ("https://slack.com/api/", "https://files.slack.com:8443/a.csv", False),
        ("https://slack-gov.com/api/", "https://files.slack-gov.com/a.csv", True),
        ("https://slack-gov.com/api/", "https://files.slack.com/a.csv", False),
    ],
)
async def test_files_of_slack_stand_on_hosts_below_the_apis(bench: Bench, api: str, address: str, ours: bool) -> None:
    bench.fetcher.client.base_url = api
    assert bench.fetcher.trusts(address) is ours


async def test_a_disk_that_cannot_be_written_is_no_fault_of_the_file(bench: Bench, tmp_path) -> None:
    (tmp_path / "file").write_text("no folder")
    bench.place.file = bytes_of(CSV)
    broken: Fetcher = replace(bench.fetcher, store=DirectoryBytes(tmp_path / "file" / "bytes"))
    with pytest.raises(StateUnavailable, match="cannot be written"):
        await broken.fetch(bench.place.described(), MOST)


def test_a_disk_that_is_full_while_it_comes_is_no_fault_of_the_file(tmp_path) -> None:
    with open("/dev/full", "wb", buffering=0) as full, pytest.raises(StateUnavailable, match="No space left"):
        Incoming(full, tmp_path).write(b"id,n\n1,2\n")


@pytest.mark.parametrize(
    ("info", "reason"),
    [
        ({"error": "file_deleted"}, "it was deleted"),
        ({"error": "missing_scope"}, "lacks the right files:read"),
        ({"id": "F1", "name": "a.csv", "mode": "tombstone"}, "it was deleted"),
    ],
)
@pytest.mark.parametrize(("body", "kind", "status"), [(SIGN_IN, "text/html", 200), (b"", "text/csv", 403)])
async def test_of_a_file_that_is_withheld_slack_is_asked_why(
    bench: Bench, info: dict[str, Any], reason: str, body: bytes, kind: str, status: int
) -> None:
    """A file that was deleted while its question waited is no missing right of the app."""
    bench.place.file, bench.place.infos = bytes_of(body, kind, status), [info]
    with pytest.raises(NotFetched, match=reason):
        await bench.fetcher.fetch(bench.place.described(), MOST)
    assert bench.naps == []
