# Generated: ./convoke test -Dapi.write=true --only GeneratedClientsTest
# The sha256 of docs/reference/openapi.json was ed40b49ffb30df6f3eeb99ca7e9a1d0bc396db84fea69c2a03f4530ab2d29fea.
"""The objects of the API, as its OpenAPI document has them. Times are RFC 3339 texts in UTC.

They are dictionaries with types, so members that a newer server adds are there too.
"""

from __future__ import annotations

from typing import Any, Generic, Literal, NotRequired, TypedDict, TypeVar

T = TypeVar("T")


class Page(TypedDict, Generic[T]):
    """A part of a list; ``next_cursor`` leads on."""

    items: list[T]
    next_cursor: str | None


class ApiToken(TypedDict):
    id: int
    name: str | None
    scopes: list[Literal["read", "meetings", "bots", "tasks", "webhooks", "viewer", "operator", "admin"]]
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    revoked_at: str | None


class AudioView(TypedDict):
    size: int
    sha256: str


class AuditEntryView(TypedDict):
    at: str
    action: str
    actor: str
    key_id: int | None
    address: str
    target: str
    before: Any
    after: Any


class BotAwaitsAdmission(TypedDict):
    meeting_id: int
    user_id: int
    attempt: int


class BotBatchItem(TypedDict):
    status: int
    meeting: Meeting | None
    problem: dict[str, Any] | None


class BotBatchReply(TypedDict):
    items: list[BotBatchItem]


class BotCommand(TypedDict):
    meeting_id: int
    command_id: str
    action: str
    actor: str
    attempt: int
    rule: NotRequired[str | None]
    applied: NotRequired[list[str] | None]
    not_applied: NotRequired[list[dict[str, Any]] | None]


class BotCommandGiven(TypedDict):
    meeting_id: int
    command_id: str


class BotEndRequest(TypedDict):
    at: str
    reason: str


class BotKillWanted(TypedDict):
    meeting_id: int
    actor: str
    attempt: int


class BotLog(TypedDict):
    meeting_id: int
    attempt: int
    exit_code: int | None
    reason: str | None
    lines: Any


class BotNoProgress(TypedDict):
    meeting_id: int
    user_id: int
    attempt: int
    since: NotRequired[str | None]
    progress: NotRequired[Any]


BotRescheduled = TypedDict(
    "BotRescheduled",
    {
        "meeting_id": "int",
        "from": "str | None",
        "to": "str",
        "actor": "str",
    },
)


class BotSettingsReport(TypedDict):
    command_id: str
    sent_at: str
    settings: dict[str, str]
    acknowledged_at: str | None
    applied: list[str] | None
    not_applied: list[SettingNotApplied] | None


class BotStatusList(TypedDict):
    items: list[BotStatusReport]
    next_cursor: str | None
    rules: list[DeadlineRuleView]


class BotStatusReport(TypedDict):
    meeting_id: int
    status: Literal["reserved", "starting", "active", "stopping", "completed", "failed"]
    state_entered_at: str
    deadline: str | None
    owner: str | None
    session_uid: str
    attempt: int
    desired: str
    start_at: str | None
    last_heartbeat: str | None
    pending_commands: list[WaitingCommand]
    substatus: Literal["queued", "awaiting_admission"] | None
    lobby_since: str | None
    queue: QueuePlace | None
    life_ends_at: str | None
    progress: ReportedProgress | None
    end_request: BotEndRequest | None
    last_change: BotSettingsReport | None


class BotUploadAnswer(TypedDict):
    recording_id: str
    status: str


class CallbackAnswerCommandsItem(TypedDict):
    id: str
    action: Literal["leave", "reconfigure", "speak", "chat"]


class CallbackAnswer(TypedDict):
    meeting_id: int
    status: str
    commands: list[CallbackAnswerCommandsItem]


class ChatMessage(TypedDict):
    id: int
    sender: str | None
    text: str
    at: str
    from_bot: bool


class ChatMessageStored(TypedDict):
    meeting_id: int
    session_uid: str
    id: int
    sender: str | None
    text: str
    at: str
    from_bot: bool


class Component(TypedDict):
    name: str
    status: Literal["ok", "degraded", "down"]
    detail: str


class CrmConnection(TypedDict):
    available: bool
    connected: bool
    account_id: NotRequired[str | None]
    scopes: NotRequired[str | None]
    connected_at: NotRequired[str | None]
    failure: NotRequired[str | None]


class DeadLetterResult(TypedDict):
    id: str
    outcome: Literal["would_requeue", "requeued", "would_discard", "discarded", "already", "not_dead", "unknown", "channel_busy", "queue_full", "payload_too_large", "refused"]
    task_id: str | None


class DeadLetterResults(TypedDict):
    dry_run: bool
    items: list[DeadLetterResult]
    more: bool


class DeadLetterRow(TypedDict):
    id: int
    source: str
    reason: str
    room: str | None
    count: int
    first_at: str
    last_at: str
    body: str


DeadlineRuleView = TypedDict(
    "DeadlineRuleView",
    {
        "status": "str",
        "owner": "str",
        "from": "str",
        "timeout_ms": "int",
        "overdue": "str",
    },
)


class DispatchConfigView(TypedDict):
    task_timeout_ms: int
    lease_ms: int
    max_attempts: int


class EgressFile(TypedDict):
    name: str
    media_type: str
    size: int
    stored_at: str


class EgressView(TypedDict):
    task_id: str
    kind: str
    room: str
    state: str
    created_at: str
    ended_at: str | None
    bytes: int | None
    deleted_at: str | None


class EventPage(TypedDict):
    items: list[EventView]
    next_cursor: str | None
    next_after: int


class EventSegment(TypedDict):
    id: int
    start: float
    end: float
    text: str
    speaker: NotRequired[str | None]
    language: NotRequired[str | None]
    session_uid: NotRequired[str | None]
    created_at: str
    said_at: NotRequired[str | None]
    completed: bool
    confidence: NotRequired[float | None]
    words: NotRequired[list[dict[str, Any]] | None]
    level_db: NotRequired[float | None]


class EventView(TypedDict):
    seq: int
    type: str
    subject: str
    at: str
    data: Any


class ExecutionView(TypedDict):
    execution_id: int
    status: str
    started_at: str
    completed_at: str | None


class FieldError(TypedDict):
    field: str
    message: str


class HistoryEventView(TypedDict):
    execution_id: int
    event_id: int
    type: str
    data: Any


class Invariant(TypedDict):
    name: str
    claim: str
    standing: Literal["holds", "settling", "violated"]
    checked: int
    allowed_ms: int
    since: str | None
    late_ms: int
    differing: int
    examples: list[str]


class InvariantReport(TypedDict):
    at: str
    invariants: list[Invariant]


class IssuedApiToken(TypedDict):
    id: int
    token: str
    scopes: list[Literal["read", "meetings", "bots", "tasks", "webhooks", "viewer", "operator", "admin"]]
    expires_at: str | None


class Meeting(TypedDict):
    id: int
    user_id: int
    platform: str
    platform_specific_id: str
    status: Literal["reserved", "starting", "active", "stopping", "completed", "failed"]
    substatus: Literal["queued", "awaiting_admission"] | None
    bot_container_id: str | None
    start_time: str | None
    end_time: str | None
    num_clients: int
    tracked: bool
    data: Any
    created_at: str
    updated_at: str


class MeetingHistoryEntry(TypedDict):
    seq: int
    type: str
    at: str
    subject: str
    data: Any


MeetingStatusChanged = TypedDict(
    "MeetingStatusChanged",
    {
        "meeting_id": "int",
        "user_id": "int",
        "from": "str | None",
        "to": "str",
        "reason": "str",
        "event": "str",
        "actor": "str",
        "attempt": "int",
        "at": "NotRequired[str | None]",
        "evidence": "NotRequired[Any]",
    },
)


class MissingAudio(TypedDict):
    recording_id: str
    key: str
    what: str


class NewWebhookEndpoint(TypedDict):
    id: int
    user_id: int | None
    url: str
    types: list[str]
    state: str
    reason: str | None
    created_at: str
    secret: str


class ParticipantSeen(TypedDict):
    meeting_id: int
    user_id: int
    session_id: str
    participant_id: str | None
    user_name: str | None
    at: str
    joined_at: str
    left_at: str | None
    source: str
    num_clients: int


class ParticipantView(TypedDict):
    session_id: str
    user_id: str | None
    user_name: str | None
    joined_at: str
    left_at: str | None


class ParticipantWaiting(TypedDict):
    meeting_id: int
    user_id: int
    session_id: str
    participant_id: str | None
    user_name: str | None
    at: str


class ParticipantsView(TypedDict):
    meeting_id: int
    num_clients: int
    as_of: str | None
    source: str | None
    poll_state: Literal["idle", "needs_poll", "polling", "needs_poll_while_polling"]
    items: list[ParticipantView]


class PendingActivity(TypedDict):
    execution_id: int
    order: int
    attempt: int
    running: bool
    due_at: str


PlatformWebhookChanged = TypedDict(
    "PlatformWebhookChanged",
    {
        "platform": "str",
        "from": "str",
        "to": "str",
        "reason": "str",
    },
)


class PodView(TypedDict):
    pod_id: str
    region: str
    slots: int
    free_slots: int
    processing: int
    draining: bool


class PodViews(TypedDict):
    items: list[PodView]


PresencePollFailed = TypedDict(
    "PresencePollFailed",
    {
        "meeting_id": "int",
        "user_id": "int",
        "from": "str",
        "to": "str",
        "trigger": "str",
        "cause": "str",
        "took_ms": "int",
        "retry_in_ms": "int",
    },
)


PresencePollRequested = TypedDict(
    "PresencePollRequested",
    {
        "meeting_id": "int",
        "user_id": "int",
        "from": "str",
        "to": "str",
    },
)


PresencePolled = TypedDict(
    "PresencePolled",
    {
        "meeting_id": "int",
        "user_id": "int",
        "from": "str",
        "to": "str",
        "trigger": "str",
        "why": "list[str]",
        "took_ms": "int",
        "joined": "int",
        "left": "int",
        "num_clients": "int",
    },
)


class Problem(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    code: str
    trace_id: str
    errors: NotRequired[list[FieldError] | None]


class QueuePlace(TypedDict):
    position: int
    since: str
    until: str


class QuotaUsage(TypedDict):
    name: str
    used: int
    limit: int | None


class QuotaUsages(TypedDict):
    items: list[QuotaUsage]


class RecordingDeleted(TypedDict):
    recording_id: str
    actor: str


RecordingStatusChanged = TypedDict(
    "RecordingStatusChanged",
    {
        "recording_id": "str",
        "meeting_id": "int | None",
        "user_id": "int | None",
        "from": "str | None",
        "to": "str",
        "reason": "str",
        "event": "str",
        "actor": "str",
        "run": "int",
    },
)


class RecordingStep(TypedDict):
    name: Literal["download", "transcribe", "prepare", "transform", "push"]
    state: Literal["pending", "running", "done", "skipped", "failed"]
    attempts: int
    progress: float
    started_at: str | None
    ended_at: str | None
    error: str | None
    detail: str | None


class RecordingView(TypedDict):
    recording_id: str
    meeting_id: int | None
    status: Literal["in_progress", "ready", "processing", "done", "failed", "cancelled", "empty", "given_up", "unmatched"]
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
    audio: AudioView | None
    workflow_id: str | None
    state_entered_at: str
    created_at: str
    updated_at: str


class RegionView(TypedDict):
    region: str
    pending: int
    processing: int
    oldest_pending_ms: int
    pods: int
    slots: int
    free_slots: int


class RegionViews(TypedDict):
    items: list[RegionView]
    terms: DispatchConfigView


RenamedSpeaker = TypedDict(
    "RenamedSpeaker",
    {
        "meeting_id": "int",
        "from": "str",
        "to": "str",
        "segments": "int",
    },
)


class ReportedProgress(TypedDict):
    audio_seconds: float | None
    participants: int | None
    last_speech_at: str | None
    grows_since: str | None
    stalled_since: str | None


class RoomClaim(TypedDict):
    platform: str
    room: str
    user_id: int | None
    team_id: NotRequired[int | None]
    claimed_at: str
    track: NotRequired[bool | None]


class SearchHit(TypedDict):
    meeting_id: int
    segment_id: int
    start: float
    speaker: str | None
    text: str
    highlight: str


class Segment(TypedDict):
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
    words: list[SegmentToken] | None
    level_db: float | None


class SegmentToken(TypedDict):
    text: str
    start: float
    end: float
    confidence: float | None


class SettingNotApplied(TypedDict):
    setting: str
    reason: str


class SignedIn(TypedDict):
    role: Literal["user", "admin"]
    operator_role: Literal["viewer", "operator", "admin"] | None
    user_id: int | None
    expires_at: str | None


class SimulationCounts(TypedDict):
    rooms: int
    people: int
    upcoming: int
    requests: int


class SimulationFault(TypedDict):
    kind: str
    effect: str
    probability: float
    lasting: bool
    amount_s: float
    on: str | None
    times: int | None
    strikes: int


class SimulationView(TypedDict):
    scenario: str
    seed: int
    speed: float
    presence_lag_s: float
    counts: SimulationCounts
    faults: list[SimulationFault]


SpeakerRenamed = TypedDict(
    "SpeakerRenamed",
    {
        "meeting_id": "int",
        "from": "str",
        "to": "str",
        "segments": "int",
    },
)


class StepState(TypedDict):
    step: str
    status: Literal["not_started", "in_progress", "success", "failure"]
    updated_at: str
    attempt: int
    job_id: str | None
    error_message: str | None


class StorageAudit(TypedDict):
    blobs: int
    rows: int
    orphans: list[str]
    missing: list[MissingAudio]
    repaired: int


class SummaryChanged(TypedDict):
    meeting_id: int
    run: int
    to: str
    error: str | None
    actor: str


class SummaryCitation(TypedDict):
    mark: int
    segment_id: int
    start: float


class SummaryView(TypedDict):
    meeting_id: int
    status: Literal["none", "waiting", "running", "done", "failed", "empty", "deleted"]
    run: int
    attempts: int
    text: str | None
    citations: list[SummaryCitation]
    rejected: int
    summarizer: str | None
    error: str | None
    updated_at: str | None


SyncChanged = TypedDict(
    "SyncChanged",
    {
        "meeting_id": "str",
        "status": "str",
        "version": "int",
        "attempt": "int",
        "attempts": "int",
        "steps": "list[dict[str, Any]]",
        "sync_attempt_count": "int",
        "user_id": "NotRequired[int | None]",
        "updated_at": "NotRequired[str | None]",
        "last_step": "NotRequired[str | None]",
        "error_message": "NotRequired[str | None]",
        "last_synced_by": "NotRequired[str | None]",
        "job_id": "NotRequired[str | None]",
        "seq": "NotRequired[int | None]",
        "attempt_at": "NotRequired[str | None]",
        "unanswered": "NotRequired[bool | None]",
        "update_id": "NotRequired[str | None]",
        "from": "NotRequired[str | None]",
        "to": "NotRequired[str | None]",
        "cause": "NotRequired[str | None]",
        "by": "NotRequired[str | None]",
    },
)


class SyncView(TypedDict):
    meeting_id: str
    status: Literal["not_started", "in_progress", "success", "failure"]
    updated_at: str | None
    last_step: str | None
    attempts: int
    sync_attempt_count: int
    last_synced_by: str | None
    job_id: str | None
    error_message: str | None
    steps: list[StepState]
    stalled: bool
    version: int
    attempt: int
    stale: bool


class SyncViews(TypedDict):
    items: list[SyncView]
    missing: list[str]


class Task(TypedDict):
    id: str
    type: str
    action: str
    channel: str
    request_id: str
    payload: dict[str, Any]
    state: Literal["PENDING", "PROCESSING", "SUCCESS", "FAILED", "TIMEOUT"]
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


class TaskHistoryEntry(TypedDict):
    seq: int
    type: str
    at: str
    subject: str
    data: Any


class TaskMoved(TypedDict):
    task_id: str
    request_id: str
    task_type: str
    channel: str
    region: str | None
    user_id: int | None
    state: Literal["PENDING", "PROCESSING", "SUCCESS", "FAILED", "TIMEOUT"]
    attempt: int
    pod_id: str | None
    worker_id: int | None
    error: str | None
    moved_at: str
    pending_at: NotRequired[str | None]


class TaskSettled(TypedDict):
    task_id: str
    requeued_as: str | None
    user_id: int | None
    actor: str


class Team(TypedDict):
    id: int
    name: str
    members: int
    created_at: str


class TeamMember(TypedDict):
    user_id: int
    added_at: str


class TranscriptChange(TypedDict):
    id: int
    at: str
    actor: str
    segment_id: int | None
    field: str
    before: str | None
    after: str | None


class TranscriptClosed(TypedDict):
    meeting_id: int
    segments: int


class TranscriptStored(TypedDict):
    meeting_id: int
    session_uid: str
    replaces: bool
    segments: list[EventSegment]


class TranscriptView(TypedDict):
    meeting_id: int
    segments: list[Segment]
    partial: bool
    next_cursor: str | None


class User(TypedDict):
    id: int
    email: str | None
    name: str | None
    image_url: str | None
    max_concurrent_bots: int | None
    data: dict[str, Any]
    created_at: str
    oidc_issuer: str | None
    oidc_subject: str | None
    disabled: bool


class VexaCallbackAnswer(TypedDict):
    status: Literal["processed"]
    meeting_id: int
    meeting_status: str


class WaitingCommand(TypedDict):
    id: str
    action: str


class WaveformView(TypedDict):
    recording_id: str
    seconds: float
    video: bool
    peaks: list[int]


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


class WebhookEndpointChanged(TypedDict):
    id: int
    state: str
    reason: str


class WebhookEndpointTested(TypedDict):
    id: int


class WebhookEndpointView(TypedDict):
    id: int
    user_id: int | None
    url: str
    types: list[str]
    state: str
    reason: str | None
    created_at: str


class WorkflowHistoryView(TypedDict):
    workflow: WorkflowView
    executions: list[ExecutionView]
    children: list[str]
    pending: list[PendingActivity]
    history: list[HistoryEventView]
    truncated: bool


class WorkflowView(TypedDict):
    id: str
    name: str
    status: str
    execution_id: int
    output: Any
    error: str | None
    parent: str | None
    progress: str | None
    user_id: int | None
    meeting_id: int | None
    created_at: str
    updated_at: str
    completed_at: str | None


class CreateUserBody(TypedDict):
    email: str
    name: NotRequired[str | None]
    image_url: NotRequired[str | None]
    max_concurrent_bots: NotRequired[int | None]
    data: NotRequired[dict[str, Any] | None]


class ChangeUserBody(TypedDict):
    email: NotRequired[str | None]
    name: NotRequired[str | None]
    image_url: NotRequired[str | None]
    max_concurrent_bots: NotRequired[int | None]
    data: NotRequired[dict[str, Any] | None]
    disabled: NotRequired[bool | None]
    oidc_subject: NotRequired[str | None]


class IssueTokenBody(TypedDict):
    name: NotRequired[str | None]
    scopes: NotRequired[list[Literal["read", "meetings", "bots", "tasks", "webhooks", "viewer", "operator", "admin"]] | None]
    expires_at: NotRequired[str | None]


class TrackMeetingBody(TypedDict):
    platform: Literal["daily", "janus", "google_meet", "zoom", "teams"]
    native_meeting_id: NotRequired[str | None]
    platform_specific_id: NotRequired[str | None]
    meeting_url: NotRequired[str | None]
    data: NotRequired[dict[str, Any] | None]


class DescribeMeetingBody(TypedDict):
    data: dict[str, Any]


class CorrectSegmentBody(TypedDict):
    text: NotRequired[str | None]
    speaker: NotRequired[str | None]


RenameSpeakerBody = TypedDict(
    "RenameSpeakerBody",
    {
        "from": "str",
        "to": "str",
    },
)


class CreateRoomBody(TypedDict):
    name: NotRequired[str | None]
    expires_in: NotRequired[int | None]
    record: NotRequired[bool | None]


class CreateRoomAnswerLinks(TypedDict):
    host: str
    guest: str


class CreateRoomAnswer(TypedDict):
    platform: Literal["janus"]
    room: str
    recorded: bool
    expires_at: str
    links: CreateRoomAnswerLinks
    egress_token: str


class AssignRoomBody(TypedDict):
    user_id: NotRequired[int | None]
    team_id: NotRequired[int | None]
    track: NotRequired[bool | None]


class TrackRoomBody(TypedDict):
    track: bool


class CreateTeamBody(TypedDict):
    name: str


class ChangeTeamBody(TypedDict):
    name: str


class ReadJoinPassAnswer(TypedDict):
    room: str
    role: Literal["host", "guest"]
    recorded: bool
    expires_at: str


class RemoveFromRoomBody(TypedDict):
    id: str


class StartBotBodyAutomaticLeave(TypedDict):
    silence_timeout: NotRequired[float | None]
    max_lifetime: NotRequired[float | None]
    waiting_room_timeout: NotRequired[float | None]
    no_one_joined_timeout: NotRequired[float | None]
    everyone_left_timeout: NotRequired[float | None]


class StartBotBody(TypedDict):
    platform: Literal["daily", "janus", "google_meet", "zoom", "teams"]
    native_meeting_id: NotRequired[str | None]
    platform_specific_id: NotRequired[str | None]
    meeting_url: NotRequired[str | None]
    bot_name: NotRequired[str | None]
    language: NotRequired[str | None]
    task: NotRequired[Literal["transcribe", "translate"] | None]
    passcode: NotRequired[str | None]
    start_at: NotRequired[str | None]
    queue: NotRequired[bool | None]
    queue_timeout: NotRequired[float | None]
    automatic_leave: NotRequired[StartBotBodyAutomaticLeave | None]
    data: NotRequired[dict[str, Any] | None]


class StartBotsBodyBotsItemAutomaticLeave(TypedDict):
    silence_timeout: NotRequired[float | None]
    max_lifetime: NotRequired[float | None]
    waiting_room_timeout: NotRequired[float | None]
    no_one_joined_timeout: NotRequired[float | None]
    everyone_left_timeout: NotRequired[float | None]


class StartBotsBodyBotsItem(TypedDict):
    platform: Literal["daily", "janus", "google_meet", "zoom", "teams"]
    native_meeting_id: NotRequired[str | None]
    platform_specific_id: NotRequired[str | None]
    meeting_url: NotRequired[str | None]
    bot_name: NotRequired[str | None]
    language: NotRequired[str | None]
    task: NotRequired[Literal["transcribe", "translate"] | None]
    passcode: NotRequired[str | None]
    start_at: NotRequired[str | None]
    queue: NotRequired[bool | None]
    queue_timeout: NotRequired[float | None]
    automatic_leave: NotRequired[StartBotsBodyBotsItemAutomaticLeave | None]
    data: NotRequired[dict[str, Any] | None]


class StartBotsBody(TypedDict):
    bots: list[StartBotsBodyBotsItem]


class StopBotBody(TypedDict):
    meeting_id: NotRequired[int | None]
    platform: NotRequired[Literal["daily", "janus", "google_meet", "zoom", "teams"] | None]
    native_meeting_id: NotRequired[str | None]
    platform_specific_id: NotRequired[str | None]
    kill: NotRequired[bool | None]


class ConfigureBotBodyAutomaticLeave(TypedDict):
    silence_timeout: NotRequired[float | None]
    max_lifetime: NotRequired[float | None]


class ConfigureBotBody(TypedDict):
    meeting_id: NotRequired[int | None]
    platform: NotRequired[Literal["daily", "janus", "google_meet", "zoom", "teams"] | None]
    native_meeting_id: NotRequired[str | None]
    platform_specific_id: NotRequired[str | None]
    language: NotRequired[str | None]
    task: NotRequired[Literal["transcribe", "translate"] | None]
    bot_name: NotRequired[str | None]
    automatic_leave: NotRequired[ConfigureBotBodyAutomaticLeave | None]


class RescheduleBotBody(TypedDict):
    meeting_id: NotRequired[int | None]
    platform: NotRequired[Literal["daily", "janus", "google_meet", "zoom", "teams"] | None]
    native_meeting_id: NotRequired[str | None]
    platform_specific_id: NotRequired[str | None]
    start_at: str


class SpeakAsBotBody(TypedDict):
    text: NotRequired[str | None]
    voice: NotRequired[str | None]
    audio_base64: NotRequired[str | None]


class ChatAsBotBody(TypedDict):
    text: str


class BotStartedBody(TypedDict):
    connection_id: str
    meeting_id: int
    container_id: NotRequired[str | None]


class BotAwaitingAdmissionBody(TypedDict):
    connection_id: str


class BotJoinedBody(TypedDict):
    connection_id: str


class BotHeartbeatBodyProgress(TypedDict):
    audio_seconds: NotRequired[float | None]
    participants: NotRequired[int | None]
    last_speech_at: NotRequired[str | None]


class BotHeartbeatBody(TypedDict):
    connection_id: str
    progress: NotRequired[BotHeartbeatBodyProgress | None]


class BotStatusBody(TypedDict):
    connection_id: str
    status: Literal["stopping"]
    reason: NotRequired[str | None]


class BotExitedBody(TypedDict):
    connection_id: str
    exit_code: int
    reason: NotRequired[str | None]


class BotAckBodyNotAppliedItem(TypedDict):
    setting: str
    reason: str


class BotAckBody(TypedDict):
    connection_id: str
    command_id: str
    applied: NotRequired[list[str] | None]
    not_applied: NotRequired[list[BotAckBodyNotAppliedItem] | None]


class BotTranscriptBodySegmentsItem(TypedDict):
    start: float
    end: float
    text: str
    speaker: NotRequired[str | None]
    language: NotRequired[str | None]
    completed: NotRequired[bool | None]
    level_db: NotRequired[float | None]


class BotTranscriptBody(TypedDict):
    connection_id: str
    segments: list[BotTranscriptBodySegmentsItem]


class BotChatBodyMessagesItem(TypedDict):
    id: str
    sender: NotRequired[str | None]
    text: str
    at: str
    from_bot: NotRequired[bool | None]


class BotChatBody(TypedDict):
    connection_id: str
    messages: list[BotChatBodyMessagesItem]


class BotParticipantsBodyEventsItem(TypedDict):
    id: str
    type: Literal["joined", "left"]
    session_id: str
    user_id: NotRequired[str | None]
    user_name: NotRequired[str | None]
    joined_at: NotRequired[str | None]
    at: str


class BotParticipantsBodyEverybodyParticipantsItem(TypedDict):
    session_id: str
    user_id: NotRequired[str | None]
    user_name: NotRequired[str | None]
    joined_at: str


class BotParticipantsBodyEverybody(TypedDict):
    at: str
    participants: list[BotParticipantsBodyEverybodyParticipantsItem]


class BotParticipantsBody(TypedDict):
    connection_id: str
    events: NotRequired[list[BotParticipantsBodyEventsItem] | None]
    everybody: NotRequired[BotParticipantsBodyEverybody | None]


class VexaBotStartedBody(TypedDict):
    connection_id: str


class VexaBotJoiningBody(TypedDict):
    connection_id: str


class VexaBotAwaitingAdmissionBody(TypedDict):
    connection_id: str


class VexaBotExitedBody(TypedDict):
    connection_id: str
    exit_code: int
    reason: NotRequired[str | None]
    completion_reason: NotRequired[str | None]


class VexaBotStatusChangeBody(TypedDict):
    connection_id: str
    status: Literal["joining", "awaiting_admission", "active", "needs_human_help", "needs_help", "completed", "failed"]
    exit_code: NotRequired[int | None]
    reason: NotRequired[str | None]
    completion_reason: NotRequired[str | None]


class VexaBotStartedByQueryBody(TypedDict):
    connection_id: str


class VexaBotJoiningByQueryBody(TypedDict):
    connection_id: str


class VexaBotAwaitingAdmissionByQueryBody(TypedDict):
    connection_id: str


class VexaBotExitedByQueryBody(TypedDict):
    connection_id: str
    exit_code: int
    reason: NotRequired[str | None]
    completion_reason: NotRequired[str | None]


class VexaBotStatusChangeByQueryBody(TypedDict):
    connection_id: str
    status: Literal["joining", "awaiting_admission", "active", "needs_human_help", "needs_help", "completed", "failed"]
    exit_code: NotRequired[int | None]
    reason: NotRequired[str | None]
    completion_reason: NotRequired[str | None]


class VexaBotLifecycleBody(TypedDict):
    connection_id: str
    status: Literal["joining", "awaiting_admission", "active", "needs_human_help", "needs_help", "completed", "failed"]
    exit_code: NotRequired[int | None]
    reason: NotRequired[str | None]
    completion_reason: NotRequired[str | None]


class MatchRecordingBody(TypedDict):
    meeting_id: int


class RetryRecordingBody(TypedDict):
    step: NotRequired[Literal["download", "transcribe", "prepare", "transform", "push"] | None]


class CreateTaskBody(TypedDict):
    id: NotRequired[str | None]
    request_id: str
    type: str
    action: Literal["start"]
    channel: str
    region: NotRequired[str | None]
    payload: dict[str, Any]
    unique: NotRequired[Literal["channel"] | None]


class RequeueDeadTasksBody(TypedDict):
    ids: NotRequired[list[str] | None]
    state: NotRequired[Literal["FAILED", "TIMEOUT"] | None]
    region: NotRequired[str | None]
    channel: NotRequired[str | None]
    type: NotRequired[str | None]
    limit: NotRequired[int | None]
    dry_run: NotRequired[bool | None]


class DiscardDeadTasksBody(TypedDict):
    ids: NotRequired[list[str] | None]
    state: NotRequired[Literal["FAILED", "TIMEOUT"] | None]
    region: NotRequired[str | None]
    channel: NotRequired[str | None]
    type: NotRequired[str | None]
    limit: NotRequired[int | None]
    dry_run: NotRequired[bool | None]


class RequeueTaskBody(TypedDict):
    dry_run: NotRequired[bool | None]


class CancelWorkflowBody(TypedDict):
    reason: NotRequired[str | None]


class UpdateSyncStatusBody(TypedDict):
    meeting_id: str
    status: Literal["in_progress", "success", "failure"]
    step: NotRequired[str | None]
    job_id: NotRequired[str | None]
    attempt: NotRequired[int | None]
    seq: NotRequired[int | None]
    error_message: NotRequired[str | None]
    synced_by: NotRequired[str | None]


class DismissSyncProblemBody(TypedDict):
    version: int


class ConnectCrmAnswer(TypedDict):
    authorize_url: str


class CreateWebhookEndpointBody(TypedDict):
    url: str
    types: NotRequired[list[str] | None]


class SetFaultsBodyValue(TypedDict):
    probability: NotRequired[float | None]
    amount_s: NotRequired[float | None]
    on: NotRequired[str | None]
    times: NotRequired[int | None]


class CallMcpBody(TypedDict):
    jsonrpc: Literal["2.0"]
    method: NotRequired[str | None]
    params: NotRequired[dict[str, Any] | None]
    id: NotRequired[str | int | None]


class CallMcpBodyItem(TypedDict):
    jsonrpc: Literal["2.0"]
    method: NotRequired[str | None]
    params: NotRequired[dict[str, Any] | None]
    id: NotRequired[str | int | None]


class CallMcpAnswerError(TypedDict):
    code: int
    message: str
    data: NotRequired[Any]


class CallMcpAnswer(TypedDict):
    jsonrpc: Literal["2.0"]
    id: Any
    result: NotRequired[dict[str, Any] | None]
    error: NotRequired[CallMcpAnswerError | None]


class CallMcpAnswerItemError(TypedDict):
    code: int
    message: str
    data: NotRequired[Any]


class CallMcpAnswerItem(TypedDict):
    jsonrpc: Literal["2.0"]
    id: Any
    result: NotRequired[dict[str, Any] | None]
    error: NotRequired[CallMcpAnswerItemError | None]


class SignInMethodsAnswer(TypedDict):
    oidc: str | None


class SignInBody(TypedDict):
    api_key: NotRequired[str | None]
    admin_key: NotRequired[str | None]
    jwt: NotRequired[str | None]


class LivezAnswer(TypedDict):
    status: Literal["ok"]


class ReadyzAnswer(TypedDict):
    status: Literal["ok", "degraded"]
    components: NotRequired[list[Component] | None]
