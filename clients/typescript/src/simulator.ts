import { setTimeout as sleep } from "node:timers/promises";
import { BotFailure, ExitCode, NotAdmitted, type Attendee } from "./bot.js";
import { content, Limit, parts } from "./limit.js";
import { messages } from "./sse.js";

const PATIENCE_MS = 20_000;
const ANSWER_MS = 5000;
const RETRY_MS = 500;

/** `snapshot`, `participant-joined`, `caption`, ...; `session-gone` is our own. */
export interface RoomEvent {
  name: string;
  data: Record<string, unknown>;
}

interface JoinAnswer {
  session_id: string;
  state: string;
  events_url: string;
  say_url: string;
  leave_url: string;
}

/**
 * A place in a room of Convoke's platform simulator, for bots that are tested against it. A broken
 * event stream is opened again where it broke; a platform that stays away for 20 s throws
 * `platform_gone`.
 */
export class Room {
  readonly sessionId: string;
  readonly waiting: boolean;
  readonly #urls: { events: string; say: string; leave: string };
  readonly #closed = new AbortController();
  #last = "";

  private constructor(answer: JoinAnswer, asked: string) {
    this.sessionId = answer.session_id;
    this.waiting = answer.state === "waiting";
    this.#urls = {
      events: sameHost(answer.events_url, asked),
      say: sameHost(answer.say_url, asked),
      leave: sameHost(answer.leave_url, asked),
    };
  }

  /** Joins, or waits in the lobby if `waiting`. */
  static async join(
    url: string | undefined,
    who: { user_name: string; user_id: string },
    leaving?: AbortSignal,
  ): Promise<Room> {
    if (!url || !/^https?:\/\/\S+$/.test(url)) {
      throw new BotFailure(ExitCode.BAD_CONFIG, "missing_meeting_url");
    }
    const giveUp = performance.now() + PATIENCE_MS;
    while (performance.now() < giveUp) {
      leaving?.throwIfAborted();
      const answer = await post(`${url}/join`, who).catch(() => undefined);
      if (answer?.status === 200) {
        return new Room(JSON.parse(answer.body) as JoinAnswer, url);
      }
      if (answer?.status === 404) {
        throw new BotFailure(ExitCode.NO_MEETING, "meeting_not_found");
      }
      if (answer?.status === 401 || answer?.status === 403) {
        throw new NotAdmitted();
      }
      await sleep(RETRY_MS);
    }
    throw new BotFailure(ExitCode.PLATFORM_GONE, "platform_gone");
  }

  /** Waits in the lobby for so many seconds at most; throws {@link NotAdmitted}. */
  async admitted(atMost: number, leaving: AbortSignal): Promise<void> {
    const limit = new Limit(atMost * 1000, leaving);
    try {
      // The stream that the bot reads afterwards begins with a snapshot.
      for await (const { name, data } of this.events(limit.signal)) {
        if (name === "admitted" || (name === "snapshot" && data["state"] === "in_meeting")) {
          this.#last = "";
          return;
        }
        if (name === "denied" || name === "session-gone") {
          throw new NotAdmitted();
        }
      }
      throw new NotAdmitted(limit.late ? "waiting_room_timeout" : "admission_denied");
    } finally {
      limit.end();
    }
  }

  /** What happens in the room, until it ends or `leaving` is aborted. */
  async *events(leaving: AbortSignal): AsyncGenerator<RoomEvent> {
    let contact = performance.now();
    while (!leaving.aborted && !this.#closed.signal.aborted) {
      const limit = new Limit(ANSWER_MS, leaving, this.#closed.signal);
      try {
        const response = await fetch(this.#urls.events, {
          headers: {
            Accept: "text/event-stream",
            ...(this.#last && { "Last-Event-ID": this.#last }),
          },
          signal: limit.signal,
          redirect: "error",
        });
        if (response.status === 404) {
          yield { name: "session-gone", data: {} };
          return;
        }
        if (response.status === 200) {
          const heard = () => {
            contact = performance.now();
            limit.refresh();
          };
          const body = parts(response, limit.signal);
          for await (const { id, event, data } of messages(body, heard)) {
            this.#last = id || this.#last;
            yield { name: event, data: JSON.parse(data) as Record<string, unknown> };
          }
        }
      } catch {
        // opened again below
      } finally {
        limit.end();
      }
      if (performance.now() - contact > PATIENCE_MS) {
        throw new BotFailure(ExitCode.PLATFORM_GONE, "platform_gone");
      }
      await sleep(RETRY_MS, undefined, { signal: leaving }).catch(() => {}); // aborted
    }
  }

  async say(text: string): Promise<void> {
    await post(this.#urls.say, { session_id: this.sessionId, text });
  }

  async leave(): Promise<void> {
    this.#closed.abort();
    await post(this.#urls.leave, { session_id: this.sessionId });
  }
}

/** A person of an event, or of the list of a `snapshot`. */
export function attendee(data: Record<string, unknown>): Attendee {
  const who: Attendee = { session_id: String(data["session_id"] ?? "") };
  for (const name of ["user_id", "user_name", "joined_at"] as const) {
    const value = data[name];
    if (typeof value === "string" && value !== "") {
      who[name] = value;
    }
  }
  return who;
}

/** A room must not lead its clients to other machines of their network. */
function sameHost(told: string, asked: string): string {
  if (!URL.canParse(told) || new URL(told).origin !== new URL(asked).origin) {
    throw new BotFailure(ExitCode.PLATFORM_GONE, "platform_error");
  }
  return told;
}

/** Status and whole body of the answer. */
async function post(url: string, body: object): Promise<{ status: number; body: string }> {
  const limit = new Limit(ANSWER_MS);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: limit.signal,
      redirect: "error",
    });
    return { status: response.status, body: String(await content(response, limit.signal)) };
  } finally {
    limit.end();
  }
}
