"""Bots: a class with ``join``, ``stay`` and ``leave``; everything else is done here.

The process is started by Convoke with ``BOT_CONFIG`` in its environment::

    class MyBot(Bot):
        async def join(self, session): ...
        async def stay(self, session): return await session.alone()
        async def leave(self, session): ...

    run(MyBot())
"""

from __future__ import annotations

import asyncio
import enum
import json
import logging
import os
import random
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Any, NoReturn

from ._callbacks import Accepted, Callbacks, Command, NoReply, Over, Patience, Refused, Reply
from ._reports import (
    Attendee,
    BatchSender,
    ChatMessage,
    LeaveRules,
    ParticipantSender,
    Roster,
    Segment,
    instant,
)
from ._talk import CommandRefused, SpeakAudio, SpeakCommand, SpeakText, TalkCommands

__all__ = [
    "Attendee", "Bot", "BotConfig", "BotFailure", "BotRunner", "ChatMessage", "Command",
    "CommandRefused", "ExitCode", "LeaveRules", "NotAdmitted", "Patience", "Progress", "Segment",
    "Session", "SpeakAudio", "SpeakCommand", "SpeakText", "run",
]  # fmt: skip

log = logging.getLogger("convoke.bot")
STEP_MAX = 3.0
CLEANUP_MAX = 1.0
GOODBYE_MAX = 9.0
REPORTS_MAX = 90.0
"""How long the bot finishes, and what waits is sent, before ``exited``: with the steps around it less
than the two minutes that a bot may be stopping."""
SETTINGS = ("language", "task", "bot_name")
REMEMBERED = 1000


class ExitCode(enum.IntEnum):
    """How a bot's process ends."""

    LEFT = 0
    CRASHED = 1
    BAD_CONFIG = 2
    NOT_ADMITTED = 10
    NO_MEETING = 11
    PLATFORM_GONE = 20
    CONTROL_PLANE_LOST = 21
    TOLD_TO_GO = 22


class BotFailure(Exception):
    """The bot cannot go on; ``reason`` is a stable code that the meeting's outcome shows."""

    def __init__(self, code: ExitCode, reason: str):
        super().__init__(reason)
        self.code = code
        self.reason = reason


class NotAdmitted(BotFailure):
    """The meeting did not let the bot in."""

    def __init__(self, reason: str = "admission_denied"):
        super().__init__(ExitCode.NOT_ADMITTED, reason)


@dataclass(frozen=True)
class BotConfig:
    """``BOT_CONFIG``; durations are seconds. It holds a token: never log it."""

    meeting_id: int
    connection_id: str
    attempt: int
    platform: str
    native_meeting_id: str
    token: str
    callback_url: str
    meeting_url: str | None = None
    passcode: str | None = None
    bot_name: str = "Convoke"
    language: str | None = None
    task: str = "transcribe"
    container_name: str = ""
    heartbeat_interval: float = 30.0
    waiting_room_timeout: float = 300.0
    no_one_joined_timeout: float = 120.0
    everyone_left_timeout: float = 60.0

    def __repr__(self) -> str:
        return f"BotConfig(meeting {self.meeting_id}, attempt {self.attempt}, {self.platform})"

    @staticmethod
    def parse(text: str) -> BotConfig:
        """Raises ValueError that names the field, never its value."""
        try:
            tree = json.loads(text)
        except ValueError:
            tree = None
        if not isinstance(tree, dict):
            raise ValueError("BOT_CONFIG is not JSON")
        leave = tree.get("automatic_leave")
        fields: dict[str, Any] = {}
        for name in ("meeting_id", "attempt"):
            value = tree.get(name)
            if not isinstance(value, int) or isinstance(value, bool):
                raise ValueError(f"BOT_CONFIG needs the number {name}")
            fields[name] = value
        for name in ("connection_id", "platform", "native_meeting_id", "token", "callback_url"):
            if not _text(tree, name):
                raise ValueError(f"BOT_CONFIG needs the text {name}")
            fields[name] = tree[name]
        for name in ("meeting_url", "passcode", "bot_name", "language", "task", "container_name"):
            if _text(tree, name):
                fields[name] = tree[name]
        for source, name in (
            (tree, "heartbeat_interval"),
            (leave, "waiting_room_timeout"),
            (leave, "no_one_joined_timeout"),
            (leave, "everyone_left_timeout"),
        ):
            value = source.get(name) if isinstance(source, dict) else None
            if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
                fields[name] = float(value)
        return BotConfig(**fields)


def _text(tree: dict[str, Any], name: str) -> bool:
    return isinstance(tree.get(name), str) and bool(tree[name])


@dataclass(frozen=True)
class Progress:
    """What a bot has done since it was let in; sent with each heartbeat.

    ``audio_seconds`` of sound received, silence included, must grow as long as the connection to
    the meeting works; ``participants`` does not count the bot.
    """

    audio_seconds: float | None = None
    participants: int | None = None
    last_speech_at: datetime | None = None

    def json(self) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        if self.audio_seconds is not None:
            fields["audio_seconds"] = self.audio_seconds
        if self.participants is not None:
            fields["participants"] = self.participants
        if self.last_speech_at is not None:
            fields["last_speech_at"] = instant(self.last_speech_at)
        return fields


class Session:
    """What a bot gets: its configuration, and its reports, which are sent in the background."""

    config: BotConfig
    own_id: str | None = None
    """The bot's own ``session_id`` in the meeting, which the leave rules do not count."""

    async def awaiting_admission(self) -> None:
        """Reports that the bot waits to be let in."""
        raise NotImplementedError

    def transcript(self, *segments: Segment) -> None:
        """Reports what was said."""
        raise NotImplementedError

    def chatted(self, *messages: ChatMessage) -> None:
        """Reports what others wrote into the chat; what the bot writes is reported for it."""
        raise NotImplementedError

    def joined(self, who: Attendee) -> None:
        """Reports that someone came."""
        raise NotImplementedError

    def left(self, session_id: str, at: datetime | None = None) -> None:
        """Reports that someone went."""
        raise NotImplementedError

    def everybody(self, people: Iterable[Attendee]) -> None:
        """Reports all who are there, the bot included: after admission, or after a gap."""
        raise NotImplementedError

    @property
    def others(self) -> int:
        """How many others are there, by the reports."""
        raise NotImplementedError

    @property
    def leaving(self) -> bool:
        """Whether the bot has been asked to leave."""
        raise NotImplementedError

    async def alone(self) -> str:
        """Waits until a rule of ``automatic_leave`` applies; returns its name."""
        raise NotImplementedError

    async def until_alone_or(self, meeting: Coroutine[Any, Any, str]) -> str:
        """The reason of what comes first: the end of ``meeting``, or a rule of ``automatic_leave``."""
        tasks = [asyncio.ensure_future(meeting), asyncio.ensure_future(self.alone())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            return next(task for task in tasks if task in done).result()
        finally:
            for task in tasks:
                task.cancel()


class Bot:
    """The part of a bot that knows the platform.

    ``join`` and ``stay`` run in a task that is cancelled when the bot has to go. They must not
    block: use ``asyncio.to_thread`` for what does.
    """

    async def join(self, session: Session) -> None:
        """Joins, and returns once the bot is in; raises :class:`NotAdmitted`."""
        raise NotImplementedError

    async def stay(self, session: Session) -> str:
        """Stays until the meeting ends or a rule applies; returns why, as ``everyone_left``."""
        raise NotImplementedError

    async def leave(self, session: Session) -> None:
        """Leaves, or takes back the request to join. Called once, in every state. It has 3 s; what
        takes longer belongs into ``finish``."""
        raise NotImplementedError

    async def finish(self, session: Session, at_most: float) -> None:
        """Waits after ``leave`` for what the bot still makes of the meeting, such as the last words of
        a transcriber or an upload; what it reports meanwhile is sent. After ``at_most`` seconds, up to
        90 and three after a signal, it is cancelled. Not called for a launch that is over."""

    async def reconfigure(self, session: Session, change: Command) -> Iterable[str]:
        """Takes over ``language``, ``task`` or ``bot_name``; returns the names that it applied."""
        return ()

    async def speak(self, session: Session, what: SpeakCommand) -> None:
        """Says something. Returns when it is about to be said: what comes while the bot still speaks
        waits for its turn. Runs beside ``stay``, as ``chat`` does, the two never at the same time.
        Raises :class:`CommandRefused` if it cannot."""
        raise CommandRefused("this bot does not speak")

    async def chat(self, session: Session, text: str) -> None:
        """Writes into the chat; the message is reported as the bot's own. Raises
        :class:`CommandRefused` if it cannot."""
        raise CommandRefused("this bot does not write into the chat")

    def progress(self) -> Progress | None:
        """What it has done; asked before each heartbeat."""
        return None


@dataclass(frozen=True)
class _Departure:
    reason: str
    code: ExitCode
    reportable: bool
    hurry: float


class BotRunner(Session):
    """Runs one bot from its first report to its last. What comes first, the bot's own end or a
    reason to go, decides the departure, once."""

    def __init__(self, config: BotConfig, bot: Bot, patience: Patience = Patience()):
        self.config = config
        self._bot = bot
        self._patience = patience
        self._callbacks = Callbacks(
            config.callback_url, config.token, config.connection_id, patience
        )
        self._roster = Roster(config.connection_id)
        self._others_changed = asyncio.Event()
        self._transcripts = BatchSender("transcript segment", self._callbacks.transcript)
        self._chats = BatchSender("chat message", self._callbacks.chat)
        self._talk = TalkCommands(
            bot, self, self._callbacks.speech, self._written, self._carried_out
        )
        self._results: dict[str, dict[str, Any]] = {}
        self._participants = ParticipantSender(self._callbacks)
        self._inbox: asyncio.Queue[tuple[Command, bool]] = asyncio.Queue(REMEMBERED)
        self._seen: dict[str, None] = {}
        self._departure: asyncio.Future[_Departure] = asyncio.get_running_loop().create_future()
        self._started = asyncio.Event()
        self._hurried = asyncio.Event()
        self._finished = asyncio.Event()
        self._heard = monotonic()

    async def awaiting_admission(self) -> None:
        self._hear(await self._callbacks.awaiting_admission())

    def transcript(self, *segments: Segment) -> None:
        for segment in segments:
            report = segment.json()
            if report["text"]:
                self._transcripts.add(report)

    def chatted(self, *messages: ChatMessage) -> None:
        for message in messages:
            report = message.json()
            if report["text"]:
                self._chats.add(report)

    def joined(self, who: Attendee) -> None:
        self._participants.add(("event", self._roster.joined(who)))
        self._others_changed.set()

    def left(self, session_id: str, at: datetime | None = None) -> None:
        self._participants.add(("event", self._roster.left(session_id, at)))
        self._others_changed.set()

    def everybody(self, people: Iterable[Attendee]) -> None:
        self._roster.everybody(people)
        self._participants.add(("everybody", self._roster.full_list()))
        self._others_changed.set()

    @property
    def others(self) -> int:
        return sum(1 for session_id in self._roster.present if session_id != self.own_id)

    @property
    def leaving(self) -> bool:
        return self._departure.done()

    async def alone(self) -> str:
        rules = LeaveRules(
            self.config.no_one_joined_timeout, self.config.everyone_left_timeout, monotonic()
        )
        while True:
            self._others_changed.clear()
            now = monotonic()
            rules.others(self.others, now)
            reason = rules.reason(now)
            if reason is not None:
                return reason
            try:
                await asyncio.wait_for(self._others_changed.wait(), min(rules.until(now), 60.0))
            except asyncio.TimeoutError:
                pass

    def terminate(self) -> None:
        """Asks the bot to leave, as SIGTERM does; it then has a few seconds, also one that leaves."""
        self._hurried.set()
        self._depart(_Departure("terminated", ExitCode.LEFT, True, STEP_MAX))

    async def run(self) -> ExitCode:
        """Runs the bot and returns the exit code of its process."""
        life = asyncio.create_task(self._live())
        life.add_done_callback(self._ended)
        pulse = asyncio.create_task(self._beat())
        background = [
            pulse,
            *(
                asyncio.create_task(work)
                for work in (
                    self._obey(),
                    self._await_commands(),
                    self._talk.run(),
                    self._transcripts.run(),
                    self._chats.run(),
                    self._participants.run(self._roster),
                )
            ),
        ]
        for task in background:
            task.add_done_callback(self._failed)
        try:
            departure = await self._departure
            await self._leave(departure, life, pulse)
            return departure.code
        finally:
            for task in [life, *background]:
                task.cancel()

    async def _live(self) -> None:
        patient = self._patience.horizon
        try:
            if not self._goes_on(await self._callbacks.started(self.config.meeting_id)):
                return
            self._started.set()
            await self._bot.join(self)
            if self._goes_on(await self._callbacks.joined()):
                told: str | None = await self._bot.stay(self)
                reason = "left" if told is None else str(told)
                self._depart(_Departure(reason, ExitCode.LEFT, True, patient))
        except BotFailure as failure:
            self._depart(_Departure(str(failure.reason), failure.code, True, patient))
        except Exception:
            log.exception("the bot failed")
            self._depart(_Departure("crashed", ExitCode.CRASHED, True, patient))

    def _ended(self, life: asyncio.Task[None]) -> None:
        """The bot's own code cancelled itself, or ended without a departure."""
        self._depart(_Departure("crashed", ExitCode.CRASHED, True, self._patience.horizon))
        self._failed(life)

    def _failed(self, task: asyncio.Task[None]) -> None:
        """A part that the bot's own code has cancelled is missing as much as one that failed."""
        failure = None if task.cancelled() else task.exception()
        if failure is not None or (task.cancelled() and not self.leaving):
            log.error("a part of the bot failed", exc_info=failure)
            self._depart(_Departure("crashed", ExitCode.CRASHED, True, self._patience.horizon))

    async def _leave(
        self, departure: _Departure, life: asyncio.Task[None], pulse: asyncio.Task[None]
    ) -> None:
        log.info("leaving: %s", departure.reason)
        if departure.reportable and departure.code == ExitCode.LEFT and self._started.is_set():
            await self._callbacks.stopping(departure.reason, STEP_MAX)
        life.cancel()
        await asyncio.wait([life], timeout=STEP_MAX)
        await self._goodbye("Leaving the meeting", lambda: self._bot.leave(self), STEP_MAX)
        if departure.reportable:
            most = STEP_MAX if self._hurried.is_set() else REPORTS_MAX
            await self._finish_reports(min(departure.hurry, most))
            self._finished.set()
            await asyncio.wait([pulse], timeout=STEP_MAX)
            await self._callbacks.exited(departure.code, departure.reason, departure.hurry)

    async def _goodbye(
        self, what: str, last_step: Callable[[], Awaitable[None]], at_most: float
    ) -> None:
        """Waits for a part of the bot's own end, and goes on without it when its time is over."""

        async def attempt() -> None:
            await last_step()

        step = asyncio.create_task(attempt())
        hurried = asyncio.create_task(self._hurried.wait())
        await asyncio.wait([step, hurried], timeout=at_most, return_when=asyncio.FIRST_COMPLETED)
        hurried.cancel()
        if self._hurried.is_set():
            await asyncio.wait([step], timeout=STEP_MAX)
        if not step.done():
            step.cancel()
        elif not step.cancelled() and step.exception() is not None:
            log.warning("%s failed: %r", what, step.exception())

    async def _finish_reports(self, at_most: float) -> None:
        """Has the bot finish, and then all that waits sent side by side, within this time together."""
        until = monotonic() + at_most
        work = "Finishing the bot's work"
        await self._goodbye(work, lambda: self._bot.finish(self, at_most), at_most)
        # What it reported last is to be sent too.
        rest = STEP_MAX if self._hurried.is_set() else max(STEP_MAX, until - monotonic())
        senders = (self._transcripts, self._chats, self._participants)
        await asyncio.gather(*(sender.finish(rest) for sender in senders))

    async def _beat(self) -> None:
        while self._beats():
            pause = self.config.heartbeat_interval * random.uniform(0.9, 1.1)
            try:
                await asyncio.wait_for(self._finished.wait(), pause)
            except asyncio.TimeoutError:
                pass
            if self._started.is_set() and not self.leaving:
                self._hear(await self._callbacks.heartbeat(self._progress()))
            elif self._started.is_set() and self._beats():
                await self._callbacks.heartbeat(None)

    def _beats(self) -> bool:
        """Whether heartbeats go on: also while a bot that leaves has time to finish, for the row of one
        that has failed is ``active`` until ``exited``."""
        if not self.leaving:
            return True
        over = self._finished.is_set() or self._hurried.is_set()
        return not over and self._departure.result().hurry > STEP_MAX

    def _progress(self) -> dict[str, Any] | None:
        """A bot that fails to say what it did, or says no JSON, is alive all the same."""
        try:
            progress = self._bot.progress()
            text = json.dumps(progress.json() if progress else None, allow_nan=False)
            told: dict[str, Any] | None = json.loads(text)
            return told
        except Exception:
            log.warning("a heartbeat goes without the bot's progress", exc_info=True)
            return None

    async def _await_commands(self) -> None:
        await self._started.wait()
        failures = 0
        while not self.leaving:
            reply = await self._callbacks.commands()
            failures = failures + 1 if isinstance(reply, NoReply) else 0
            self._hear(reply)
            if isinstance(reply, Accepted):
                await asyncio.sleep(0.25)
            elif isinstance(reply, NoReply):
                await asyncio.sleep(0.25 + self._patience.pause(failures))
            else:
                await asyncio.sleep(60.0)  # refused: commands ride on heartbeats alone

    async def _obey(self) -> None:
        """Acts on each command once, and acknowledges it as often as it comes."""
        while True:
            command, first = await self._inbox.get()
            if first and command.action in TalkCommands.ACTIONS:
                self._talk.add(command)
            elif first:
                await self._carried_out(command.id, await self._act(command))
            elif not self._talk.holds(command.id):
                await self._callbacks.ack(command.id, self._results.get(command.id, {}))

    async def _carried_out(self, command_id: str, result: dict[str, Any]) -> None:
        """Acknowledges a command; if that is not heard, it is repeated when the command comes again."""
        self._results[command_id] = result
        _forget(self._results)
        await self._callbacks.ack(command_id, result)

    def _written(self, command_id: str, text: str) -> None:
        own = ChatMessage(f"command:{command_id}", text, self.config.bot_name)
        self._chats.add({**own.json(), "from_bot": True})

    async def _act(self, command: Command) -> dict[str, Any]:
        if command.action == "leave":
            self._depart(_Departure("stopped", ExitCode.LEFT, True, self._patience.horizon))
        elif command.action == "reconfigure":
            reason = "this bot does not change it while it runs"
            try:
                able = set(await self._bot.reconfigure(self, command))
            except (Exception, asyncio.CancelledError) as failure:
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise
                log.warning("new settings were not taken over: %r", failure)
                able, reason = set(), "the bot failed to change it"
            asked = [name for name in SETTINGS if command.setting(name) is not None]
            return {
                "applied": [name for name in asked if name in able],
                "not_applied": [
                    {"setting": name, "reason": reason} for name in asked if name not in able
                ],
            }
        else:
            log.warning("unknown command ignored: %s", command.action)
            why = "this bot does not know the command"
            return {"not_applied": [{"setting": command.action, "reason": why}]}
        return {}

    def _hear(self, reply: Reply) -> bool:
        """Takes an answer in; False if the bot must not go on."""
        if isinstance(reply, Over):
            self._depart(_Departure("told_to_go", ExitCode.TOLD_TO_GO, False, 0))
            return False
        if isinstance(reply, (Accepted, Refused)):
            self._heard = monotonic()
            for command in reply.commands if isinstance(reply, Accepted) else ():
                self._offer(command)
            return True
        if monotonic() - self._heard <= self._patience.horizon:
            return True
        self._lost()
        return False

    def _goes_on(self, reply: Reply) -> bool:
        """The same for a report without which the bot cannot go on: it is not made again."""
        if isinstance(reply, NoReply):
            self._lost()
            return False
        return self._hear(reply)

    def _lost(self) -> None:
        lost = ExitCode.CONTROL_PLANE_LOST
        self._depart(_Departure("control_plane_lost", lost, True, STEP_MAX))

    def _offer(self, command: Command) -> None:
        first = command.id not in self._seen
        try:
            self._inbox.put_nowait((command, first))
            self._seen[command.id] = None
            _forget(self._seen)
        except asyncio.QueueFull:
            log.debug("a command waits for its repetition")

    def _depart(self, departure: _Departure) -> None:
        if not self._departure.done():
            self._departure.set_result(departure)


def _forget(remembered: dict[str, Any]) -> None:
    """Drops the oldest of too many."""
    while len(remembered) > REMEMBERED:
        del remembered[next(iter(remembered))]


def run(bot: Bot) -> None:
    """Runs a bot to its end, and ends the process with its exit code. SIGTERM makes it leave."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    try:
        text = os.environ.get("BOT_CONFIG")
        if text is None:
            raise ValueError("BOT_CONFIG is missing")
        config = BotConfig.parse(text)
    except ValueError as wrong:
        print(f"bot: {wrong}", file=sys.stderr)
        sys.exit(ExitCode.BAD_CONFIG)
    asyncio.run(_live(config, bot))


async def _live(config: BotConfig, bot: Bot) -> NoReturn:
    runner = BotRunner(config, bot)
    loop = asyncio.get_running_loop()

    def asked(number: int, _: Any) -> None:
        signal.signal(signal.SIGALRM, lambda *_: os._exit(128 + number))
        signal.setitimer(signal.ITIMER_REAL, GOODBYE_MAX)
        loop.call_soon_threadsafe(runner.terminate)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, asked)
    code = await runner.run()
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=CLEANUP_MAX)
    sys.stderr.flush()
    sys.stdout.flush()
    # The end of the loop waits for tasks that heed no cancellation and for threads that block.
    os._exit(code)
