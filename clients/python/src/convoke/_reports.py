"""What a bot reports in the background: words, messages, and who is there."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from time import monotonic
from typing import Any

from ._callbacks import Callbacks, NoReply, Over, Reply, encoded

log = logging.getLogger("convoke.bot")
WAITING_MAX = 5000
GROUP_BYTES_MAX = 512 << 10
"""Half of what the control plane takes in one call."""
SECONDS_MAX = 1e7


@dataclass(frozen=True)
class Segment:
    """What someone said; start and end are seconds since the bot's session began.

    With ``completed=False`` it is a draft, which the next one of the same start and speaker replaces.
    ``level_db`` is how loud it is in dBov (RFC 6464), -127 to 0.
    """

    start: float
    end: float
    text: str
    speaker: str | None = None
    language: str | None = None
    completed: bool = True
    level_db: float | None = None

    def json(self) -> dict[str, Any]:
        """Cut to what a report may hold: a stranger's name, or silence that has no level, must not
        stop the others."""
        fields: dict[str, Any] = {
            "start": bounded(self.start, 0.0, SECONDS_MAX),
            "end": bounded(self.end, 0.0, SECONDS_MAX),
            "text": cut(self.text, 4096),
            **named("speaker", self.speaker),
            **named("language", self.language, 35),
        }
        if not self.completed:
            fields["completed"] = False
        if self.level_db is not None:
            fields["level_db"] = bounded(self.level_db, -127.0, 0.0)
        return fields


@dataclass(frozen=True)
class ChatMessage:
    """A message of the meeting's chat; ``id`` names it in the bot's session, where a message that is
    reported again is stored once."""

    id: str
    text: str
    sender: str | None = None
    at: datetime | None = None

    def json(self) -> dict[str, Any]:
        """Cut to what a report may hold: a stranger's long message must not stop the others."""
        return {
            "id": line(self.id, 128),
            **named("sender", self.sender),
            "text": cut(self.text, 4096),
            "at": instant(self.at),
        }


@dataclass(frozen=True)
class Attendee:
    """One connection of a person to the meeting; ``session_id`` names it."""

    session_id: str
    user_name: str | None = None
    user_id: str | None = None
    joined_at: datetime | None = None

    def json(self) -> dict[str, Any]:
        """Cut likewise."""
        return {
            "session_id": line(self.session_id, 255),
            **named("user_id", self.user_id),
            **named("user_name", self.user_name),
            "joined_at": instant(self.joined_at),
        }


def instant(at: datetime | None) -> str:
    return (at or datetime.now(timezone.utc)).astimezone(timezone.utc).isoformat()


def cut(text: str, longest: int) -> str:
    """The beginning of a text, without NUL and halves of surrogate pairs, which are not stored."""
    return re.sub(r"[\0\ud800-\udfff]", "", text)[:longest]


def line(text: str, longest: int) -> str:
    """The same on one line: control characters become spaces."""
    return cut(re.sub(r"[\0-\x1f\x7f-\x9f]", " ", text).strip(), longest)


def named(field: str, name: str | None, longest: int = 255) -> dict[str, str]:
    """A field with a name or id on one line; no field where nothing of it is left."""
    text = line(name or "", longest)
    return {field: text} if text else {}


def bounded(number: float, least: float, most: float) -> float:
    """What is nearest to it within these; the least for what is no number."""
    return min(most, max(least, float(number)))


class LeaveRules:
    """Whether the bot has been alone for too long. The time is passed in, in seconds."""

    def __init__(self, no_one_joined: float, everyone_left: float, now: float):
        self._limits = {False: no_one_joined, True: everyone_left}
        self._alone_since: float | None = now
        self._met = False

    def others(self, count: int, now: float) -> None:
        """There are so many others now."""
        if count:
            self._met, self._alone_since = True, None
        elif self._alone_since is None:
            self._alone_since = now

    def reason(self, now: float) -> str | None:
        """Why to go now, if there is a reason."""
        if self.until(now) > 0:
            return None
        return "everyone_left" if self._met else "no_one_joined"

    def until(self, now: float) -> float:
        """Seconds until a rule applies, if nothing happens."""
        if self._alone_since is None:
            return float("inf")
        return self._alone_since + self._limits[self._met] - now


class Roster:
    """Numbers events, so that a repeated one is recognised, and knows who is there. No I/O."""

    def __init__(self, connection_id: str):
        self._connection_id = connection_id
        self._numbered = 0
        self.present: dict[str, Attendee] = {}

    def joined(self, who: Attendee) -> dict[str, Any]:
        self.present[who.session_id] = dated = self._dated(who)
        facts = dated.json()
        return {**facts, **self._event("joined", facts["joined_at"])}

    def left(self, session_id: str, at: datetime | None) -> dict[str, Any]:
        who = self.present.pop(session_id, None)
        facts = who.json() if who else {"session_id": line(session_id, 255)}
        return {**facts, **self._event("left", instant(at))}

    def everybody(self, people: Iterable[Attendee]) -> None:
        self.present = {who.session_id: self._dated(who) for who in people}

    def full_list(self) -> dict[str, Any]:
        return {
            "at": instant(None),
            "participants": [who.json() for who in self.present.values()],
        }

    def _dated(self, who: Attendee) -> Attendee:
        """A time that is not given stays the first one: the server knows the session by it."""
        known = self.present.get(who.session_id, who).joined_at
        return replace(who, joined_at=who.joined_at or known or datetime.now(timezone.utc))

    def _event(self, type: str, at: str) -> dict[str, Any]:
        self._numbered += 1
        return {"id": f"{self._connection_id}:{self._numbered}", "type": type, "at": at}


class _Sender:
    """Sends what is added in order, in the background; beyond a bound the newest is dropped."""

    def __init__(self, what: str):
        self.what = what
        self._waiting: asyncio.Queue[Any] = asyncio.Queue(WAITING_MAX)
        self._finishing = asyncio.Event()
        self._worker: asyncio.Task[Any] | None = None

    def add(self, item: Any) -> None:
        try:
            self._waiting.put_nowait(item)
        except asyncio.QueueFull:
            log.warning("%s dropped: too many wait to be sent", self.what)

    async def finish(self, at_most: float) -> None:
        """Sends what waits, within so many seconds, or until the task that sends has ended."""
        self._finishing.set()
        sent: asyncio.Future[Any] = asyncio.ensure_future(self._waiting.join())
        either = {sent, self._worker} if self._worker else {sent}
        await asyncio.wait(either, timeout=at_most, return_when=asyncio.FIRST_COMPLETED)
        if not sent.done():
            sent.cancel()
            log.warning("%s: some were not sent", self.what)

    def _sent(self, count: int) -> None:
        for _ in range(count):
            self._waiting.task_done()


class BatchSender(_Sender):
    """Sends in small batches; each is repeated until it is answered."""

    def __init__(self, what: str, send: Callable[[list[dict[str, Any]]], Awaitable[Reply]]):
        super().__init__(what)
        self._send = send

    async def run(self, gather: float = 0.3, group_max: int = 100) -> None:
        self._worker = asyncio.current_task()
        next_one: list[Any] = []
        while True:
            group = next_one or [await self._waiting.get()]
            next_one = []
            if not self._finishing.is_set():
                try:
                    await asyncio.wait_for(self._finishing.wait(), gather)
                except asyncio.TimeoutError:
                    pass
            size = len(encoded(group[0]))
            while len(group) < group_max and not next_one and not self._waiting.empty():
                item = self._waiting.get_nowait()
                size += len(encoded(item))
                (group if size <= GROUP_BYTES_MAX else next_one).append(item)
            while isinstance(await self._send(group), NoReply):
                pass
            self._sent(len(group))


class ParticipantSender(_Sender):
    """A full list is sent once more after a while: one absence closes no session."""

    group_max = 500

    def __init__(self, callbacks: Callbacks):
        super().__init__("participant report")
        self._callbacks = callbacks

    async def run(self, roster: Roster, confirm_after: float = 16.0) -> None:
        self._worker = asyncio.current_task()
        confirm_at: float | None = None
        while True:
            limit = None if confirm_at is None else max(0.0, confirm_at - monotonic())
            try:
                events = [await asyncio.wait_for(self._waiting.get(), limit)]
            except asyncio.TimeoutError:
                confirm_at = None
                if not await self._report([], roster.full_list()):
                    return
                continue
            # The full list ends a report: what happened after it goes with the next one.
            while (
                events[-1][0] != "everybody"
                and len(events) < self.group_max
                and not self._waiting.empty()
            ):
                events.append(self._waiting.get_nowait())
            count = len(events)
            full = events.pop()[1] if events[-1][0] == "everybody" else None
            if full is not None:
                confirm_at = monotonic() + confirm_after
            if not await self._report([event for _, event in events], full):
                return
            self._sent(count)

    async def _report(self, events: list[Any], full: dict[str, Any] | None) -> bool:
        """False if the launch is over."""
        report: dict[str, Any] = {"events": events}
        if full is not None:
            report["everybody"] = full
        while True:
            reply = await self._callbacks.participants(report)
            if not isinstance(reply, NoReply):
                return not isinstance(reply, Over)
