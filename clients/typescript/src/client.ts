import { ConvokeError } from "./errors.js";
import { Events } from "./events.js";
import { Http, path, type HttpOptions, type Query, type Request } from "./http.js";
import type {
  AutomaticLeave,
  BatchItem,
  BotRequest,
  BotStatus,
  JoinableRoom,
  Meeting,
  NewWebhookEndpoint,
  Participants,
  Platform,
  Recording,
  RoomClaim,
  SearchHit,
  Segment,
  SyncStatus,
  Task,
  TaskState,
  Transcript,
  WebhookDelivery,
  WebhookEndpoint,
} from "./models.js";

export interface ConvokeOptions extends HttpOptions {
  /** `CONVOKE_URL`, else `http://localhost:8080`, unless set. */
  url?: string;
  /** `CONVOKE_API_KEY` if no credential is given. */
  apiKey?: string;
  adminKey?: string;
  /** A JWT, or the token of internal services. */
  token?: string;
}

/**
 * One server, under one credential. Fields have the API's own names. Lists are async iterators that
 * fetch page after page.
 *
 *     const convoke = new Convoke({ url: "https://convoke.example.org", apiKey: "cvk_..." });
 *     const meeting = await convoke.bots.start({ platform: "daily", native_meeting_id: "stand-up" });
 */
export class Convoke {
  readonly bots: Bots;
  readonly meetings: Meetings;
  readonly transcripts: Transcripts;
  readonly recordings: Recordings;
  readonly rooms: Rooms;
  readonly webhooks: Webhooks;
  readonly sync: Sync;
  readonly tasks: Tasks;
  readonly events: Events;
  readonly #http: Http;

  constructor(options: ConvokeOptions = {}) {
    const { apiKey, adminKey, token } = options;
    const key = apiKey ?? (adminKey || token ? undefined : process.env["CONVOKE_API_KEY"]);
    const url = options.url ?? process.env["CONVOKE_URL"] ?? "http://localhost:8080";
    const headers = {
      ...(key && { "X-API-Key": key }),
      ...(adminKey && { "X-Admin-API-Key": adminKey }),
      ...(token && { Authorization: `Bearer ${token}` }),
    };
    const http = new Http(url, headers, options);
    this.#http = http;
    this.bots = new Bots(http);
    this.meetings = new Meetings(http);
    this.transcripts = new Transcripts(http);
    this.recordings = new Recordings(http);
    this.rooms = new Rooms(http);
    this.webhooks = new Webhooks(http);
    this.sync = new Sync(http);
    this.tasks = new Tasks(http);
    this.events = new Events(http, options.sleep);
  }

  /** What was said in all meetings with all words of `q`, the best matches first. */
  search(q: string): AsyncGenerator<SearchHit> {
    return pages(this.#http, "/search", { q });
  }

  /** Any other call: the JSON of its answer. */
  async request(method: string, where: string, request: Request = {}): Promise<unknown> {
    const answer = await this.#http.send(method, where, request);
    return answer.body.length > 0 ? answer.json() : undefined;
  }
}

async function* pages<T>(http: Http, where: string, query: Query = {}): AsyncGenerator<T> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = (await http.send("GET", where, { query: { ...query, limit: 200, cursor } })).object<{
      items: T[];
      next_cursor?: string | null;
    }>();
    yield* page.items;
    if (page.next_cursor && page.next_cursor === cursor) {
      throw new ConvokeError("The server's pages do not end");
    }
    cursor = page.next_cursor ?? null;
  }
}

class Part {
  constructor(protected readonly http: Http) {}

  protected async object<T>(method: string, where: string, request?: Request): Promise<T> {
    return (await this.http.send(method, where, request)).object<T>();
  }
}

/** Names a bot: by its meeting, or by platform and native id. */
export type BotName = { meeting_id: number } | { platform: Platform; native_meeting_id: string };

class Bots extends Part {
  /** Sends a bot into a meeting. */
  start(bot: BotRequest): Promise<Meeting> {
    return this.object("POST", "/bots/start", { body: bot, creates: true });
  }

  /** Sends up to 50 bots, each with an answer of its own, in this order. */
  async batch(bots: BotRequest[]): Promise<BatchItem[]> {
    const request = { body: { bots }, creates: true };
    return (await this.object<{ items: BatchItem[] }>("POST", "/bots/batch", request)).items;
  }

  /** Asks a bot to leave; one that has ended is unchanged. */
  stop(bot: BotName & { kill?: boolean }): Promise<BotStatus> {
    return this.object("POST", "/bots/stop", { body: bot, idempotent: true });
  }

  /** Changes a running bot. */
  configure(
    bot: BotName & {
      language?: string;
      task?: string;
      bot_name?: string;
      automatic_leave?: AutomaticLeave;
    },
  ): Promise<BotStatus> {
    return this.object("PUT", "/bots/config", { body: bot });
  }

  /** Moves the start of a bot that waits for it. */
  reschedule(bot: BotName & { start_at: string }): Promise<BotStatus> {
    return this.object("PUT", "/bots/schedule", { body: bot, idempotent: true });
  }

  /** Live bots. */
  active(): AsyncGenerator<Meeting> {
    return pages(this.http, "/bots/active");
  }

  /** One bot, with the owner and the deadline of its state. */
  status(meeting_id: number): Promise<BotStatus> {
    return this.object("GET", "/bots/status", { query: { meeting_id } });
  }

  /** All bots, with `live` those that have not ended. */
  list(query: { live?: boolean } = {}): AsyncGenerator<BotStatus> {
    return pages(this.http, "/bots/status", query);
  }
}

class Meetings extends Part {
  /** Tracks a meeting without a bot. */
  track(meeting: {
    platform: Platform;
    native_meeting_id: string;
    data?: Record<string, unknown>;
  }): Promise<Meeting> {
    return this.object("POST", "/meetings", { body: meeting, creates: true });
  }

  /** Meetings, newest first. */
  list(query: { status?: string; platform?: Platform } = {}): AsyncGenerator<Meeting> {
    return pages(this.http, "/meetings", query);
  }

  get(id: number): Promise<Meeting> {
    return this.object("GET", path`/meetings/${id}`);
  }

  /** Replaces the free-form data of a meeting. */
  describe(id: number, data: Record<string, unknown>): Promise<Meeting> {
    return this.object("PATCH", path`/meetings/${id}`, { body: { data } });
  }

  /** Who is, and was, in the meeting. */
  participants(id: number, query: { active?: boolean } = {}): Promise<Participants> {
    return this.object("GET", path`/meetings/${id}/participants`, { query });
  }

  /** The events of a meeting, oldest first. */
  timeline(id: number): AsyncGenerator<Record<string, unknown>> {
    return pages(this.http, path`/meetings/${id}/timeline`);
  }

  summary(id: number): Promise<Record<string, unknown>> {
    return this.object("GET", path`/meetings/${id}/summary`);
  }
}

/** A transcript as text; `nextCursor` leads on if it has more than 20,000 segments. */
export interface TranscriptDocument {
  text: string;
  nextCursor: string | undefined;
}

class Transcripts extends Part {
  /** The transcript, up to 20,000 segments. */
  get(id: number, query: { session_uid?: string; words?: boolean } = {}): Promise<Transcript> {
    return this.object("GET", path`/transcripts/${id}`, { query });
  }

  /** All segments, page by page. */
  async *segments(id: number): AsyncGenerator<Segment> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { limit: 2000, cursor };
      const page: Transcript = await this.object("GET", path`/transcripts/${id}`, { query });
      yield* page.segments;
      cursor = page.next_cursor ?? null;
    }
  }

  async export(
    id: number,
    format: "vtt" | "srt" | "txt" | "md",
    cursor?: string,
  ): Promise<TranscriptDocument> {
    const request = { query: { format, cursor }, headers: { Accept: "*/*" } };
    const answer = await this.http.send("GET", path`/transcripts/${id}`, request);
    return { text: answer.text(), nextCursor: answer.headers.get("next-cursor") ?? undefined };
  }

  /** Corrects a segment; `speaker: null` removes the speaker. */
  correct(
    id: number,
    segment: number,
    change: { text?: string; speaker?: string | null },
  ): Promise<Segment> {
    return this.object("PATCH", path`/transcripts/${id}/segments/${segment}`, { body: change });
  }

  renameSpeaker(id: number, change: { from: string; to: string }): Promise<Record<string, unknown>> {
    return this.object("PATCH", path`/transcripts/${id}/speakers`, { body: change });
  }
}

class Recordings extends Part {
  /** Recordings, newest first, all or of one meeting. */
  list(query: { status?: string; meeting_id?: number } = {}): AsyncGenerator<Recording> {
    const { meeting_id, ...rest } = query;
    const of = meeting_id === undefined ? "" : path`/meetings/${meeting_id}`;
    return pages(this.http, `${of}/recordings`, rest);
  }

  get(id: string): Promise<Recording> {
    return this.object("GET", path`/recordings/${id}`);
  }

  /** The audio as downloaded from the platform. */
  async audio(id: string): Promise<Uint8Array> {
    const request = { headers: { Accept: "*/*" } };
    return (await this.http.send("GET", path`/recordings/${id}/audio`, request)).body;
  }

  /** Assigns a recording to a meeting. */
  match(id: string, meeting_id: number): Promise<Recording> {
    return this.object("POST", path`/recordings/${id}/match`, { body: { meeting_id } });
  }

  /** Tries a failed recording again, from a step or from where it stopped. */
  retry(id: string, body: { step?: string } = {}): Promise<Recording> {
    return this.object("POST", path`/recordings/${id}/retry`, { body });
  }

  /** Deletes a recording with its audio and transcript. */
  async delete(id: string): Promise<void> {
    await this.http.send("DELETE", path`/recordings/${id}`);
  }
}

class Rooms extends Part {
  /** Makes a room of platform `janus`, with links for the browser. */
  create(room: { name?: string; expires_in?: number } = {}): Promise<JoinableRoom> {
    return this.object("POST", "/rooms", { body: room, creates: true });
  }

  /** Own rooms and those of one's teams; an admin sees all. */
  list(): AsyncGenerator<RoomClaim> {
    return pages(this.http, "/rooms");
  }

  /** Whether every visit to the room, or to the rooms of a prefix, is tracked. */
  track(platform: Platform, room: string, track: boolean): Promise<RoomClaim> {
    const request = { body: { track }, idempotent: true };
    return this.object("PATCH", path`/rooms/${platform}/${room}`, request);
  }

  /** Gives a room, or the rooms of a prefix, to a user (admin). */
  assign(platform: Platform, room: string, owner: { user_id: number }): Promise<RoomClaim> {
    const request = { body: owner, idempotent: true };
    return this.object("PUT", path`/rooms/${platform}/${room}`, request);
  }

  /** Takes a room from its owner (admin). */
  async release(platform: Platform, room: string): Promise<void> {
    await this.http.send("DELETE", path`/rooms/${platform}/${room}`);
  }
}

class Webhooks extends Part {
  /** Registers an address; the answer alone holds the secret. */
  create(endpoint: { url: string; types?: string[] }): Promise<NewWebhookEndpoint> {
    return this.object("POST", "/webhook-endpoints", { body: endpoint, creates: true });
  }

  list(): AsyncGenerator<WebhookEndpoint> {
    return pages(this.http, "/webhook-endpoints");
  }

  get(id: number): Promise<WebhookEndpoint> {
    return this.object("GET", path`/webhook-endpoints/${id}`);
  }

  /** With everything that waits for it. */
  async delete(id: number): Promise<void> {
    await this.http.send("DELETE", path`/webhook-endpoints/${id}`);
  }

  /** Sends a message of type `webhook_endpoint.test`. */
  test(id: number): Promise<WebhookEndpoint> {
    return this.object("POST", path`/webhook-endpoints/${id}/test`);
  }

  /** Resumes a paused endpoint. */
  resume(id: number): Promise<WebhookEndpoint> {
    return this.object("POST", path`/webhook-endpoints/${id}/resume`);
  }

  /** Deliveries, newest first. */
  deliveries(
    id: number,
    query: { state?: "pending" | "delivered" } = {},
  ): AsyncGenerator<WebhookDelivery> {
    return pages(this.http, path`/webhook-endpoints/${id}/deliveries`, query);
  }

  /** Sends a delivered message again. */
  resend(id: number, delivery: number): Promise<WebhookEndpoint> {
    return this.object("POST", path`/webhook-endpoints/${id}/deliveries/${delivery}/resend`);
  }
}

/** A job's status, as it reports it. */
export interface SyncUpdate {
  meeting_id: string;
  status: "in_progress" | "success" | "failure";
  step?: string;
  job_id?: string;
  attempt?: number;
  seq?: number;
  error_message?: string;
  synced_by?: string;
}

class Sync extends Part {
  /** Whether a meeting has reached the CRM. */
  get(meeting_id: number | string): Promise<SyncStatus> {
    return this.object("GET", "/sync-status", { query: { meeting_id } });
  }

  /** Of several meetings, up to 100, by their ids; unknown ids are missing. */
  async getMany(meeting_id: readonly (number | string)[]): Promise<Map<string, SyncStatus>> {
    if (meeting_id.length < 2) {
      throw new RangeError("getMany is for several meetings");
    }
    const request = { query: { meeting_id } };
    const answer = await this.object<{ items: SyncStatus[] }>("GET", "/sync-status", request);
    return new Map(answer.items.map((item) => [item.meeting_id, item]));
  }

  /** Reports a status (internal services); repeated only if `job_id` says which update it is. */
  update(update: SyncUpdate): Promise<SyncStatus> {
    const idempotent = update.job_id !== undefined;
    return this.object("POST", "/sync-status", { body: update, idempotent });
  }

  /** Tries a failed or stalled sync again. */
  retry(meeting_id: number | string): Promise<SyncStatus> {
    return this.object("POST", path`/sync-status/${meeting_id}/retry`);
  }
}

/** A task to submit. */
export interface TaskRequest {
  /** The same one again is the same task. */
  request_id: string;
  type: string;
  channel: string;
  payload: Record<string, unknown>;
  region?: string;
  id?: string;
  unique?: "channel";
}

class Tasks extends Part {
  submit(task: TaskRequest): Promise<Task> {
    return this.object("POST", "/tasks", { body: { action: "start", ...task }, creates: true });
  }

  get(id: string): Promise<Task> {
    return this.object("GET", path`/tasks/${id}`);
  }

  /** Tasks, newest first. */
  list(
    query: { state?: TaskState; region?: string; channel?: string; type?: string } = {},
  ): AsyncGenerator<Task> {
    return pages(this.http, "/tasks", query);
  }

  /** Stops a task: a waiting one ends, the pod of a running one is asked to end it. */
  cancel(id: string): Promise<Task> {
    return this.object("POST", path`/tasks/${id}/stop`, { idempotent: true });
  }

  /** The transitions of a task, oldest first. */
  timeline(id: string): AsyncGenerator<Record<string, unknown>> {
    return pages(this.http, path`/tasks/${id}/timeline`);
  }
}
