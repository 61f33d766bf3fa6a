"""The client of the REST API."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, List, NamedTuple, Unpack, cast

from ._http import Http, segment
from .errors import ConvokeError
from .events import Events
from .models import (
    BatchItem,
    BotRequest,
    BotStatus,
    JoinableRoom,
    Meeting,
    NewWebhookEndpoint,
    Participants,
    Recording,
    RoomClaim,
    SearchHit,
    Segment,
    SyncStatus,
    Task,
    Transcript,
    WebhookDelivery,
    WebhookEndpoint,
)


class Convoke:
    """One server, under one credential.

    >>> convoke = Convoke("https://convoke.example.org", api_key="cvk_...")
    >>> meeting = convoke.bots.start(platform="daily", native_meeting_id="stand-up")

    Without arguments it takes ``CONVOKE_URL`` and ``CONVOKE_API_KEY``. ``token`` is a JWT, or the
    token of internal services. Lists are iterators that fetch page after page. Methods may be
    called from several threads.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        api_key: str | None = None,
        admin_key: str | None = None,
        token: str | None = None,
        timeout: float = 30.0,
        retries: int = 4,
        patience: float = 20.0,
        sleep: Callable[[float], object] | None = None,
    ):
        headers = {}
        if api_key is None and admin_key is None and token is None:
            api_key = os.environ.get("CONVOKE_API_KEY")
        if api_key:
            headers["X-API-Key"] = api_key
        if admin_key:
            headers["X-Admin-API-Key"] = admin_key
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._http = Http(
            url or os.environ.get("CONVOKE_URL", "http://localhost:8080"),
            headers,
            timeout=timeout,
            retries=retries,
            patience=patience,
            sleep=sleep,
        )
        self.bots = Bots(self._http)
        self.meetings = Meetings(self._http)
        self.transcripts = Transcripts(self._http)
        self.recordings = Recordings(self._http)
        self.rooms = Rooms(self._http)
        self.webhooks = Webhooks(self._http)
        self.sync = Sync(self._http)
        self.tasks = Tasks(self._http)
        self.events = Events(self._http, sleep)

    def search(self, q: str) -> Iterator[SearchHit]:
        """What was said in all meetings with all words of ``q``, the best matches first."""
        return _pages(self._http, "/search", {"q": q})

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        idempotent: bool | None = None,
        creates: bool = False,
    ) -> Any:
        """Any other call: the JSON of its answer. ``creates`` adds an ``Idempotency-Key``."""
        answer = self._http.send(
            method, path, query=query, body=body, idempotent=idempotent, creates=creates
        )
        return answer.json() if answer.body else None


class _Part:
    def __init__(self, http: Http):
        self._http = http


def _pages(http: Http, path: str, query: Mapping[str, Any]) -> Iterator[Any]:
    asked = {**query, "limit": 200}
    while True:
        page = http.send("GET", path, query=asked).object()
        yield from page["items"]
        cursor = page.get("next_cursor")
        if not cursor:
            return
        if cursor == asked.get("cursor"):
            raise ConvokeError("The server's pages do not end")
        asked["cursor"] = cursor


def _set(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


class Bots(_Part):
    """``client.bots``. A bot is named by its meeting, or by platform and native id."""

    def start(self, **bot: Unpack[BotRequest]) -> Meeting:
        """Sends a bot into a meeting."""
        return cast(
            Meeting, self._http.send("POST", "/bots/start", body=bot, creates=True).object()
        )

    def batch(self, bots: List[BotRequest]) -> List[BatchItem]:
        """Sends up to 50 bots, each with an answer of its own, in this order."""
        answer = self._http.send("POST", "/bots/batch", body={"bots": bots}, creates=True)
        return cast(List[BatchItem], answer.object()["items"])

    def stop(
        self,
        meeting_id: int | None = None,
        *,
        platform: str | None = None,
        native_meeting_id: str | None = None,
        kill: bool | None = None,
    ) -> BotStatus:
        """Asks a bot to leave; one that has ended is unchanged."""
        body = _set(
            meeting_id=meeting_id, platform=platform, native_meeting_id=native_meeting_id, kill=kill
        )
        answer = self._http.send("POST", "/bots/stop", body=body, idempotent=True)
        return cast(BotStatus, answer.object())

    def configure(self, meeting_id: int, **settings: Unpack[BotRequest]) -> BotStatus:
        """Changes ``language``, ``task``, ``bot_name`` or ``automatic_leave`` of a running bot."""
        body = {"meeting_id": meeting_id, **settings}
        return cast(BotStatus, self._http.send("PUT", "/bots/config", body=body).object())

    def reschedule(self, meeting_id: int, start_at: str) -> BotStatus:
        """Moves the start of a bot that waits for it."""
        body = {"meeting_id": meeting_id, "start_at": start_at}
        answer = self._http.send("PUT", "/bots/schedule", body=body, idempotent=True)
        return cast(BotStatus, answer.object())

    def active(self) -> Iterator[Meeting]:
        """Live bots."""
        return _pages(self._http, "/bots/active", {})

    def status(self, meeting_id: int) -> BotStatus:
        """One bot, with the owner and the deadline of its state."""
        answer = self._http.send("GET", "/bots/status", query={"meeting_id": meeting_id})
        return cast(BotStatus, answer.object())

    def list(self, *, live: bool | None = None) -> Iterator[BotStatus]:
        """All bots, with ``live`` those that have not ended."""
        return _pages(self._http, "/bots/status", {"live": live})


class Meetings(_Part):
    """``client.meetings``, and who is in them."""

    def track(self, platform: str, native_meeting_id: str, *, data: Any = None) -> Meeting:
        """Tracks a meeting without a bot."""
        body = _set(platform=platform, native_meeting_id=native_meeting_id, data=data)
        return cast(Meeting, self._http.send("POST", "/meetings", body=body, creates=True).object())

    def list(self, *, status: str | None = None, platform: str | None = None) -> Iterator[Meeting]:
        """Meetings, newest first."""
        return _pages(self._http, "/meetings", {"status": status, "platform": platform})

    def get(self, meeting_id: int) -> Meeting:
        return cast(Meeting, self._http.send("GET", f"/meetings/{segment(meeting_id)}").object())

    def describe(self, meeting_id: int, data: dict[str, Any]) -> Meeting:
        """Replaces the free-form data of a meeting."""
        path = f"/meetings/{segment(meeting_id)}"
        return cast(Meeting, self._http.send("PATCH", path, body={"data": data}).object())

    def participants(self, meeting_id: int, *, active: bool | None = None) -> Participants:
        """Who is, and was, in the meeting."""
        path = f"/meetings/{segment(meeting_id)}/participants"
        return cast(Participants, self._http.send("GET", path, query={"active": active}).object())

    def timeline(self, meeting_id: int) -> Iterator[dict[str, Any]]:
        """The events of a meeting, oldest first."""
        return _pages(self._http, f"/meetings/{segment(meeting_id)}/timeline", {})

    def summary(self, meeting_id: int) -> dict[str, Any]:
        return self._http.send("GET", f"/meetings/{segment(meeting_id)}/summary").object()


class Document(NamedTuple):
    """A transcript as text; ``next_cursor`` leads on if it has more than 20,000 segments."""

    text: str
    next_cursor: str | None


class Transcripts(_Part):
    """``client.transcripts``."""

    def get(
        self, meeting_id: int, *, session_uid: str | None = None, words: bool | None = None
    ) -> Transcript:
        """The transcript, up to 20,000 segments."""
        query = {"session_uid": session_uid, "words": words}
        path = f"/transcripts/{segment(meeting_id)}"
        return cast(Transcript, self._http.send("GET", path, query=query).object())

    def segments(self, meeting_id: int) -> Iterator[Segment]:
        """All segments, page by page."""
        query: dict[str, Any] = {"limit": 2000}
        while True:
            path = f"/transcripts/{segment(meeting_id)}"
            page = self._http.send("GET", path, query=query).object()
            yield from page["segments"]
            if not page.get("next_cursor"):
                return
            query["cursor"] = page["next_cursor"]

    def export(self, meeting_id: int, format: str, *, cursor: str | None = None) -> Document:
        """A document: ``vtt``, ``srt``, ``txt`` or ``md``."""
        answer = self._http.send(
            "GET",
            f"/transcripts/{segment(meeting_id)}",
            query={"format": format, "cursor": cursor},
            headers={"Accept": "*/*"},
        )
        return Document(answer.text(), answer.headers.get("next-cursor"))

    def correct(self, meeting_id: int, segment_id: int, **changes: str | None) -> Segment:
        """Corrects ``text`` or ``speaker`` of a segment; ``speaker=None`` removes it."""
        path = f"/transcripts/{segment(meeting_id)}/segments/{segment(segment_id)}"
        return cast(Segment, self._http.send("PATCH", path, body=changes).object())

    def rename_speaker(self, meeting_id: int, old: str, new: str) -> dict[str, Any]:
        path = f"/transcripts/{segment(meeting_id)}/speakers"
        return self._http.send("PATCH", path, body={"from": old, "to": new}).object()


class Recordings(_Part):
    """``client.recordings``."""

    def list(
        self, *, status: str | None = None, meeting_id: int | None = None
    ) -> Iterator[Recording]:
        """Recordings, newest first, all or of one meeting."""
        of = f"/meetings/{segment(meeting_id)}" if meeting_id is not None else ""
        return _pages(self._http, f"{of}/recordings", {"status": status})

    def get(self, recording_id: str) -> Recording:
        path = f"/recordings/{segment(recording_id)}"
        return cast(Recording, self._http.send("GET", path).object())

    def audio(self, recording_id: str) -> bytes:
        """The audio as downloaded from the platform."""
        path = f"/recordings/{segment(recording_id)}/audio"
        return self._http.send("GET", path, headers={"Accept": "*/*"}).body

    def match(self, recording_id: str, meeting_id: int) -> Recording:
        """Assigns a recording to a meeting."""
        path = f"/recordings/{segment(recording_id)}/match"
        return cast(
            Recording, self._http.send("POST", path, body={"meeting_id": meeting_id}).object()
        )

    def retry(self, recording_id: str, *, step: str | None = None) -> Recording:
        """Tries a failed recording again, from a step or from where it stopped."""
        path = f"/recordings/{segment(recording_id)}/retry"
        return cast(Recording, self._http.send("POST", path, body=_set(step=step)).object())

    def delete(self, recording_id: str) -> None:
        """Deletes a recording with its audio and transcript."""
        self._http.send("DELETE", f"/recordings/{segment(recording_id)}")


class Rooms(_Part):
    """``client.rooms``: rooms that people join by a link, and who owns which room."""

    def create(self, name: str | None = None, *, expires_in: int | None = None) -> JoinableRoom:
        """Makes a room of platform ``janus``, with links for the browser."""
        body = _set(name=name, expires_in=expires_in)
        return cast(
            JoinableRoom, self._http.send("POST", "/rooms", body=body, creates=True).object()
        )

    def list(self) -> Iterator[RoomClaim]:
        """Own rooms and those of one's teams; an admin sees all."""
        return _pages(self._http, "/rooms", {})

    def track(self, platform: str, room: str, track: bool) -> RoomClaim:
        """Whether every visit to the room, or to the rooms of a prefix, is tracked."""
        path = f"/rooms/{segment(platform)}/{segment(room)}"
        answer = self._http.send("PATCH", path, body={"track": track}, idempotent=True)
        return cast(RoomClaim, answer.object())

    def assign(self, platform: str, room: str, *, user_id: int) -> RoomClaim:
        """Gives a room, or the rooms of a prefix, to a user (admin)."""
        path = f"/rooms/{segment(platform)}/{segment(room)}"
        answer = self._http.send("PUT", path, body={"user_id": user_id}, idempotent=True)
        return cast(RoomClaim, answer.object())

    def release(self, platform: str, room: str) -> None:
        """Takes a room from its owner (admin)."""
        self._http.send("DELETE", f"/rooms/{segment(platform)}/{segment(room)}")


class Webhooks(_Part):
    """``client.webhooks``; :func:`convoke.verify_webhook` checks what arrives."""

    def create(self, url: str, *, types: List[str] | None = None) -> NewWebhookEndpoint:
        """Registers an address; the answer alone holds the secret."""
        body = _set(url=url, types=types)
        answer = self._http.send("POST", "/webhook-endpoints", body=body, creates=True)
        return cast(NewWebhookEndpoint, answer.object())

    def list(self) -> Iterator[WebhookEndpoint]:
        return _pages(self._http, "/webhook-endpoints", {})

    def get(self, endpoint_id: int) -> WebhookEndpoint:
        path = f"/webhook-endpoints/{segment(endpoint_id)}"
        return cast(WebhookEndpoint, self._http.send("GET", path).object())

    def delete(self, endpoint_id: int) -> None:
        """With everything that waits for it."""
        self._http.send("DELETE", f"/webhook-endpoints/{segment(endpoint_id)}")

    def test(self, endpoint_id: int) -> WebhookEndpoint:
        """Sends a message of type ``webhook_endpoint.test``."""
        path = f"/webhook-endpoints/{segment(endpoint_id)}/test"
        return cast(WebhookEndpoint, self._http.send("POST", path).object())

    def resume(self, endpoint_id: int) -> WebhookEndpoint:
        """Resumes a paused endpoint."""
        path = f"/webhook-endpoints/{segment(endpoint_id)}/resume"
        return cast(WebhookEndpoint, self._http.send("POST", path).object())

    def deliveries(
        self, endpoint_id: int, *, state: str | None = None
    ) -> Iterator[WebhookDelivery]:
        """Deliveries, newest first."""
        path = f"/webhook-endpoints/{segment(endpoint_id)}/deliveries"
        return _pages(self._http, path, {"state": state})

    def resend(self, endpoint_id: int, delivery_id: int) -> WebhookEndpoint:
        """Sends a delivered message again."""
        path = f"/webhook-endpoints/{segment(endpoint_id)}/deliveries/{segment(delivery_id)}/resend"
        return cast(WebhookEndpoint, self._http.send("POST", path).object())


class Sync(_Part):
    """``client.sync``: whether meetings have reached the CRM."""

    def get(self, meeting_id: int | str) -> SyncStatus:
        answer = self._http.send("GET", "/sync-status", query={"meeting_id": meeting_id})
        return cast(SyncStatus, answer.object())

    def get_many(self, meeting_ids: list[int | str]) -> dict[str, SyncStatus]:
        """By meeting id; unknown ids are missing. Up to 100."""
        if len(meeting_ids) < 2:
            raise ValueError("get_many is for several meetings")
        answer = self._http.send("GET", "/sync-status", query={"meeting_id": meeting_ids})
        return {item["meeting_id"]: item for item in answer.object()["items"]}

    def update(self, meeting_id: int | str, status: str, **fields: Any) -> SyncStatus:
        """Reports a job's status (internal services); ``step``, ``job_id``, ``attempt``, ...

        It is repeated on failure only if ``job_id`` says which update it is.
        """
        body = {"meeting_id": str(meeting_id), "status": status, **fields}
        answer = self._http.send("POST", "/sync-status", body=body, idempotent="job_id" in fields)
        return cast(SyncStatus, answer.object())

    def retry(self, meeting_id: int | str) -> SyncStatus:
        """Tries a failed or stalled sync again."""
        path = f"/sync-status/{segment(meeting_id)}/retry"
        return cast(SyncStatus, self._http.send("POST", path).object())


class Tasks(_Part):
    """``client.tasks``: work for pods in regions."""

    def submit(
        self,
        type: str,
        channel: str,
        payload: dict[str, Any],
        *,
        request_id: str,
        region: str | None = None,
        id: str | None = None,
        unique: str | None = None,
    ) -> Task:
        """Submits a task; the same ``request_id`` again is the same task."""
        body = _set(
            id=id,
            request_id=request_id,
            type=type,
            action="start",
            channel=channel,
            region=region,
            payload=payload,
            unique=unique,
        )
        return cast(Task, self._http.send("POST", "/tasks", body=body, creates=True).object())

    def get(self, task_id: str) -> Task:
        return cast(Task, self._http.send("GET", f"/tasks/{segment(task_id)}").object())

    def list(
        self,
        *,
        state: str | None = None,
        region: str | None = None,
        channel: str | None = None,
        type: str | None = None,
    ) -> Iterator[Task]:
        """Tasks, newest first."""
        query = {"state": state, "region": region, "channel": channel, "type": type}
        return _pages(self._http, "/tasks", query)

    def cancel(self, task_id: str) -> Task:
        """Stops a task: a waiting one ends, the pod of a running one is asked to end it."""
        path = f"/tasks/{segment(task_id)}/stop"
        return cast(Task, self._http.send("POST", path, idempotent=True).object())

    def timeline(self, task_id: str) -> Iterator[dict[str, Any]]:
        """The transitions of a task, oldest first."""
        return _pages(self._http, f"/tasks/{segment(task_id)}/timeline", {})
