"""The reference bot in Python: joins simulated rooms and reports captions and participants.

``CONVOKE_BOT_COMMAND='python3 -m convoke.reference_bot'``
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone

from .bot import Bot, BotFailure, Command, ExitCode, Progress, Segment, Session, run
from .simulator import Room, RoomEvent

CHARACTERS_PER_SECOND = 15.0


class ReferenceBot(Bot):
    def __init__(self) -> None:
        self._room: Room | None = None
        self._session: Session | None = None
        self._began = datetime.now(timezone.utc)
        self._language: str | None = None
        self._last_speech: datetime | None = None

    async def join(self, session: Session) -> None:
        # The session began with the report that precedes this call.
        self._began = datetime.now(timezone.utc)
        config = session.config
        self._session, self._language = session, config.language
        room = await Room.join(
            config.meeting_url, config.bot_name, f"convoke-bot-{config.meeting_id}"
        )
        self._room, session.own_id = room, room.session_id
        if room.waiting:
            await session.awaiting_admission()
            await room.admitted(config.waiting_room_timeout)

    async def stay(self, session: Session) -> str:
        assert self._room is not None
        return await session.until_alone_or(self._listen(session, self._room))

    async def leave(self, session: Session) -> None:
        if self._room is not None:
            await self._room.leave()

    async def reconfigure(self, session: Session, change: Command) -> Iterable[str]:
        self._language = change.setting("language") or self._language
        if self._room is not None:
            told = [
                f"{name} {change.setting(name)}."
                for name in ("language", "task", "bot_name")
                if change.setting(name)
            ]
            await self._room.say(" ".join(["New settings:", *told]))
        return ["language"]

    def progress(self) -> Progress | None:
        if self._session is None:
            return None
        return Progress(participants=self._session.others, last_speech_at=self._last_speech)

    async def _listen(self, session: Session, room: Room) -> str:
        async for event in room.events():
            if event.name == "snapshot" and event.text("state") != "waiting":
                session.everybody(event.people())
            elif event.name == "participant-joined":
                session.joined(event.person())
            elif event.name == "participant-left":
                session.left(event.text("session_id"), event.at())
            elif event.name == "caption" and event.text("session_id") != room.session_id:
                self._caption(session, event)
            elif event.name in ("meeting-ended", "left", "session-gone"):
                break
            elif event.name == "ejected":
                return "removed"
            elif event.name == "disconnected":
                raise BotFailure(ExitCode.PLATFORM_GONE, "platform_gone")
        return "meeting_ended"

    def _caption(self, session: Session, event: RoomEvent) -> None:
        text = event.text("text")
        if text.strip():
            self._last_speech = event.at() or datetime.now(timezone.utc)
            start = max(0.0, (self._last_speech - self._began).total_seconds())
            end = start + len(text) / CHARACTERS_PER_SECOND
            session.transcript(
                Segment(start, end, text, event.text("user_name") or None, self._language)
            )


if __name__ == "__main__":
    run(ReferenceBot())
