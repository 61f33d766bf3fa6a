/**
 * The objects of the API, as its JSON has them. Times are RFC 3339 texts in UTC. Members that a
 * newer server adds are there too.
 */

export type Platform = "daily" | "janus" | "google_meet" | "zoom" | "teams";
export type TaskState = "PENDING" | "PROCESSING" | "SUCCESS" | "FAILED" | "TIMEOUT";

export interface Meeting {
  id: number;
  user_id: number;
  platform: string;
  platform_specific_id: string;
  status: string;
  substatus: string | null;
  bot_container_id: string | null;
  start_time: string | null;
  end_time: string | null;
  num_clients: number;
  tracked: boolean;
  data: Record<string, unknown>;
  created_at: string;
  updated_at: string;
}

export interface Participant {
  session_id: string;
  user_id: string | null;
  user_name: string | null;
  joined_at: string;
  left_at: string | null;
}

/** Who is, and was, in a meeting; `as_of` is the time of the last confirmation. */
export interface Participants {
  meeting_id: number;
  num_clients: number;
  as_of: string | null;
  source: string | null;
  poll_state: string;
  items: Participant[];
}

export interface SpokenWord {
  text: string;
  start: number;
  end: number;
  confidence: number | null;
}

/** Start and end are seconds of the session. */
export interface Segment {
  id: number;
  start: number;
  end: number;
  text: string;
  speaker: string | null;
  language: string | null;
  session_uid: string | null;
  created_at: string;
  said_at: string | null;
  completed: boolean;
  confidence: number | null;
  words: SpokenWord[] | null;
}

/** `partial`: more segments may follow. */
export interface Transcript {
  meeting_id: number;
  segments: Segment[];
  partial: boolean;
  next_cursor: string | null;
}

/** `highlight` is HTML: escaped, with what was found in `<mark>`. */
export interface SearchHit {
  meeting_id: number;
  segment_id: number;
  start: number;
  speaker: string | null;
  text: string;
  highlight: string;
}

/** Rules by which a bot leaves, in seconds. */
export interface AutomaticLeave {
  waiting_room_timeout?: number;
  no_one_joined_timeout?: number;
  everyone_left_timeout?: number;
  silence_timeout?: number;
  max_lifetime?: number;
}

/** What to start; `platform` and one of `native_meeting_id` and `meeting_url`. */
export interface BotRequest {
  platform?: Platform;
  native_meeting_id?: string;
  meeting_url?: string;
  bot_name?: string;
  language?: string;
  task?: string;
  passcode?: string;
  start_at?: string;
  queue?: boolean;
  queue_timeout?: number;
  automatic_leave?: AutomaticLeave;
  data?: Record<string, unknown>;
}

/** The answer to one bot of a batch: a meeting, or a problem. */
export interface BatchItem {
  status: number;
  meeting: Meeting | null;
  problem: Record<string, unknown> | null;
}

export interface WaitingCommand {
  id: string;
  action: string;
}

export interface BotStatus {
  meeting_id: number;
  status: string;
  state_entered_at: string;
  deadline: string | null;
  owner: string | null;
  session_uid: string;
  attempt: number;
  desired: string;
  start_at: string | null;
  last_heartbeat: string | null;
  pending_commands: WaitingCommand[];
  substatus: string | null;
  lobby_since: string | null;
  queue: Record<string, unknown> | null;
  life_ends_at: string | null;
  progress: Record<string, unknown> | null;
  end_request: Record<string, unknown> | null;
  last_change: Record<string, unknown> | null;
}

export interface RecordingStep {
  name: string;
  state: string;
  attempts: number;
  progress: number;
  started_at: string | null;
  ended_at: string | null;
  error: string | null;
  detail: string | null;
}

export interface Recording {
  recording_id: string;
  meeting_id: number | null;
  status: string;
  reason: string | null;
  steps: RecordingStep[];
  run: number;
  room_name: string;
  kind: string;
  found_by: string;
  owner: string | null;
  deadline: string | null;
  candidates: number[];
  start_time: string | null;
  duration_s: number | null;
  audio: Record<string, unknown> | null;
  workflow_id: string | null;
  state_entered_at: string;
  created_at: string;
  updated_at: string;
}

/** `user_id` is null for a room of a team. */
export interface RoomClaim {
  platform: string;
  room: string;
  user_id: number | null;
  team_id?: number;
  claimed_at: string;
  track?: boolean;
}

/** The host may also remove others. */
export interface RoomLinks {
  host: string;
  guest: string;
}

export interface JoinableRoom {
  platform: string;
  room: string;
  expires_at: string;
  links: RoomLinks;
}

export interface WebhookEndpoint {
  id: number;
  user_id: number | null;
  url: string;
  types: string[];
  state: string;
  reason: string | null;
  created_at: string;
}

/** `secret` is shown once. */
export interface NewWebhookEndpoint extends WebhookEndpoint {
  secret: string;
}

export interface WebhookDelivery {
  id: number;
  message_id: string;
  type: string;
  subject: string;
  state: string;
  attempts: number;
  created_at: string;
  last_tried_at: string | null;
  next_try_at: string | null;
  last_status: number | null;
  last_error: string | null;
  delivered_at: string | null;
}

export interface SyncStep {
  step: string;
  status: string;
  updated_at: string;
  attempt: number;
  job_id: string | null;
  error_message: string | null;
}

/** `stale`: from the cache, while the database is out of reach. */
export interface SyncStatus {
  meeting_id: string;
  status: string;
  updated_at: string | null;
  last_step: string | null;
  attempts: number;
  sync_attempt_count: number;
  last_synced_by: string | null;
  job_id: string | null;
  error_message: string | null;
  steps: SyncStep[];
  stalled: boolean;
  version: number;
  attempt: number;
  stale: boolean;
}

export interface Task {
  id: string;
  type: string;
  action: string;
  channel: string;
  request_id: string;
  payload: Record<string, unknown>;
  state: TaskState;
  created_at: string;
  pending_at: string;
  processed_at: string | null;
  completed_at: string | null;
  error: string;
  worker_id: number | null;
  lease_expiry: string | null;
  retry_count: number;
  region: string | null;
  pod_id: string | null;
  attempt: number;
}

/** An entry of the journal; `seq` grows. */
export interface JournalEvent {
  seq: number;
  type: string;
  subject: string;
  at: string;
  data: Record<string, unknown>;
}

/** What a webhook carries. */
export interface WebhookEvent {
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
  subject: string;
  seq: number;
}
