"""What this package raises. Every error is a :class:`ConvokeError`."""

from __future__ import annotations

from typing import Any


class ConvokeError(Exception):
    """Base of all errors of this package."""


class Unreachable(ConvokeError):
    """The server did not answer. A request that creates something may have been carried out."""


class InvalidAnswer(ConvokeError):
    """The server, or a proxy before it, answered something that is not of this API."""


class InvalidSignature(ConvokeError):
    """A webhook is not signed with this secret, or is too old."""


class ApiError(ConvokeError):
    """A refusal, by RFC 9457.

    ``code`` is stable and for programs, ``problem`` the whole answer, ``retry_after`` in seconds.
    """

    def __init__(self, status: int, problem: dict[str, Any], retry_after: float | None = None):
        self.status = status
        self.problem = problem
        self.code = str(problem.get("code") or f"http_{status}")
        self.detail = str(problem.get("detail") or problem.get("title") or "")
        self.trace_id = str(problem.get("trace_id") or "")
        self.retry_after = retry_after
        super().__init__(f"{status} {self.code}: {self.detail}")

    @staticmethod
    def of(status: int, problem: dict[str, Any], retry_after: float | None) -> ApiError:
        return _BY_STATUS.get(status, ApiError)(status, problem, retry_after)


class BadRequest(ApiError):
    """400; ``problem["errors"]`` names the fields."""


class Unauthorized(ApiError):
    """401: no credentials, or wrong ones."""


class Forbidden(ApiError):
    """403: the wrong role or scope, or the object of another user."""


class NotFound(ApiError):
    """404: it does not exist, or the caller may not see it."""


class Conflict(ApiError):
    """409: the state forbids it."""


class TooMany(ApiError):
    """429: a limit is reached; ``code`` says which."""


class Unavailable(ApiError):
    """503: a store that the request needs is out of reach."""


_BY_STATUS: dict[int, type[ApiError]] = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    429: TooMany,
    503: Unavailable,
}
