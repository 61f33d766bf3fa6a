"""Commands to speak and to write into the chat."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ._callbacks import Command
from ._reports import line

if TYPE_CHECKING:
    from .bot import Bot, Session

log = logging.getLogger("convoke.bot")
REASON_MAX = 200


@dataclass(frozen=True)
class SpeakText:
    """Words to turn into speech, with a voice of the bot's synthesizer if one is wanted."""

    text: str
    voice: str | None = None


@dataclass(frozen=True)
class SpeakAudio:
    """A WAV file with 16 bit PCM, one or two channels and 8,000 to 48,000 Hz."""

    wav: bytes = field(repr=False)


SpeakCommand = SpeakText | SpeakAudio


class CommandRefused(Exception):
    """The bot cannot do what it was told; ``reason``, in plain words, is shown to the user."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


class TalkCommands:
    """Carries commands out one after the other in a task of its own, so that a long one keeps
    neither ``leave`` nor heartbeats waiting."""

    ACTIONS = ("speak", "chat")

    def __init__(
        self,
        bot: Bot,
        session: Session,
        sound: Callable[[str], Awaitable[bytes | None]],
        written: Callable[[str, str], None],
        done: Callable[[str, dict[str, Any]], Awaitable[None]],
    ):
        """``sound`` gives that of a command; ``written`` takes the command and the text of each
        message that the bot wrote, and ``done`` the result of each command."""
        self._bot = bot
        self._session = session
        self._sound = sound
        self._written = written
        self._done = done
        self._waiting: asyncio.Queue[Command] = asyncio.Queue()
        self._open: set[str] = set()

    def add(self, command: Command) -> None:
        """Takes a command that is new."""
        self._open.add(command.id)
        self._waiting.put_nowait(command)

    def holds(self, command_id: str) -> bool:
        """Whether a command waits or is being carried out: it is acknowledged later."""
        return command_id in self._open

    async def run(self) -> None:
        """Carries out commands until it is cancelled."""
        while True:
            command = await self._waiting.get()
            await self._done(command.id, await self._result(command))
            self._open.discard(command.id)

    async def _result(self, command: Command) -> dict[str, Any]:
        try:
            await self._carry_out(command)
            return {"applied": [command.action], "not_applied": []}
        except CommandRefused as refusal:
            reason = refusal.reason
        except (Exception, asyncio.CancelledError) as failure:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            log.warning("command %s failed", command.action, exc_info=failure)
            reason = "the bot failed to do it"
        refused = {"setting": command.action, "reason": line(reason, REASON_MAX)}
        return {"applied": [], "not_applied": [refused]}

    async def _carry_out(self, command: Command) -> None:
        text = command.setting("text")
        if command.action == "chat":
            await self._bot.chat(self._session, text or "")
            self._written(command.id, text or "")
        elif text is not None:
            await self._bot.speak(self._session, SpeakText(text, command.setting("voice")))
        else:
            wav = await self._sound(command.id)
            if wav is None:
                raise CommandRefused("the sound could not be fetched")
            await self._bot.speak(self._session, SpeakAudio(wav))
