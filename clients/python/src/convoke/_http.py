"""Requests with retries, over the standard library."""

from __future__ import annotations

import email.utils
import http.client
import json
import math
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .errors import ApiError, ConvokeError, InvalidAnswer, Unreachable

PROBLEMS = (429, 502, 503, 504)
Query = Mapping[str, Any]


class Answer(NamedTuple):
    """A 2xx answer. Header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError as wrong:
            raise InvalidAnswer(f"The answer ({self.status}) is not JSON") from wrong

    def object(self) -> dict[str, Any]:
        value = self.json()
        if not isinstance(value, dict):
            raise InvalidAnswer(f"The answer ({self.status}) is not a JSON object")
        return value

    def text(self) -> str:
        return self.body.decode("utf-8", "replace")


class Request(NamedTuple):
    """What is sent: ``body`` as JSON, or as it is if it is bytes; ``redirects`` if 303 is an answer."""

    method: str
    path: str
    query: Query | None = None
    body: Any = None
    headers: Mapping[str, str] = {}
    redirects: bool = False

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Keys must not follow a redirect to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


OPENER = urllib.request.build_opener(_NoRedirects)


def backoff(failures: int, first: float = 0.25, longest: float = 10.0) -> float:
    """The pause after so many failures in seconds: half of a doubled first one, or more."""
    full = min(longest, first * 2.0 ** min(failures - 1, 16))
    return full / 2 + random.random() * full / 2


def retry_after(headers: Mapping[str, str]) -> float | None:
    """``Retry-After`` in seconds; None without one that can be understood."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        at = email.utils.parsedate_to_datetime(value)
        return max(0.0, at.timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def lower(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


class Http:
    """Sends requests to one server.

    A request is repeated only if a repetition cannot do it twice: reads, deletions, what the API
    calls idempotent, and creations, which get an ``Idempotency-Key``. After ``retries`` repetitions,
    or when the server asks for a pause beyond ``patience``, the last error is raised.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        *,
        timeout: float = 30.0,
        retries: int = 4,
        patience: float = 20.0,
        sleep: Callable[[float], object] | None = None,
    ):
        if urllib.parse.urlsplit(url).scheme.lower() not in ("http", "https"):
            raise ValueError("url must begin with http:// or https://")
        self.url = url.rstrip("/")
        self._headers = {"Accept": "application/json", **headers}
        self._timeout = timeout
        self._retries = retries
        self._patience = patience
        self._sleep = sleep or time.sleep

    def send(
        self, request: Request, *, idempotent: bool | None = None, creates: bool = False
    ) -> Answer:
        """Sends a request and returns its 2xx answer; raises a :class:`ConvokeError` otherwise."""
        if creates:
            key = {"Idempotency-Key": str(uuid.uuid4())}
            request = request._replace(headers={**key, **request.headers})
        method = request.method
        repeatable = creates or (method in ("GET", "DELETE") if idempotent is None else idempotent)
        failures = 0
        unanswered = False
        while True:
            try:
                return self.once(request)
            except (Unreachable, ApiError) as error:
                failures += 1
                if unanswered and method == "DELETE" and _status(error) == 404:
                    return Answer(204, {}, b"")  # deleted by the attempt that got no answer
                if not repeatable or failures > self._retries or not _passes(error):
                    raise
                unanswered = unanswered or _status(error) in (0, 502, 504)
                pause = backoff(failures)
                asked = error.retry_after if isinstance(error, ApiError) else None
                if asked is not None and asked > self._patience:
                    raise
                self._sleep(max(pause, asked or 0.0))

    def once(self, request: Request) -> Answer:
        """One attempt."""
        with self.open(request, self._timeout) as answer:
            try:
                content = read(answer, self._timeout)
            except (OSError, http.client.HTTPException) as lost:
                raise Unreachable(f"{request}: the answer broke off: {lost}") from lost
            return Answer(answer.status, lower(answer.headers), content)

    def open(self, request: Request, timeout: float) -> Any:
        """Opens the body of an answer, within so many seconds; the caller closes it."""
        method, path, query, body, headers, redirects = request
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        sent = urllib.request.Request(
            self.url + path + encode(query or {}),
            data=data,
            method=method,
            headers={**self._headers, **headers},
        )
        if data is not None and not sent.has_header("Content-type"):
            sent.add_header("Content-Type", "application/json")
        try:
            return OPENER.open(sent, timeout=timeout)
        except urllib.error.HTTPError as refusal:
            if redirects and refusal.code == 303:
                return refusal
            with refusal:
                raise _refused(refusal, timeout) from None
        except (OSError, http.client.HTTPException) as lost:
            raise Unreachable(f"{request}: {lost}") from lost


def encode(query: Query) -> str:
    pairs = []
    for name, value in query.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None:
                pairs.append((name, str(one).lower() if isinstance(one, bool) else str(one)))
    return "?" + urllib.parse.urlencode(pairs, quote_via=urllib.parse.quote) if pairs else ""


def fill(template: str, parameters: Mapping[str, object]) -> str:
    """A path of the API with its parameters, percent-encoded; ``*`` stays."""
    for name, value in parameters.items():
        if str(value) in ("", ".", ".."):
            raise ValueError(f"{value!r} names nothing")
        template = template.replace(f"{{{name}}}", urllib.parse.quote(str(value), safe="*"))
    return template


def read(answer: Any, limit: float, longest: float = math.inf) -> bytes:
    """Reads a whole body within the limit in seconds, however slowly it trickles."""
    until = time.monotonic() + limit
    parts, length = [], 0
    while part := answer.read1(1 << 16):
        parts.append(part)
        length += len(part)
        if length > longest:
            raise OSError(f"longer than {longest} bytes")
        if time.monotonic() > until:
            raise TimeoutError(f"not whole within {limit:g} s")
    missing = getattr(answer, "length", None)
    if missing:
        raise http.client.IncompleteRead(b"", missing)
    return b"".join(parts)


def _refused(refusal: urllib.error.HTTPError, limit: float) -> ConvokeError:
    headers = lower(refusal.headers)
    try:
        problem = json.loads(read(refusal, limit, 1 << 20))
    except (ValueError, OSError, http.client.HTTPException):
        problem = None
    return ApiError.of(
        refusal.code, problem if isinstance(problem, dict) else {}, retry_after(headers)
    )


def _status(error: ConvokeError) -> int:
    return error.status if isinstance(error, ApiError) else 0


def _passes(error: ConvokeError) -> bool:
    """Whether the same request may be answered otherwise a little later."""
    if isinstance(error, ApiError):
        return error.status in PROBLEMS or error.code == "idempotency_in_flight"
    return isinstance(error, Unreachable)
