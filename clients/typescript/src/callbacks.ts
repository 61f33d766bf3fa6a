import { backoff, reason } from "./http.js";
import { content, Limit } from "./limit.js";
import { setTimeout as sleep } from "node:timers/promises";

const ANSWER_MAX = 10_000;
const COMMANDS_WAIT_S = 25;
const AGAIN = [408, 425, 429, 500, 502, 503, 504];
const LONGEST_SOUND = 8 << 20;
const SPEECH_TRIES = 5;
const OVER = [401, 403, 404, 410];

/** Of calls that an older server may not have: its 404 says nothing about the launch. */
const OVER_IF_NEW = [401, 403, 410];

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

/** `leave`, `reconfigure`, `speak` or `chat`; further fields say what is to be changed or said. */
export interface Command {
  id: string;
  action: string;
  language?: string;
  task?: string;
  bot_name?: string;
  text?: string;
  voice?: string;
  audio_bytes?: number;
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

  awaitingAdmission(): Promise<Reply> {
    return this.#send("POST", "awaiting_admission", {}, 10_000, OVER_IF_NEW);
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

  chat(messages: object[]): Promise<Reply> {
    return this.#send("POST", "chat", { messages }, 30_000, OVER_IF_NEW);
  }

  participants(report: object): Promise<Reply> {
    return this.#send("POST", "participants", report, 30_000);
  }

  /** Answered when there are commands, or after a while. */
  async commands(signal: AbortSignal): Promise<Reply> {
    const limit = new Limit(COMMANDS_WAIT_S * 1000 + ANSWER_MAX, signal);
    const name = `commands?wait=${COMMANDS_WAIT_S}`;
    return (await this.#once(name, {}, limit, OVER_IF_NEW)) ?? SILENT;
  }

  /** The sound of a command, if the control plane still has it. */
  async speech(
    commandId: string,
    answerMax = ANSWER_MAX,
    longest = LONGEST_SOUND,
  ): Promise<Uint8Array | undefined> {
    const ended = this.#closed.signal;
    const name = `speech/${encodeURIComponent(commandId)}`;
    for (let failures = 1; failures <= SPEECH_TRIES && !ended.aborted; failures++) {
      const limit = new Limit(answerMax, ended);
      const answer = await this.#ask(name, {}, limit, longest);
      if (answer && answer.status < 500) {
        return answer.status === 200 ? new Uint8Array(answer.body) : undefined;
      }
      const pause = backoff(failures, this.#patience.first, this.#patience.longest);
      await sleep(pause, undefined, { signal: ended }).catch(() => {}); // aborted
    }
    return undefined;
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
      if (this.#closed.signal.aborted) {
        return { kind: "over" };
      }
      const left = horizon > 0 ? Math.max(1000, giveUp - performance.now()) : ANSWER_MAX;
      const limit = new Limit(Math.min(ANSWER_MAX, left), ended);
      const reply = await this.#once(name, { method, body }, limit, over);
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
  async #once(
    name: string,
    init: RequestInit,
    limit: Limit,
    over: number[],
  ): Promise<Reply | undefined> {
    const answer = await this.#ask(name, init, limit);
    if (answer === undefined || AGAIN.includes(answer.status)) {
      return undefined;
    }
    if (answer.status === 200) {
      return accepted(answer.body.toString());
    }
    if (over.includes(answer.status)) {
      return { kind: "over" };
    }
    console.error(`bot: callback ${name} was refused with ${answer.status}`);
    return { kind: "refused" };
  }

  /** Status and whole body of one answer; undefined if there is none within the limit. */
  async #ask(
    name: string,
    init: RequestInit,
    limit: Limit,
    longest?: number,
  ): Promise<{ status: number; body: Buffer } | undefined> {
    const headers = { Authorization: `Bearer ${this.#token}`, "Content-Type": "application/json" };
    const { signal } = limit;
    try {
      const response = await fetch(this.#url + name, { ...init, headers, signal, redirect: "manual" });
      return { status: response.status, body: await content(response, signal, longest) };
    } catch (lost) {
      if (process.env["CONVOKE_BOT_DEBUG"]) {
        console.error(`bot: callback ${name} got no answer: ${reason(lost)}`);
      }
      return undefined;
    } finally {
      limit.end();
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
