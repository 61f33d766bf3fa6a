import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, InvalidAnswer, Unreachable } from "./errors.js";
import type { Calls, QueryOf } from "./calls.js";
import { backoff, reason } from "./http.js";
import { Limit, parts } from "./limit.js";
import type { JournalEvent } from "./models.js";
import { messages } from "./sse.js";

/** A stream without a byte for so long is lost: the server sends a comment each 15 s. */
const SILENCE_MS = 45_000;

/** A connection that stood for so long has worked, whatever ends it: the next pause is short. */
const STEADY_MS = 10_000;

export type EventQuery = QueryOf<"listEvents">;
export type EventFilter = Pick<EventQuery, "after" | "type" | "subject">;

export interface StreamOptions extends EventFilter {
  /** Ends the stream, without an error. */
  signal?: AbortSignal;
  /** Throws when the server has been away for so many milliseconds since its loss; else never. */
  giveUpAfter?: number;
}

/** The journal: what happened to meetings, bots, recordings, tasks. */
export class Events {
  readonly #api: Calls;
  readonly #sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;

  constructor(api: Calls, pause?: (ms: number) => Promise<unknown>) {
    this.#api = api;
    this.#sleep = pause ?? ((ms, signal) => sleep(ms, undefined, { signal }));
  }

  /** Events of the past, page by page; the oldest first unless `order` is `newest`. */
  list(query: EventQuery = {}): AsyncGenerator<JournalEvent> {
    return this.#api.pages("listEvents", { query }) as AsyncGenerator<JournalEvent>;
  }

  /**
   * Events as they happen, each once and in order, over every loss of the connection.
   *
   * Begins after the event `after`, else with what happens after this call. To go on in a later
   * process, store `seq` and pass it. A refusal (401, 403, 400) is thrown to the reader.
   */
  stream(options: StreamOptions = {}): AsyncGenerator<JournalEvent> {
    const begin = Promise.resolve(options.after ?? this.#newest());
    begin.catch(() => {}); // the reader hears of it
    return this.#follow(options, begin);
  }

  async *#follow(
    options: StreamOptions,
    begin: Promise<number> | undefined,
  ): AsyncGenerator<JournalEvent> {
    const ended = options.signal ?? new AbortController().signal;
    let last: number | undefined;
    let failures = 0;
    let lostAt = Date.now();
    while (!ended.aborted) {
      let error: Error = new Unreachable("The stream ended");
      let openedAt: number | undefined;
      try {
        last ??= await (begin ?? this.#newest());
        for await (const event of this.#connection(last, options, ended)) {
          if (event === undefined) {
            openedAt = Date.now();
            continue;
          }
          failures = 0;
          if (event.seq > last) {
            last = event.seq;
            yield event;
          }
          lostAt = Date.now();
        }
      } catch (broken) {
        if (!passes(broken)) {
          throw broken;
        }
        begin = undefined; // where now is, is asked again if it is not known
        error = broken;
      }
      const steady = openedAt !== undefined && Date.now() - openedAt >= STEADY_MS;
      if (steady || (openedAt !== undefined && !(error instanceof InvalidAnswer))) {
        lostAt = Date.now(); // the server was there until now, however quiet
      }
      failures = steady ? 1 : failures + 1;
      const asked = error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0;
      const pause = Math.max(backoff(failures), Math.min(asked, 60_000));
      if (ended.aborted) {
        return;
      }
      if (options.giveUpAfter !== undefined && Date.now() + pause - lostAt > options.giveUpAfter) {
        throw error;
      }
      await this.#sleep(pause, ended).catch(() => {}); // aborted
    }
  }

  /** Where now is. A stream that begins there misses nothing when its first connection breaks. */
  async #newest(): Promise<number> {
    const query = { order: "newest", limit: 1 } as const;
    return (await this.#api.call("listEvents", { query })).items[0]?.seq ?? 0;
  }

  /** Undefined once it is open, and then its events. */
  async *#connection(
    after: number,
    { type, subject }: EventFilter,
    ended: AbortSignal,
  ): AsyncGenerator<JournalEvent | undefined> {
    const limit = new Limit(SILENCE_MS, ended);
    try {
      const response = await this.#api.http.open(
        "GET",
        "/events",
        {
          query: { type, subject },
          headers: { Accept: "text/event-stream", "Last-Event-ID": String(after) },
        },
        limit.signal,
      );
      const kind = response.headers.get("content-type") ?? "nothing";
      if (!kind.startsWith("text/event-stream")) {
        throw new InvalidAnswer(`Not an event stream but ${kind}`);
      }
      yield undefined;
      const body = parts(response, limit.signal);
      for await (const message of messages(body, () => limit.refresh())) {
        yield parse(message.id, message.data);
      }
    } catch (lost) {
      throw lost instanceof ApiError || lost instanceof InvalidAnswer || lost instanceof Unreachable
        ? lost
        : new Unreachable(`The stream broke: ${reason(lost)}`);
    } finally {
      limit.end();
    }
  }
}

function parse(id: string, data: string): JournalEvent {
  try {
    const event = JSON.parse(data) as JournalEvent;
    if (event.seq === Number(id)) {
      return event;
    }
  } catch {
    // thrown below
  }
  throw new InvalidAnswer("An event cannot be read");
}

function passes(error: unknown): error is Error {
  return error instanceof ApiError
    ? error.status >= 500 || [408, 425, 429].includes(error.status)
    : error instanceof Unreachable || error instanceof InvalidAnswer;
}
