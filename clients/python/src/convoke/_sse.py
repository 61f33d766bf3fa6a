"""Server-sent events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Message(NamedTuple):
    """One event of a stream; ``id`` is the last one that the stream named."""

    id: str
    event: str
    data: str


def messages(lines: Iterable[bytes]) -> Iterator[Message]:
    """The complete events of a stream; what the end of the stream cuts off is left out."""
    last, event = "", ""
    data: list[str] = []
    for raw in lines:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if not line:
            if data:
                yield Message(last, event or "message", "\n".join(data))
            event, data = "", []
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "id":
            last = value
        elif field == "event":
            event = value
        elif field == "data":
            data.append(value)
