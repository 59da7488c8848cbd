"""Inside a worker process: reads jobs from its input, answers on its output, and ends when the parent does."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from typing import Any, BinaryIO, Protocol

from runtime.engines.worker import envelope
from runtime.engines.worker.frames import FrameTooLong, encode, read_frame

_RETIRE_ABOVE_BYTES = 400 * 1024 * 1024


class Answers(Protocol):
    """The engine of a worker: turns a request frame, `{"id", "open"}` or `{"id", "job"}`, into a reply frame."""

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        """Always a reply that carries the request's id: `answer` or `error` {kind, message, details}."""
        ...


def serve(opened: Callable[[dict[str, Any]], Answers]) -> None:
    """Takes its envelope from the first frame, then serves one job after the other. `opened` makes the engine from
    the envelope; it imports it there, so that foreign code is loaded under the limits."""
    requests, replies = _private_pipes()
    settings = read_frame(requests)
    if settings is None:
        return
    envelope.die_with(settings["parent"])
    envelope.set_limits(
        address_space=settings["address_space_bytes"],
        file_size=settings["temp_bytes"],
        open_files=settings["open_files"],
    )
    _answer_all(opened(settings), requests, replies)


def _private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The protocol gets descriptors of its own; whatever else writes to standard output is lost, not mixed in."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
    return requests, replies


def failed(request: dict[str, Any], kind: str, message: str, details: dict[str, Any] | None = None) -> dict[str, Any]:
    """The reply of a job that did not work."""
    return {"id": request["id"], "error": {"kind": kind, "message": message, "details": details or {}}}


def _answer_all(answering: Answers, requests: BinaryIO, replies: BinaryIO) -> None:
    jobs: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, jobs), daemon=True).start()
    _send(replies, encode({"ready": True}))
    while True:
        request = jobs.get()
        reply = answering.reply(request)
        reply["retire"] = envelope.resident_bytes() > _RETIRE_ABOVE_BYTES
        _send(replies, _encoded(request, reply))


def _encoded(request: dict[str, Any], reply: dict[str, Any]) -> bytes:
    try:
        return encode(reply)
    except FrameTooLong as error:
        return encode(failed(request, "answer_too_long", str(error)))


def _listen(requests: BinaryIO, jobs: queue.SimpleQueue[dict[str, Any]]) -> None:
    """Runs beside the query, so that a parent that closed the pipe ends this process in the middle of one."""
    while (request := read_frame(requests)) is not None:
        jobs.put(request)
    os._exit(0)


def _send(replies: BinaryIO, frame: bytes) -> None:
    replies.write(frame)
    replies.flush()
