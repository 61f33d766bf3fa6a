"""The calls of a bot to the control plane."""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar

from ._http import OPENER, backoff, read

log = logging.getLogger("convoke.bot")
T = TypeVar("T")

ANSWER_MAX = 10.0
COMMANDS_WAIT = 25
LONGEST_ANSWER = 8 << 20
SPEECH_TRIES = 5
OVER = (401, 403, 404, 410)
OVER_IF_NEW = (401, 403, 410)
"""Of calls that an older server may not have: its 404 says nothing about the launch."""
AGAIN = (408, 425, 429, 500, 502, 503, 504)


@dataclass(frozen=True)
class Patience:
    """Pauses from ``first`` to ``longest`` seconds; a call is repeated for ``horizon`` seconds.

    Minutes, because a failover of the control plane must not cost a meeting.
    """

    first: float = 0.25
    longest: float = 10.0
    horizon: float = 300.0

    def pause(self, failures: int) -> float:
        return backoff(failures, self.first, self.longest)


@dataclass(frozen=True)
class Command:
    """``leave``, ``reconfigure``, ``speak`` or ``chat``; ``body`` is the whole message."""

    id: str
    action: str
    body: dict[str, Any]

    def setting(self, name: str) -> str | None:
        """A text of the command, as the new language, task or bot_name where it changes them."""
        value = self.body.get(name)
        return value if isinstance(value, str) else None


@dataclass(frozen=True)
class Accepted:
    commands: list[Command]


@dataclass(frozen=True)
class Refused:
    """Repeating it would not help."""

    status: int


@dataclass(frozen=True)
class Over:
    """This launch is over: leave, and report nothing more."""


@dataclass(frozen=True)
class NoReply:
    """No answer within the patience."""


Reply = Accepted | Refused | Over | NoReply


class Callbacks:
    """Every call is idempotent and is repeated until it is answered; heartbeats are sent once,
    because the next one replaces a lost one."""

    def __init__(self, url: str, token: str, connection_id: str, patience: Patience):
        self._url = url.rstrip("/") + "/callback/"
        self._token = token
        self._connection_id = connection_id
        self._patience = patience

    async def started(self, meeting_id: int) -> Reply:
        return await self._send("POST", "started", {"meeting_id": meeting_id})

    async def awaiting_admission(self) -> Reply:
        return await self._send("POST", "awaiting_admission", {}, 10.0, over=OVER_IF_NEW)

    async def joined(self) -> Reply:
        return await self._send("POST", "joined", {})

    async def heartbeat(self, progress: dict[str, Any] | None) -> Reply:
        return await self._send("POST", "heartbeat", {"progress": progress} if progress else {}, 0)

    async def stopping(self, reason: str, at_most: float) -> Reply:
        facts = {"status": "stopping", "reason": reason}
        return await self._send("PATCH", "status", facts, at_most)

    async def exited(self, code: int, reason: str, at_most: float) -> Reply:
        return await self._send("POST", "exited", {"exit_code": code, "reason": reason}, at_most)

    async def ack(self, command_id: str, result: dict[str, Any]) -> Reply:
        return await self._send("POST", "ack", {"command_id": command_id, **result}, 0)

    async def transcript(self, segments: list[dict[str, Any]]) -> Reply:
        return await self._send("POST", "transcript", {"segments": segments}, 30.0)

    async def chat(self, messages: list[dict[str, Any]]) -> Reply:
        return await self._send("POST", "chat", {"messages": messages}, 30.0, over=OVER_IF_NEW)

    async def participants(self, report: dict[str, Any]) -> Reply:
        return await self._send("POST", "participants", report, 30.0)

    async def commands(self) -> Reply:
        """Answered when there are commands, or after a while."""
        reply = await self._once(
            "GET",
            f"commands?wait={COMMANDS_WAIT}",
            None,
            COMMANDS_WAIT + ANSWER_MAX,
            OVER_IF_NEW,
        )
        return reply or NoReply()

    async def speech(self, command_id: str) -> bytes | None:
        """The sound of a command, if the control plane still has it."""
        name = "speech/" + urllib.parse.quote(command_id, safe="")
        for failures in range(1, SPEECH_TRIES + 1):
            answer = await self._ask("GET", name, None, ANSWER_MAX)
            if answer is not None and answer[0] < 500:
                return answer[1] if answer[0] == 200 else None
            await asyncio.sleep(self._patience.pause(failures))
        return None

    async def _send(
        self,
        method: str,
        name: str,
        facts: dict[str, Any],
        horizon: float | None = None,
        over: tuple[int, ...] = OVER,
    ) -> Reply:
        body = encoded({**facts, "connection_id": self._connection_id})
        give_up = monotonic() + (self._patience.horizon if horizon is None else horizon)
        failures = 0
        while True:
            left = max(1.0, give_up - monotonic()) if horizon else ANSWER_MAX
            reply = await self._once(method, name, body, min(ANSWER_MAX, left), over)
            if reply is not None:
                return reply
            failures += 1
            pause = self._patience.pause(failures)
            if monotonic() + pause >= give_up:
                return NoReply()
            await asyncio.sleep(pause)

    async def _once(
        self, method: str, name: str, body: bytes | None, timeout: float, over: tuple[int, ...]
    ) -> Reply | None:
        """One attempt; None if another one makes sense."""
        answer = await self._ask(method, name, body, timeout)
        if answer is None:
            return None
        status, content = answer
        if status == 200:
            return _accepted(content)
        if status in over:
            return Over()
        if status in AGAIN:
            return None
        log.warning("callback %s was refused with %d", name, status)
        return Refused(status)

    async def _ask(
        self, method: str, name: str, body: bytes | None, timeout: float
    ) -> tuple[int, bytes] | None:
        """Status and whole content of one answer; None if there is none in time."""
        try:
            return await asyncio.wait_for(
                in_thread(lambda: self._exchange(method, name, body, timeout)), timeout
            )
        except (OSError, http.client.HTTPException) as lost:
            log.debug("callback %s got no answer: %s", name, lost)
            return None

    def _exchange(
        self, method: str, name: str, body: bytes | None, timeout: float
    ) -> tuple[int, bytes]:
        request = urllib.request.Request(self._url + name, data=body, method=method)
        request.add_header("Authorization", f"Bearer {self._token}")
        if body is not None:
            request.add_header("Content-Type", "application/json")
        try:
            with OPENER.open(request, timeout=timeout) as answer:
                return answer.status, read(answer, timeout, LONGEST_ANSWER)
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code, b""


def encoded(facts: dict[str, Any]) -> bytes:
    """JSON in UTF-8: escapes would make words in most scripts half as long again, or twice."""
    return json.dumps(facts, ensure_ascii=False).encode(errors="replace")


def _accepted(content: bytes) -> Accepted | None:
    """None for what is no answer of the control plane, such as the page of a proxy."""
    try:
        commands = json.loads(content)["commands"]
        return Accepted(
            [
                Command(one["id"], one["action"], one)
                for one in commands
                if isinstance(one, dict)
                and isinstance(one.get("id"), str)
                and isinstance(one.get("action"), str)
            ]
        )
    except (ValueError, KeyError, TypeError):
        log.debug("an answer cannot be read")
        return None


async def in_thread(work: Callable[[], T]) -> T:
    """Runs what blocks in a thread that does not keep the process from ending."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(set_it: Callable[[Any], None], value: Any) -> None:
        if not done.done():
            set_it(value)

    def run() -> None:
        try:
            result = work()
            outcome = (done.set_result, result)
        except BaseException as failure:
            outcome = (done.set_exception, failure)  # type: ignore[assignment]
        try:
            loop.call_soon_threadsafe(settle, *outcome)
        except RuntimeError:
            log.debug("the loop ended before the answer")

    threading.Thread(target=run, daemon=True).start()
    return await done
