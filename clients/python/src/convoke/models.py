"""The objects of the API, as its JSON has them. Times are RFC 3339 texts in UTC.

They are dictionaries with types, so members that a newer server adds are there too.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

Platform = Literal["daily", "janus", "google_meet", "zoom", "teams"]
MeetingStatus = Literal["reserved", "starting", "active", "stopping", "completed", "failed"]
TaskState = Literal["PENDING", "PROCESSING", "SUCCESS", "FAILED", "TIMEOUT"]


class Meeting(TypedDict):
    id: int
    user_id: int
    platform: str
    platform_specific_id: str
    status: str
    substatus: str | None
    bot_container_id: str | None
    start_time: str | None
    end_time: str | None
    num_clients: int
    tracked: bool
    data: dict[str, Any]
    created_at: str
    updated_at: str


class Participant(TypedDict):
    session_id: str
    user_id: str | None
    user_name: str | None
    joined_at: str
    left_at: str | None


class Participants(TypedDict):
    """Who is, and was, in a meeting; ``as_of`` is the time of the last confirmation."""

    meeting_id: int
    num_clients: int
    as_of: str | None
    source: str | None
    poll_state: str
    items: list[Participant]


class SpokenWord(TypedDict):
    text: str
    start: float
    end: float
    confidence: float | None


class Segment(TypedDict):
    """Start and end are seconds of the session."""

    id: int
    start: float
    end: float
    text: str
    speaker: str | None
    language: str | None
    session_uid: str | None
    created_at: str
    said_at: str | None
    completed: bool
    confidence: float | None
    words: list[SpokenWord] | None


class Transcript(TypedDict):
    """``partial``: more segments may follow."""

    meeting_id: int
    segments: list[Segment]
    partial: bool
    next_cursor: str | None


class SearchHit(TypedDict):
    """``highlight`` is HTML: escaped, with what was found in ``<mark>``."""

    meeting_id: int
    segment_id: int
    start: float
    speaker: str | None
    text: str
    highlight: str


class AutomaticLeave(TypedDict, total=False):
    """Rules by which a bot leaves, in seconds."""

    waiting_room_timeout: float
    no_one_joined_timeout: float
    everyone_left_timeout: float
    silence_timeout: float
    max_lifetime: float


class BotRequest(TypedDict, total=False):
    """What to start; ``platform`` and one of ``native_meeting_id`` and ``meeting_url``."""

    platform: Platform
    native_meeting_id: str
    meeting_url: str
    bot_name: str
    language: str
    task: str
    passcode: str
    start_at: str
    queue: bool
    queue_timeout: float
    automatic_leave: AutomaticLeave
    data: dict[str, Any]


class BatchItem(TypedDict):
    """The answer to one bot of a batch: a meeting, or a problem."""

    status: int
    meeting: Meeting | None
    problem: dict[str, Any] | None


class WaitingCommand(TypedDict):
    id: str
    action: str


class BotStatus(TypedDict):
    meeting_id: int
    status: str
    state_entered_at: str
    deadline: str | None
    owner: str | None
    session_uid: str
    attempt: int
    desired: str
    start_at: str | None
    last_heartbeat: str | None
    pending_commands: list[WaitingCommand]
    substatus: str | None
    lobby_since: str | None
    queue: dict[str, Any] | None
    life_ends_at: str | None
    progress: dict[str, Any] | None
    end_request: dict[str, Any] | None
    last_change: dict[str, Any] | None


class RecordingStep(TypedDict):
    name: str
    state: str
    attempts: int
    progress: float
    started_at: str | None
    ended_at: str | None
    error: str | None
    detail: str | None


class Recording(TypedDict):
    recording_id: str
    meeting_id: int | None
    status: str
    reason: str | None
    steps: list[RecordingStep]
    run: int
    room_name: str
    kind: str
    found_by: str
    owner: str | None
    deadline: str | None
    candidates: list[int]
    start_time: str | None
    duration_s: int | None
    audio: dict[str, Any] | None
    workflow_id: str | None
    state_entered_at: str
    created_at: str
    updated_at: str


class RoomClaim(TypedDict):
    """``user_id`` is None for a room of a team."""

    platform: str
    room: str
    user_id: int | None
    team_id: NotRequired[int]
    claimed_at: str
    track: NotRequired[bool]


class RoomLinks(TypedDict):
    """The host may also remove others."""

    host: str
    guest: str


class JoinableRoom(TypedDict):
    platform: str
    room: str
    expires_at: str
    links: RoomLinks


class WebhookEndpoint(TypedDict):
    id: int
    user_id: int | None
    url: str
    types: list[str]
    state: str
    reason: str | None
    created_at: str


class NewWebhookEndpoint(WebhookEndpoint):
    """``secret`` is shown once."""

    secret: str


class WebhookDelivery(TypedDict):
    id: int
    message_id: str
    type: str
    subject: str
    state: str
    attempts: int
    created_at: str
    last_tried_at: str | None
    next_try_at: str | None
    last_status: int | None
    last_error: str | None
    delivered_at: str | None


class SyncStep(TypedDict):
    step: str
    status: str
    updated_at: str
    attempt: int
    job_id: str | None
    error_message: str | None


class SyncStatus(TypedDict):
    """``stale``: from the cache, while the database is out of reach."""

    meeting_id: str
    status: str
    updated_at: str | None
    last_step: str | None
    attempts: int
    sync_attempt_count: int
    last_synced_by: str | None
    job_id: str | None
    error_message: str | None
    steps: list[SyncStep]
    stalled: bool
    version: int
    attempt: int
    stale: bool


class Task(TypedDict):
    id: str
    type: str
    action: str
    channel: str
    request_id: str
    payload: dict[str, Any]
    state: TaskState
    created_at: str
    pending_at: str
    processed_at: str | None
    completed_at: str | None
    error: str
    worker_id: int | None
    lease_expiry: str | None
    retry_count: int
    region: str | None
    pod_id: str | None
    attempt: int


class Event(TypedDict):
    """An entry of the journal; ``seq`` grows."""

    seq: int
    type: str
    subject: str
    at: str
    data: dict[str, Any]
