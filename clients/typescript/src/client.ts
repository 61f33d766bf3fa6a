import { Calls, type Body, type Given, type QueryOf } from "./calls.js";
import { Events } from "./events.js";
import { Http, type HttpOptions, type Request } from "./http.js";
import type { BotRequest, Platform, Recording, Schemas, Segment, SyncStatus } from "./models.js";

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
 * fetch page after page. What is used daily has a method in a group, every operation is reached by
 * `call`, and every list by `pages`.
 *
 *     const convoke = new Convoke({ url: "https://convoke.example.org", apiKey: "cvk_..." });
 *     const meeting = await convoke.bots.start({ platform: "daily", native_meeting_id: "stand-up" });
 */
export class Convoke extends Calls {
  readonly bots: Bots;
  readonly meetings: Meetings;
  readonly transcripts: Transcripts;
  readonly recordings: Recordings;
  readonly rooms: Rooms;
  readonly webhooks: Webhooks;
  readonly sync: Sync;
  readonly tasks: Tasks;
  readonly events: Events;

  constructor(options: ConvokeOptions = {}) {
    const adminKey = credential("adminKey", options.adminKey);
    const token = credential("token", options.token);
    const otherwise = adminKey || token ? undefined : process.env["CONVOKE_API_KEY"];
    const key = credential("apiKey", options.apiKey ?? otherwise);
    const url = options.url ?? process.env["CONVOKE_URL"] ?? "http://localhost:8080";
    const headers = {
      ...(key && { "X-API-Key": key }),
      ...(adminKey && { "X-Admin-API-Key": adminKey }),
      ...(token && { Authorization: `Bearer ${token}` }),
    };
    super(new Http(url, headers, options));
    this.bots = new Bots(this);
    this.meetings = new Meetings(this);
    this.transcripts = new Transcripts(this);
    this.recordings = new Recordings(this);
    this.rooms = new Rooms(this);
    this.webhooks = new Webhooks(this);
    this.sync = new Sync(this);
    this.tasks = new Tasks(this);
    this.events = new Events(this, options.sleep);
  }

  /** What was said in all meetings with all words of `q`, the best matches first. */
  search(q: string) {
    return this.pages("searchTranscripts", { query: { q } });
  }

  /** A call that the API's document does not have: the JSON of its answer. */
  async request(method: string, where: string, request: Request = {}): Promise<unknown> {
    const answer = await this.http.send(method, where, request);
    return answer.body.length > 0 ? answer.json() : undefined;
  }
}

/** Without space around it. The message leaves out what is refused: logs would show it. */
function credential(name: string, given: string | undefined): string | undefined {
  const text = given?.trim();
  if (text && !/^[ -~]+$/.test(text)) {
    throw new TypeError(`${name} has a character that is not printable ASCII`);
  }
  return text;
}

class Part {
  constructor(protected readonly api: Calls) {}
}

/** Names a bot: by its meeting, or by platform and native id. */
export type BotName = { meeting_id: number } | { platform: Platform; native_meeting_id: string };

class Bots extends Part {
  /** Sends a bot into a meeting. */
  start(bot: BotRequest) {
    return this.api.call("startBot", { body: bot });
  }

  /** Sends up to 50 bots, each with an answer of its own, in this order. */
  async batch(bots: Body<"startBots">["bots"]) {
    return (await this.api.call("startBots", { body: { bots } })).items;
  }

  /** Asks a bot to leave; one that has ended is unchanged. */
  stop(bot: BotName & Body<"stopBot">) {
    return this.api.call("stopBot", { body: bot });
  }

  /** Changes a running bot. */
  configure(bot: BotName & Body<"configureBot">) {
    return this.api.call("configureBot", { body: bot });
  }

  /** Moves the start of a bot that waits for it. */
  reschedule(bot: BotName & Body<"rescheduleBot">) {
    return this.api.call("rescheduleBot", { body: bot });
  }

  /** Live bots. */
  active() {
    return this.api.pages("activeBots");
  }

  /** One bot, with the owner and the deadline of its state. */
  async status(meeting_id: number) {
    const answer = await this.api.call("botStatuses", { query: { meeting_id } });
    return answer as Schemas["BotStatusReport"];
  }

  /** All bots, with `live` those that have not ended. */
  list(query: QueryOf<"botStatuses"> = {}) {
    return this.api.pages("botStatuses", { query });
  }
}

class Meetings extends Part {
  /** Tracks a meeting without a bot. */
  track(meeting: Body<"trackMeeting">) {
    return this.api.call("trackMeeting", { body: meeting });
  }

  /** Meetings, newest first. */
  list(query: QueryOf<"listMeetings"> = {}) {
    return this.api.pages("listMeetings", { query });
  }

  get(id: number) {
    return this.api.call("getMeeting", { path: { id } });
  }

  /** Replaces the free-form data of a meeting. */
  describe(id: number, data: Record<string, unknown>) {
    return this.api.call("describeMeeting", { path: { id }, body: { data } });
  }

  /** Who is, and was, in the meeting. */
  participants(id: number, query: QueryOf<"listParticipants"> = {}) {
    return this.api.call("listParticipants", { path: { id }, query });
  }

  /** The events of a meeting, oldest first. */
  timeline(id: number) {
    return this.api.pages("meetingTimeline", { path: { id } });
  }

  summary(id: number) {
    return this.api.call("getSummary", { path: { id } });
  }
}

/** A transcript as text; `nextCursor` leads on if it has more than 20,000 segments. */
export interface TranscriptDocument {
  text: string;
  nextCursor: string | undefined;
}

class Transcripts extends Part {
  /** The transcript, up to 20,000 segments. */
  get(meeting_id: number, query: QueryOf<"getTranscript"> = {}) {
    return this.api.call("getTranscript", { path: { meeting_id }, query });
  }

  /** All segments, page by page. */
  async *segments(meeting_id: number): AsyncGenerator<Segment> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { limit: 2000, ...(cursor !== undefined && { cursor }) };
      const page = await this.get(meeting_id, query);
      yield* page.segments;
      cursor = page.next_cursor;
    }
  }

  async export(
    meeting_id: number,
    format: "vtt" | "srt" | "txt" | "md",
    cursor?: string,
  ): Promise<TranscriptDocument> {
    const answer = await this.api.send("getTranscript", {
      path: { meeting_id },
      query: { format, cursor },
      header: { Accept: "*/*" },
    });
    return { text: answer.text(), nextCursor: answer.headers.get("next-cursor") ?? undefined };
  }

  /** Corrects a segment; `speaker: null` removes the speaker. */
  correct(meeting_id: number, segment_id: number, change: Body<"correctSegment">) {
    return this.api.call("correctSegment", { path: { meeting_id, segment_id }, body: change });
  }

  renameSpeaker(meeting_id: number, change: Body<"renameSpeaker">) {
    return this.api.call("renameSpeaker", { path: { meeting_id }, body: change });
  }
}

class Recordings extends Part {
  /** Recordings, newest first, all or of one meeting. */
  list(query: QueryOf<"listRecordings"> & { meeting_id?: number } = {}): AsyncGenerator<Recording> {
    const { meeting_id: id, ...rest } = query;
    return id === undefined
      ? this.api.pages("listRecordings", { query: rest })
      : this.api.pages("listRecordingsOfMeeting", { path: { id }, query: rest });
  }

  get(id: string) {
    return this.api.call("getRecording", { path: { id } });
  }

  /** The audio as downloaded from the platform. */
  async audio(id: string): Promise<Uint8Array> {
    const given = { path: { id }, header: { Accept: "*/*" } };
    return (await this.api.send("getRecordingAudio", given)).body;
  }

  /** Assigns a recording to a meeting. */
  match(id: string, meeting_id: number) {
    return this.api.call("matchRecording", { path: { id }, body: { meeting_id } });
  }

  /** Tries a failed recording again, from a step or from where it stopped. */
  retry(id: string, body: Body<"retryRecording"> = {}) {
    return this.api.call("retryRecording", { path: { id }, body });
  }

  /** Deletes a recording with its audio and transcript. */
  delete(id: string) {
    return this.api.call("deleteRecording", { path: { id } });
  }
}

type RoomPlatform = Given<"trackRoom">["path"]["platform"];

class Rooms extends Part {
  /** Makes a room of platform `janus`, with links for the browser. */
  create(room: Body<"createRoom"> = {}) {
    return this.api.call("createRoom", { body: room });
  }

  /** Own rooms and those of one's teams; an admin sees all. */
  list() {
    return this.api.pages("listRooms");
  }

  /** Whether every visit to the room, or to the rooms of a prefix, is tracked. */
  track(platform: RoomPlatform, room: string, track: boolean) {
    return this.api.call("trackRoom", { path: { platform, room }, body: { track } });
  }

  /** Gives a room, or the rooms of a prefix, to a user or a team (admin). */
  assign(platform: RoomPlatform, room: string, owner: Body<"assignRoom">) {
    return this.api.call("assignRoom", { path: { platform, room }, body: owner });
  }

  /** Takes a room from its owner (admin). */
  release(platform: RoomPlatform, room: string) {
    return this.api.call("releaseRoom", { path: { platform, room } });
  }
}

class Webhooks extends Part {
  /** Registers an address; the answer alone holds the secret. */
  create(endpoint: Body<"createWebhookEndpoint">) {
    return this.api.call("createWebhookEndpoint", { body: endpoint });
  }

  list() {
    return this.api.pages("listWebhookEndpoints");
  }

  get(id: number) {
    return this.api.call("getWebhookEndpoint", { path: { id } });
  }

  /** With everything that waits for it. */
  delete(id: number) {
    return this.api.call("deleteWebhookEndpoint", { path: { id } });
  }

  /** Sends a message of type `webhook_endpoint.test`. */
  test(id: number) {
    return this.api.call("testWebhookEndpoint", { path: { id } });
  }

  /** Resumes a paused endpoint. */
  resume(id: number) {
    return this.api.call("resumeWebhookEndpoint", { path: { id } });
  }

  /** Deliveries, newest first. */
  deliveries(id: number, query: QueryOf<"listWebhookDeliveries"> = {}) {
    return this.api.pages("listWebhookDeliveries", { path: { id }, query });
  }

  /** Sends a delivered message again. */
  resend(id: number, delivery_id: number) {
    return this.api.call("resendWebhookDelivery", { path: { id, delivery_id } });
  }
}

class Sync extends Part {
  /** Whether a meeting has reached the CRM. */
  async get(meeting_id: number | string): Promise<SyncStatus> {
    const query = { meeting_id: [String(meeting_id)] };
    return (await this.api.call("getSyncStatus", { query })) as SyncStatus;
  }

  /** Of several meetings, up to 100, by their ids; unknown ids are missing. */
  async getMany(meeting_id: readonly (number | string)[]): Promise<Map<string, SyncStatus>> {
    if (meeting_id.length < 2) {
      throw new RangeError("getMany is for several meetings");
    }
    const query = { meeting_id: meeting_id.map(String) };
    const answer = await this.api.call("getSyncStatus", { query });
    const { items } = answer as Schemas["SyncViews"];
    return new Map(items.map((item) => [item.meeting_id, item]));
  }

  /** Reports a status (internal services); repeated only if `job_id` says which update it is. */
  async update(update: Body<"updateSyncStatus">): Promise<SyncStatus> {
    const idempotent = update.job_id !== undefined;
    return (await this.api.send("updateSyncStatus", { body: update }, idempotent)).object();
  }

  /** Tries a failed or stalled sync again. */
  retry(meeting_id: number | string) {
    return this.api.call("retrySync", { path: { meeting_id: String(meeting_id) } });
  }
}

/** A task to submit. The same `request_id` again is the same task. */
export type TaskRequest = Omit<Body<"createTask">, "action">;

class Tasks extends Part {
  submit(task: TaskRequest) {
    return this.api.call("createTask", { body: { action: "start", ...task } });
  }

  get(id: string) {
    return this.api.call("getTask", { path: { id } });
  }

  /** Tasks, newest first. */
  list(query: QueryOf<"listTasks"> = {}) {
    return this.api.pages("listTasks", { query });
  }

  /** Stops a task: a waiting one ends, the pod of a running one is asked to end it. */
  cancel(id: string) {
    return this.api.call("stopTask", { path: { id } });
  }

  /** The transitions of a task, oldest first. */
  timeline(id: string) {
    return this.api.pages("taskTimeline", { path: { id } });
  }
}
