"""Convoke, the open control plane for online meetings: client, bots, tasks.

:class:`Convoke` calls the API, :mod:`convoke.bot` runs a bot, :mod:`convoke.pod` runs a task.
"""

from ._calls import pages
from .client import Convoke, Document
from .errors import (
    ApiError,
    BadRequest,
    Conflict,
    ConvokeError,
    Forbidden,
    InvalidAnswer,
    InvalidSignature,
    NotFound,
    TooMany,
    Unauthorized,
    Unavailable,
    Unreachable,
)
from .webhooks import verify as verify_webhook

__all__ = [
    "ApiError",
    "BadRequest",
    "Conflict",
    "Convoke",
    "ConvokeError",
    "Document",
    "Forbidden",
    "InvalidAnswer",
    "InvalidSignature",
    "NotFound",
    "TooMany",
    "Unauthorized",
    "Unavailable",
    "Unreachable",
    "pages",
    "verify_webhook",
]
