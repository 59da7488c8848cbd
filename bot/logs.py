"""Logs: structlog to standard error, as JSON or for a console, with nothing secret in them."""

from __future__ import annotations

import logging
import re
import sys
from typing import Literal

import structlog
from structlog.typing import EventDict, WrappedLogger

_SECRET = re.compile(r"(xox[a-z]-|xapp-|sk-ant-)[A-Za-z0-9-]{6,}|(postgresql(?:\+\w+)?://[^:/\s]+:)[^@\s]+(?=@)")


def set_up_logs(kind: Literal["json", "console"], *, level: int = logging.WARNING) -> None:
    """Logs of this process go to standard error; other libraries' records go through the same pipeline."""
    renderer = structlog.processors.JSONRenderer() if kind == "json" else structlog.dev.ConsoleRenderer(colors=False)
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        without_secrets,
    ]
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processor=renderer, foreign_pre_chain=shared))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(level, logging.WARNING))


def without_secrets(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Cuts tokens, keys and passwords out of every text of a record."""
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = _SECRET.sub(lambda match: f"{match[1] or match[2]}***", value)
    return event
