"""Carries out operations of the API."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, ParamSpec, TypeVar, cast

from ._http import Answer, Http, Request, fill
from .errors import ConvokeError, InvalidAnswer
from .types import Page

P = ParamSpec("P")
T = TypeVar("T")
Repetition = Literal["repeatable", "with_key", "once"]
Kind = Literal["json", "any", "text", "bytes", "address", "nothing"]


class Caller:
    """What the generated operations are made of."""

    def __init__(self, http: Http):
        self._http = http

    def _call(
        self,
        method: str,
        template: str,
        repetition: Repetition,
        kind: Kind,
        *,
        path: Mapping[str, object] = {},
        query: Mapping[str, Any] | None = None,
        header: Mapping[str, str | None] = {},
        body: Any = None,
        content_type: str | None = None,
        key: str | None = None,
    ) -> Any:
        more = {**header, "Content-Type": content_type, "Idempotency-Key": key}
        headers = {name: value for name, value in more.items() if value is not None}
        request = Request(method, fill(template, path), query, body, headers, kind == "address")
        return _content(
            self._http.send(
                request, idempotent=repetition == "repeatable", creates=repetition == "with_key"
            ),
            kind,
        )


def _content(answer: Answer, kind: Kind) -> Any:
    match kind:
        case "json":
            return answer.object()
        case "any":
            return answer.json() if answer.body else None
        case "text":
            return answer.text()
        case "bytes":
            return answer.body
        case "address":
            if "location" not in answer.headers:
                raise InvalidAnswer(f"The answer ({answer.status}) leads nowhere")
            return answer.headers["location"]
        case "nothing":
            return None


def pages(call: Callable[P, Page[T]], *args: P.args, **query: P.kwargs) -> Iterator[T]:
    """The entries of a list, which is fetched page by page.

    >>> for task in pages(convoke.api.list_tasks, state="FAILED"):
    ...     print(task["id"])
    """
    asked: dict[str, Any] = {"limit": 200, **query}
    while True:
        page = cast(Any, call)(*args, **asked)
        yield from page["items"]
        cursor = page.get("next_cursor")
        if not cursor:
            return
        if cursor == asked.get("cursor"):
            raise ConvokeError("The server's pages do not end")
        asked["cursor"] = cursor
