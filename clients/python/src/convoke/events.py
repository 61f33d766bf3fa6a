"""The journal: what happened to meetings, bots, recordings, tasks."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any, cast

from ._calls import pages
from ._http import Http, Request, backoff
from ._sse import messages
from .errors import ApiError, ConvokeError, InvalidAnswer, Unreachable
from .operations import Operations
from .types import EventView

SILENCE = 45.0
"""Seconds without a byte after which a stream is lost: the server sends a comment each 15 s."""

STEADY = 10.0
"""Seconds after which a connection has worked, whatever ends it: the next pause is short."""

LONGEST_LINE = 8 << 20


class Events:
    """``client.events``."""

    def __init__(self, api: Operations, http: Http, sleep: Callable[[float], object] | None = None):
        self._api = api
        self._http = http
        self._sleep = sleep or time.sleep

    def list(
        self,
        *,
        after: int | None = None,
        type: str | None = None,
        subject: str | None = None,
        since: str | None = None,
        until: str | None = None,
        order: str | None = None,
    ) -> Iterator[EventView]:
        """Events of the past, page by page; the oldest first unless ``order`` is ``newest``."""
        query = dict(
            after=after, type=type, subject=subject, since=since, until=until, order=order
        )
        return pages(self._api.list_events, **cast(Any, query))

    def stream(
        self,
        *,
        after: int | None = None,
        type: str | None = None,
        subject: str | None = None,
        give_up_after: float | None = None,
    ) -> Iterator[EventView]:
        """Events as they happen, each once and in order, over every loss of the connection.

        Begins after the event ``after``, else with what happens after this call, which asks the
        server where now is. To go on in a later process, store ``event["seq"]`` and pass it. A
        server that stays away is tried again for ever, or for ``give_up_after`` seconds from the
        loss on; a refusal (401, 403, 400) is raised.
        """
        lost_at = None
        if after is None:
            called_at = time.monotonic()
            try:
                after = self._newest()
            except ConvokeError as error:
                if not _passes(error):
                    raise
                lost_at = called_at
        return self._follow(after, {"type": type, "subject": subject}, give_up_after, lost_at)

    def _follow(
        self,
        last: int | None,
        query: dict[str, Any],
        give_up_after: float | None,
        lost_at: float | None,
    ) -> Iterator[EventView]:
        failures = 0
        if lost_at is None:
            lost_at = time.monotonic()
        while True:
            opened_at: float | None = None
            try:
                if last is None:
                    last = self._newest()
                for event in self._connection(last, query):
                    if event is None:
                        opened_at = time.monotonic()
                        continue
                    failures, lost_at = 0, time.monotonic()
                    if event["seq"] > last:
                        last = event["seq"]
                        yield event
                        lost_at = time.monotonic()
                error: Exception = Unreachable("The stream ended")
            except ConvokeError as broken:
                if not _passes(broken):
                    raise
                error = broken
            steady = opened_at is not None and time.monotonic() - opened_at >= STEADY
            if steady or (opened_at is not None and not isinstance(error, InvalidAnswer)):
                lost_at = time.monotonic()  # the server was there until now, however quiet
            failures = 1 if steady else failures + 1
            asked = getattr(error, "retry_after", None) or 0.0
            pause = max(backoff(failures), min(asked, 60.0))
            if give_up_after is not None and time.monotonic() + pause - lost_at > give_up_after:
                raise error
            self._sleep(pause)

    def _newest(self) -> int:
        """Where now is. A stream that begins there misses nothing when its first connection breaks."""
        page = self._api.list_events(order="newest", limit=1)
        return max((event["seq"] for event in page["items"]), default=0)

    def _connection(self, after: int, query: dict[str, Any]) -> Iterator[EventView | None]:
        """None once it is open, and then its events."""
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(after)}
        request = Request("GET", "/events", query, headers=headers)
        with self._http.open(request, SILENCE) as answer:
            kind = answer.headers.get("Content-Type", "")
            if not kind.startswith("text/event-stream"):
                raise InvalidAnswer(f"Not an event stream but {kind or 'nothing'}")
            yield None
            for message in messages(_lines(answer)):
                try:
                    event = json.loads(message.data)
                    if event["seq"] != int(message.id):
                        raise ValueError("seq and id differ")
                except (ValueError, TypeError, KeyError) as wrong:
                    raise InvalidAnswer(f"An event cannot be read: {wrong}") from wrong
                yield cast(EventView, event)


def _passes(error: ConvokeError) -> bool:
    """Whether a new connection may help."""
    if isinstance(error, ApiError):
        return error.status >= 500 or error.status in (408, 425, 429)
    return isinstance(error, (Unreachable, InvalidAnswer))


def _lines(answer: Any) -> Iterator[bytes]:
    while True:
        try:
            line = answer.readline(LONGEST_LINE)
        except Exception as lost:  # http.client raises AttributeError for a socket closed meanwhile
            raise Unreachable(f"The stream broke: {lost}") from lost
        if not line:
            return
        if len(line) >= LONGEST_LINE:
            raise InvalidAnswer("A line of the stream is too long")
        yield line
