"""The client of the REST API."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, List, NamedTuple, TypeVar, Unpack, cast

from . import types as t
from ._calls import pages
from ._http import Http, Request
from .events import Events
from .operations import Operations


class Convoke:
    """One server, under one credential.

    >>> convoke = Convoke("https://convoke.example.org", api_key="cvk_...")
    >>> meeting = convoke.bots.start(platform="daily", native_meeting_id="stand-up")

    Without arguments it takes ``CONVOKE_URL`` and ``CONVOKE_API_KEY``. ``token`` is a JWT, or the
    token of internal services. Lists are iterators that fetch page after page. What is used daily has
    a method in a group; ``api`` has every operation, and :func:`convoke.pages` reads its lists.
    Methods may be called from several threads.
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
        if shown := _credential("api_key", api_key):
            headers["X-API-Key"] = shown
        if shown := _credential("admin_key", admin_key):
            headers["X-Admin-API-Key"] = shown
        if shown := _credential("token", token):
            headers["Authorization"] = f"Bearer {shown}"
        self._http = Http(
            url or os.environ.get("CONVOKE_URL", "http://localhost:8080"),
            headers,
            timeout=timeout,
            retries=retries,
            patience=patience,
            sleep=sleep,
        )
        self.api = Operations(self._http)
        self.bots = Bots(self.api)
        self.meetings = Meetings(self.api)
        self.transcripts = Transcripts(self.api, self._http)
        self.recordings = Recordings(self.api)
        self.rooms = Rooms(self.api)
        self.webhooks = Webhooks(self.api)
        self.sync = Sync(self.api, self._http)
        self.tasks = Tasks(self.api)
        self.events = Events(self.api, self._http, sleep)

    def search(self, q: str) -> Iterator[t.SearchHit]:
        """What was said in all meetings with all words of ``q``, the best matches first."""
        return pages(self.api.search_transcripts, q=q)

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
        """A call that the API's document does not have: the JSON of its answer."""
        request = Request(method, path, query, body)
        answer = self._http.send(request, idempotent=idempotent, creates=creates)
        return answer.json() if answer.body else None


def _credential(name: str, given: str | None) -> str:
    """Without space around it. The message leaves out what is refused: logs would show it."""
    text = (given or "").strip()
    if not re.fullmatch("[ -~]*", text):
        raise ValueError(f"{name} has a character that is not printable ASCII")
    return text


class _Part:
    def __init__(self, api: Operations):
        self._api = api


B = TypeVar("B")


def _body(body: type[B], **fields: Any) -> B:
    """The fields that are given, as a body of this type."""
    return cast(B, {name: value for name, value in fields.items() if value is not None})


class Bots(_Part):
    """``client.bots``. A bot is named by its meeting, or by platform and native id."""

    def start(self, **bot: Unpack[t.StartBotBody]) -> t.Meeting:
        """Sends a bot into a meeting."""
        return self._api.start_bot(bot)

    def batch(self, bots: List[t.StartBotsBodyBotsItem]) -> List[t.BotBatchItem]:
        """Sends up to 50 bots, each with an answer of its own, in this order."""
        return self._api.start_bots({"bots": bots})["items"]

    def stop(
        self,
        meeting_id: int | None = None,
        *,
        platform: str | None = None,
        native_meeting_id: str | None = None,
        kill: bool | None = None,
    ) -> t.BotStatusReport:
        """Asks a bot to leave; one that has ended is unchanged."""
        return self._api.stop_bot(
            _body(
                t.StopBotBody,
                meeting_id=meeting_id,
                platform=platform,
                native_meeting_id=native_meeting_id,
                kill=kill,
            )
        )

    def configure(
        self,
        meeting_id: int,
        *,
        language: str | None = None,
        task: str | None = None,
        bot_name: str | None = None,
        automatic_leave: t.ConfigureBotBodyAutomaticLeave | None = None,
    ) -> t.BotStatusReport:
        """Changes a running bot."""
        return self._api.configure_bot(
            _body(
                t.ConfigureBotBody,
                meeting_id=meeting_id,
                language=language,
                task=task,
                bot_name=bot_name,
                automatic_leave=automatic_leave,
            )
        )

    def reschedule(self, meeting_id: int, start_at: str) -> t.BotStatusReport:
        """Moves the start of a bot that waits for it."""
        return self._api.reschedule_bot({"meeting_id": meeting_id, "start_at": start_at})

    def active(self) -> Iterator[t.Meeting]:
        """Live bots."""
        return pages(self._api.active_bots)

    def status(self, meeting_id: int) -> t.BotStatusReport:
        """One bot, with the owner and the deadline of its state."""
        return cast(Any, self._api.bot_statuses(meeting_id=meeting_id))

    def list(self, *, live: bool | None = None) -> Iterator[t.BotStatusReport]:
        """All bots, with ``live`` those that have not ended."""
        return pages(self._api.bot_statuses, live=live)


class Meetings(_Part):
    """``client.meetings``, and who is in them."""

    def track(
        self, platform: str, native_meeting_id: str, *, data: dict[str, Any] | None = None
    ) -> t.Meeting:
        """Tracks a meeting without a bot."""
        return self._api.track_meeting(
            _body(
                t.TrackMeetingBody,
                platform=platform,
                native_meeting_id=native_meeting_id,
                data=data,
            )
        )

    def list(
        self, *, status: str | None = None, platform: str | None = None
    ) -> Iterator[t.Meeting]:
        """Meetings, newest first."""
        return pages(
            self._api.list_meetings, status=cast(Any, status), platform=cast(Any, platform)
        )

    def get(self, meeting_id: int) -> t.Meeting:
        return self._api.get_meeting(meeting_id)

    def describe(self, meeting_id: int, data: dict[str, Any]) -> t.Meeting:
        """Replaces the free-form data of a meeting."""
        return self._api.describe_meeting(meeting_id, {"data": data})

    def participants(
        self, meeting_id: int, *, active: bool | None = None
    ) -> t.ParticipantsView:
        """Who is, and was, in the meeting."""
        return self._api.list_participants(meeting_id, active=active)

    def timeline(self, meeting_id: int) -> Iterator[t.MeetingHistoryEntry]:
        """The events of a meeting, oldest first."""
        return pages(self._api.meeting_timeline, meeting_id)

    def summary(self, meeting_id: int) -> t.SummaryView:
        return self._api.get_summary(meeting_id)


class Document(NamedTuple):
    """A transcript as text; ``next_cursor`` leads on if it has more than 20,000 segments."""

    text: str
    next_cursor: str | None


class Transcripts(_Part):
    """``client.transcripts``."""

    def __init__(self, api: Operations, http: Http):
        super().__init__(api)
        self._http = http

    def get(
        self, meeting_id: int, *, session_uid: str | None = None, words: bool | None = None
    ) -> t.TranscriptView:
        """The transcript, up to 20,000 segments."""
        return self._api.get_transcript(meeting_id, session_uid=session_uid, words=words)

    def segments(self, meeting_id: int) -> Iterator[t.Segment]:
        """All segments, page by page."""
        cursor: str | None = None
        while True:
            page = self._api.get_transcript(meeting_id, limit=2000, cursor=cursor)
            yield from page["segments"]
            cursor = page["next_cursor"]
            if not cursor:
                return

    def export(self, meeting_id: int, format: str, *, cursor: str | None = None) -> Document:
        """A document: ``vtt``, ``srt``, ``txt`` or ``md``."""
        query = {"format": format, "cursor": cursor}
        headers = {"Accept": "*/*"}
        answer = self._http.send(
            Request("GET", f"/transcripts/{int(meeting_id)}", query, headers=headers)
        )
        return Document(answer.text(), answer.headers.get("next-cursor"))

    def correct(
        self, meeting_id: int, segment_id: int, **changes: Unpack[t.CorrectSegmentBody]
    ) -> t.Segment:
        """Corrects ``text`` or ``speaker`` of a segment; ``speaker=None`` removes it."""
        return self._api.correct_segment(meeting_id, segment_id, changes)

    def rename_speaker(self, meeting_id: int, old: str, new: str) -> t.RenamedSpeaker:
        return self._api.rename_speaker(meeting_id, {"from": old, "to": new})


class Recordings(_Part):
    """``client.recordings``."""

    def list(
        self, *, status: str | None = None, meeting_id: int | None = None
    ) -> Iterator[t.RecordingView]:
        """Recordings, newest first, all or of one meeting."""
        if meeting_id is None:
            return pages(self._api.list_recordings, status=cast(Any, status))
        return pages(self._api.list_recordings_of_meeting, meeting_id, status=cast(Any, status))

    def get(self, recording_id: str) -> t.RecordingView:
        return self._api.get_recording(recording_id)

    def audio(self, recording_id: str) -> bytes:
        """The audio as downloaded from the platform."""
        return self._api.get_recording_audio(recording_id)

    def match(self, recording_id: str, meeting_id: int) -> t.RecordingView:
        """Assigns a recording to a meeting."""
        return self._api.match_recording(recording_id, {"meeting_id": meeting_id})

    def retry(self, recording_id: str, *, step: str | None = None) -> t.RecordingView:
        """Tries a failed recording again, from a step or from where it stopped."""
        return self._api.retry_recording(recording_id, _body(t.RetryRecordingBody, step=step))

    def delete(self, recording_id: str) -> None:
        """Deletes a recording with its audio and transcript."""
        self._api.delete_recording(recording_id)


class Rooms(_Part):
    """``client.rooms``: rooms that people join by a link, and who owns which room."""

    def create(
        self, name: str | None = None, *, expires_in: int | None = None
    ) -> t.CreateRoomAnswer:
        """Makes a room of platform ``janus``, with links for the browser."""
        return self._api.create_room(_body(t.CreateRoomBody, name=name, expires_in=expires_in))

    def list(self) -> Iterator[t.RoomClaim]:
        """Own rooms and those of one's teams; an admin sees all."""
        return pages(self._api.list_rooms)

    def track(self, platform: str, room: str, track: bool) -> t.RoomClaim:
        """Whether every visit to the room, or to the rooms of a prefix, is tracked."""
        return self._api.track_room(cast(Any, platform), room, {"track": track})

    def assign(self, platform: str, room: str, **owner: Unpack[t.AssignRoomBody]) -> t.RoomClaim:
        """Gives a room, or the rooms of a prefix, to a user or a team (admin)."""
        return self._api.assign_room(cast(Any, platform), room, owner)

    def release(self, platform: str, room: str) -> None:
        """Takes a room from its owner (admin)."""
        self._api.release_room(cast(Any, platform), room)


class Webhooks(_Part):
    """``client.webhooks``; :func:`convoke.verify_webhook` checks what arrives."""

    def create(self, url: str, *, types: List[str] | None = None) -> t.NewWebhookEndpoint:
        """Registers an address; the answer alone holds the secret."""
        return self._api.create_webhook_endpoint(
            _body(t.CreateWebhookEndpointBody, url=url, types=types)
        )

    def list(self) -> Iterator[t.WebhookEndpointView]:
        return pages(self._api.list_webhook_endpoints)

    def get(self, endpoint_id: int) -> t.WebhookEndpointView:
        return self._api.get_webhook_endpoint(endpoint_id)

    def delete(self, endpoint_id: int) -> None:
        """With everything that waits for it."""
        self._api.delete_webhook_endpoint(endpoint_id)

    def test(self, endpoint_id: int) -> t.WebhookEndpointView:
        """Sends a message of type ``webhook_endpoint.test``."""
        return self._api.test_webhook_endpoint(endpoint_id)

    def resume(self, endpoint_id: int) -> t.WebhookEndpointView:
        """Resumes a paused endpoint."""
        return self._api.resume_webhook_endpoint(endpoint_id)

    def deliveries(
        self, endpoint_id: int, *, state: str | None = None
    ) -> Iterator[t.WebhookDelivery]:
        """Deliveries, newest first."""
        return pages(self._api.list_webhook_deliveries, endpoint_id, state=cast(Any, state))

    def resend(self, endpoint_id: int, delivery_id: int) -> t.WebhookEndpointView:
        """Sends a delivered message again."""
        return self._api.resend_webhook_delivery(endpoint_id, delivery_id)


class Sync(_Part):
    """``client.sync``: whether meetings have reached the CRM."""

    def __init__(self, api: Operations, http: Http):
        super().__init__(api)
        self._http = http

    def get(self, meeting_id: int | str) -> t.SyncView:
        return cast(t.SyncView, self._api.get_sync_status(meeting_id=[str(meeting_id)]))

    def get_many(self, meeting_ids: list[int | str]) -> dict[str, t.SyncView]:
        """By meeting id; unknown ids are missing. Up to 100."""
        if len(meeting_ids) < 2:
            raise ValueError("get_many is for several meetings")
        answer = self._api.get_sync_status(meeting_id=[str(one) for one in meeting_ids])
        return {item["meeting_id"]: item for item in cast(t.SyncViews, answer)["items"]}

    def update(self, meeting_id: int | str, status: str, **fields: Any) -> t.SyncView:
        """Reports a job's status (internal services); ``step``, ``job_id``, ``attempt``, ...

        It is repeated on failure only if ``job_id`` says which update it is.
        """
        body = {"meeting_id": str(meeting_id), "status": status, **fields}
        request = Request("POST", "/sync-status", body=body)
        answer = self._http.send(request, idempotent="job_id" in fields)
        return cast(t.SyncView, answer.object())

    def retry(self, meeting_id: int | str) -> t.SyncView:
        """Tries a failed or stalled sync again."""
        return self._api.retry_sync(str(meeting_id))


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
    ) -> t.Task:
        """Submits a task; the same ``request_id`` again is the same task."""
        return self._api.create_task(
            _body(
                t.CreateTaskBody,
                id=id,
                request_id=request_id,
                type=type,
                action="start",
                channel=channel,
                region=region,
                payload=payload,
                unique=unique,
            )
        )

    def get(self, task_id: str) -> t.Task:
        return self._api.get_task(task_id)

    def list(
        self,
        *,
        state: str | None = None,
        region: str | None = None,
        channel: str | None = None,
        type: str | None = None,
    ) -> Iterator[t.Task]:
        """Tasks, newest first."""
        return pages(
            self._api.list_tasks,
            state=cast(Any, state),
            region=region,
            channel=channel,
            type=type,
        )

    def cancel(self, task_id: str) -> t.Task:
        """Stops a task: a waiting one ends, the pod of a running one is asked to end it."""
        return self._api.stop_task(task_id)

    def timeline(self, task_id: str) -> Iterator[t.TaskHistoryEntry]:
        """The transitions of a task, oldest first."""
        return pages(self._api.task_timeline, task_id)
