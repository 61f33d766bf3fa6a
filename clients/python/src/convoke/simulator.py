"""Rooms of Convoke's platform simulator, for bots that are tested against it."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from ._callbacks import in_thread
from ._http import OPENER
from ._sse import messages
from .bot import Attendee, BotFailure, ExitCode, NotAdmitted

log = logging.getLogger("convoke.simulator")
PATIENCE = 20.0
PLATFORM_GONE = BotFailure(ExitCode.PLATFORM_GONE, "platform_gone")


@dataclass(frozen=True)
class RoomEvent:
    """``snapshot``, ``participant-joined``, ``caption``, ...; ``session-gone`` is our own."""

    name: str
    data: dict[str, Any]

    def text(self, field: str) -> str:
        value = self.data.get(field)
        return value if isinstance(value, str) else ""

    def at(self) -> datetime | None:
        return _instant(self.data.get("at"))

    def person(self) -> Attendee:
        return _person(self.data)

    def people(self) -> list[Attendee]:
        listed = self.data.get("participants")
        return [_person(one) for one in listed if isinstance(one, dict)] if listed else []


def _person(data: dict[str, Any]) -> Attendee:
    return Attendee(
        str(data.get("session_id") or ""),
        user_name=data.get("user_name"),
        user_id=data.get("user_id"),
        joined_at=_instant(data.get("joined_at")),
    )


def _instant(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(value))
    except ValueError:
        return None


class Room:
    """A place in a room. A broken event stream is opened again where it broke; a platform that
    stays away for 20 s ends the bot with ``platform_gone``."""

    def __init__(self, answer: dict[str, Any], asked: str):
        self.session_id = str(answer.get("session_id") or "")
        self.waiting = answer.get("state") == "waiting"
        self._urls = {
            name: _same_host(answer, name, asked) for name in ("events_url", "say_url", "leave_url")
        }
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[RoomEvent | BotFailure] = asyncio.Queue()
        self._closed = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    @staticmethod
    async def join(url: str | None, user_name: str, user_id: str) -> Room:
        """Joins, or waits in the lobby if ``waiting``."""
        if not url or urlsplit(url).scheme not in ("http", "https"):
            raise BotFailure(ExitCode.BAD_CONFIG, "missing_meeting_url")
        give_up = monotonic() + PATIENCE
        body = {"user_name": user_name, "user_id": user_id}
        while monotonic() < give_up:
            try:
                status, content = await in_thread(lambda: _post(f"{url}/join", body))
                if status == 200:
                    return Room(json.loads(content), url)
                if status == 404:
                    raise BotFailure(ExitCode.NO_MEETING, "meeting_not_found")
                if status in (401, 403):
                    raise NotAdmitted()
                log.debug("the platform answered %d", status)
            except (OSError, ValueError) as lost:
                log.debug("the platform did not answer: %s", lost)
            await asyncio.sleep(0.5)
        raise PLATFORM_GONE

    async def admitted(self, at_most: float) -> None:
        """Waits in the lobby; raises :class:`NotAdmitted`."""
        try:
            async with asyncio.timeout(at_most):
                async for event in self.events():
                    if event.name in ("denied", "session-gone"):
                        raise NotAdmitted()
                    inside = event.name == "snapshot" and event.text("state") == "in_meeting"
                    if inside:
                        self._queue.put_nowait(event)  # for the one who reads on
                    if inside or event.name == "admitted":
                        return
        except TimeoutError:
            raise NotAdmitted("waiting_room_timeout") from None

    async def events(self) -> AsyncIterator[RoomEvent]:
        """What happens in the room, until it ends."""
        while True:
            event = await self._queue.get()
            if isinstance(event, BotFailure):
                raise event
            yield event

    async def say(self, text: str) -> None:
        body = {"session_id": self.session_id, "text": text}
        await in_thread(lambda: _post(self._urls["say_url"], body))

    async def leave(self) -> None:
        self._closed.set()
        body = {"session_id": self.session_id}
        await in_thread(lambda: _post(self._urls["leave_url"], body))

    def _read(self) -> None:
        last, self._contact = "", monotonic()
        while not self._closed.is_set():
            try:
                request = urllib.request.Request(self._urls["events_url"])
                request.add_header("Accept", "text/event-stream")
                if last:
                    request.add_header("Last-Event-ID", last)
                with OPENER.open(request, timeout=5.0) as answer:
                    for message in messages(self._heard(answer)):
                        last = message.id or last
                        try:
                            self._put(RoomEvent(message.event, json.loads(message.data)))
                        except ValueError:
                            log.warning("an event of the room is not JSON: %s", message.event)
            except urllib.error.HTTPError as refusal:
                refusal.close()
                if refusal.code == 404:
                    return self._put(RoomEvent("session-gone", {}))
            except Exception as lost:
                log.debug("the room's stream broke: %s", lost)
            if monotonic() - self._contact > PATIENCE:
                return self._put(PLATFORM_GONE)
            self._closed.wait(0.5)

    _contact = 0.0

    def _heard(self, answer: Any) -> Iterator[bytes]:
        while not self._closed.is_set() and (line := answer.readline(1 << 20)):
            self._contact = monotonic()
            yield line

    def _put(self, event: RoomEvent | BotFailure) -> None:
        try:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, event)
        except RuntimeError:
            self._closed.set()


def _same_host(answer: dict[str, Any], name: str, asked: str) -> str:
    """A room must not lead its clients to other machines of their network."""
    told, own = urlsplit(str(answer.get(name) or "")), urlsplit(asked)
    if (told.scheme, told.netloc) != (own.scheme, own.netloc):
        raise BotFailure(ExitCode.PLATFORM_GONE, "platform_error")
    return told.geturl()


def _post(url: str, body: dict[str, Any]) -> tuple[int, bytes]:
    request = urllib.request.Request(url, data=json.dumps(body).encode(), method="POST")
    request.add_header("Content-Type", "application/json")
    try:
        with OPENER.open(request, timeout=5.0) as answer:
            return answer.status, answer.read(1 << 20)
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, b""
