"""Treering's own log: one line of JSON an event, through the standard library's `treering` logger.

A traceback is shown without the values of variables, which would be keys and what people said.
"""

from __future__ import annotations

import logging
from typing import Literal, cast

import structlog
from structlog.stdlib import BoundLogger

LogLevel = Literal["debug", "info", "warning", "error"]

_PROCESSORS = (
    structlog.stdlib.filter_by_level,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso"),
    structlog.processors.ExceptionRenderer(),
    structlog.processors.JSONRenderer(),
)


def get_logger(name: str) -> BoundLogger:
    """The logger of a module."""
    logger = structlog.wrap_logger(
        logging.getLogger(name), processors=_PROCESSORS, wrapper_class=BoundLogger
    )
    return cast("BoundLogger", logger)


def log_to_stderr(level: LogLevel) -> None:
    """Show what is logged from `level` on, a line each. Until then only warnings are shown."""
    logger = logging.getLogger("treering")
    logger.setLevel(level.upper())
    logger.handlers = [logging.StreamHandler()]
