import { backoff, reason } from "./http.js";
import { setTimeout as sleep } from "node:timers/promises";

const ANSWER_MAX = 10_000;
const COMMANDS_WAIT_S = 25;
const AGAIN = [408, 425, 429, 500, 502, 503, 504];
const OVER = [401, 403, 404, 410];

/**
 * How long calls are repeated, in milliseconds. Minutes, because a failover of the control plane
 * must not cost a meeting.
 */
export interface Patience {
  first: number;
  longest: number;
  horizon: number;
}

export const PATIENCE: Patience = { first: 250, longest: 10_000, horizon: 300_000 };

/** `leave` or `reconfigure`; further fields are settings. */
export interface Command {
  id: string;
  action: string;
  language?: string;
  task?: string;
  bot_name?: string;
}

/**
 * What the control plane answered: `refused` in the present state, where repeating would not help;
 * `over` if the bot must leave and report nothing more; `silent` if not within the patience.
 */
export type Reply =
  | { kind: "accepted"; commands: Command[] }
  | { kind: "refused" }
  | { kind: "over" }
  | { kind: "silent" };

const SILENT: Reply = { kind: "silent" };

/**
 * The calls of a bot. Every call is idempotent and is repeated until it is answered; heartbeats are
 * sent once, because the next one replaces a lost one.
 */
export class Callbacks {
  readonly #url: string;
  readonly #token: string;
  readonly #connectionId: string;
  readonly #patience: Patience;
  readonly #closed = new AbortController();

  constructor(url: string, token: string, connectionId: string, patience: Patience) {
    this.#url = `${url.replace(/\/+$/, "")}/callback/`;
    this.#token = token;
    this.#connectionId = connectionId;
    this.#patience = patience;
  }

  /** Ends what is still repeated. */
  close(): void {
    this.#closed.abort();
  }

  /** Ends when `leaving` is aborted, as `joined` does. */
  started(meeting_id: number, leaving: AbortSignal): Promise<Reply> {
    return this.#send("POST", "started", { meeting_id }, undefined, OVER, leaving);
  }

  /** A server before 0.3 answers 404, which says nothing about the launch. */
  awaitingAdmission(): Promise<Reply> {
    return this.#send("POST", "awaiting_admission", {}, 10_000, [401, 403, 410]);
  }

  joined(leaving: AbortSignal): Promise<Reply> {
    return this.#send("POST", "joined", {}, undefined, OVER, leaving);
  }

  heartbeat(progress: object | undefined): Promise<Reply> {
    return this.#send("POST", "heartbeat", progress ? { progress } : {}, 0);
  }

  stopping(why: string, atMost: number): Promise<Reply> {
    return this.#send("PATCH", "status", { status: "stopping", reason: why }, atMost);
  }

  exited(exit_code: number, why: string, atMost: number): Promise<Reply> {
    return this.#send("POST", "exited", { exit_code, reason: why }, atMost);
  }

  ack(command_id: string, result: object): Promise<Reply> {
    return this.#send("POST", "ack", { command_id, ...result }, 0);
  }

  transcript(segments: object[]): Promise<Reply> {
    return this.#send("POST", "transcript", { segments }, 30_000);
  }

  participants(report: object): Promise<Reply> {
    return this.#send("POST", "participants", report, 30_000);
  }

  /** Answered when there are commands, or after a while. */
  async commands(signal: AbortSignal): Promise<Reply> {
    const limit = AbortSignal.timeout(COMMANDS_WAIT_S * 1000 + ANSWER_MAX);
    const name = `commands?wait=${COMMANDS_WAIT_S}`;
    const init = { signal: AbortSignal.any([limit, signal]) };
    return (await this.#once(name, init, [401, 403, 410])) ?? SILENT;
  }

  async #send(
    method: string,
    name: string,
    facts: object,
    horizon: number = this.#patience.horizon,
    over: number[] = OVER,
    ended: AbortSignal = this.#closed.signal,
  ): Promise<Reply> {
    const body = JSON.stringify({ ...facts, connection_id: this.#connectionId });
    const giveUp = performance.now() + horizon;
    for (let failures = 1; ; failures++) {
      const left = horizon > 0 ? Math.max(1000, giveUp - performance.now()) : ANSWER_MAX;
      const limit = AbortSignal.timeout(Math.ceil(Math.min(ANSWER_MAX, left)));
      const signal = AbortSignal.any([limit, ended]);
      if (this.#closed.signal.aborted) {
        return { kind: "over" };
      }
      const reply = await this.#once(name, { method, body, signal }, over);
      if (reply !== undefined) {
        return reply;
      }
      const pause = backoff(failures, this.#patience.first, this.#patience.longest);
      if (performance.now() + pause >= giveUp || ended.aborted) {
        return SILENT;
      }
      await sleep(pause, undefined, { signal: ended }).catch(() => {}); // aborted
    }
  }

  /** One attempt; undefined if another one makes sense. */
  async #once(name: string, init: RequestInit, over: number[]): Promise<Reply | undefined> {
    const headers = { Authorization: `Bearer ${this.#token}`, "Content-Type": "application/json" };
    try {
      const response = await fetch(this.#url + name, { ...init, headers, redirect: "manual" });
      const text = await response.text();
      if (response.status === 200) {
        return accepted(text);
      }
      if (over.includes(response.status)) {
        return { kind: "over" };
      }
      if (AGAIN.includes(response.status)) {
        return undefined;
      }
      console.error(`bot: callback ${name} was refused with ${response.status}`);
      return { kind: "refused" };
    } catch (lost) {
      if (process.env["CONVOKE_BOT_DEBUG"]) {
        console.error(`bot: callback ${name} got no answer: ${reason(lost)}`);
      }
      return undefined;
    }
  }
}

/** Undefined for what is no answer of the control plane, such as the page of a proxy. */
function accepted(text: string): Reply | undefined {
  try {
    const { commands } = JSON.parse(text) as { commands: unknown };
    return Array.isArray(commands)
      ? { kind: "accepted", commands: commands.filter(isCommand) }
      : undefined;
  } catch {
    return undefined;
  }
}

function isCommand(value: unknown): value is Command {
  const { id, action } = (value ?? {}) as Partial<Command>;
  return typeof id === "string" && typeof action === "string";
}
