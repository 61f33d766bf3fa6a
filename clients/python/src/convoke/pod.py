"""Programs for tasks: a handler per task type, run by ``./convoke pod --exec``.

The pod claims tasks, keeps their leases, and starts this program for each attempt::

    def record(task: Task) -> None:
        while not task.wait_for_stop(1.0):
            ...

    run({"record": record})
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Retry", "Task", "TaskFailed", "run"]

TRY_AGAIN = 75


class TaskFailed(Exception):
    """The task has failed for good; the message, its first line, is the task's ``error``."""


class Retry(Exception):
    """This attempt has failed; the task is tried again after a pause, by any pod."""


@dataclass(frozen=True)
class Task:
    """One attempt at a task. ``payload`` has access tokens in plain text: never log it.

    Put ``attempt`` into the names of what you make: a task may run more than once.
    """

    id: str
    type: str
    channel: str
    attempt: int
    region: str | None
    worker_id: int
    payload: dict[str, Any] = field(repr=False)
    _stop: threading.Event = field(repr=False, compare=False, default_factory=threading.Event)

    @property
    def stopping(self) -> bool:
        """Whether the work should end: it was stopped, the lease is lost, or the pod ends."""
        return self._stop.is_set()

    def wait_for_stop(self, seconds: float | None = None) -> bool:
        """Waits so long at most; True if the work should end."""
        return self._stop.wait(seconds)


def run(handlers: Mapping[str, Callable[[Task], object]]) -> None:
    """Runs the task on standard input with the handler of its type, and ends the process.

    The handler runs in a thread of its own. One that returns has done its task, also after a stop.
    :class:`Retry` sends it back, every other exception is a failure.
    """
    stop = threading.Event()
    codes: list[int] = []
    # The main thread only takes the signal: were it to wait for the event too, setting it could
    # find the event's lock taken by the code that the signal interrupts.
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    work = threading.Thread(
        target=lambda: codes.append(_attempt(handlers, sys.stdin.readline(), stop)), daemon=True
    )
    work.start()
    work.join()
    sys.exit(codes[0] if codes else 1)


def _attempt(
    handlers: Mapping[str, Callable[[Task], object]], line: str, stop: threading.Event
) -> int:
    try:
        task = _parse(line, stop)
    except (ValueError, KeyError, TypeError):
        return _end(1, "standard input holds no task")
    handler = handlers.get(task.type)
    if handler is None:
        return _end(1, f"no handler for tasks of type {task.type}")
    try:
        handler(task)
        return 0
    except Retry as again:
        return _end(TRY_AGAIN, str(again) or "tried again")
    except TaskFailed as failed:
        return _end(1, str(failed) or "failed")
    except BaseException as failure:  # also SystemExit, of which a thread says nothing
        traceback.print_exc()
        return _end(1, f"{type(failure).__name__}: {failure}")


def _parse(line: str, stop: threading.Event) -> Task:
    tree = json.loads(line)
    payload = tree["payload"]
    if not isinstance(payload, dict):
        raise TypeError("payload")
    return Task(
        id=str(tree["id"]),
        type=str(tree["type"]),
        channel=str(tree["channel"]),
        attempt=int(tree["attempt"]),
        region=tree.get("region"),
        worker_id=int(os.environ.get("CONVOKE_WORKER_ID", "0")),
        payload=payload,
        _stop=stop,
    )


def _end(code: int, reason: str) -> int:
    """The last line of standard error is the reason."""
    lines = reason.strip().splitlines() or ["failed"]
    print(lines[0], file=sys.stderr, flush=True)
    return code
