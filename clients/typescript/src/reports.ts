import { setTimeout as sleep } from "node:timers/promises";
import type { Callbacks, Reply } from "./callbacks.js";

const WAITING_MAX = 5000;
const GROUP_MAX = 100;

/** Half of what the control plane takes in one call. */
const GROUP_BYTES_MAX = 512 << 10;
const SECONDS_MAX = 1e7;

/**
 * What someone said; start and end are seconds since the bot's session began. With `completed:
 * false` it is a draft, which the next one of the same start and speaker replaces.
 */
export interface SpokenSegment {
  start: number;
  end: number;
  text: string;
  speaker?: string;
  language?: string;
  completed?: boolean;
  /** How loud it is, in dBov (RFC 6464), -127 to 0. */
  level_db?: number;
}

/**
 * A message of the meeting's chat; `id` names it in the bot's session, where a message that is
 * reported again is stored once.
 */
export interface ChatMessage {
  id: string;
  text: string;
  sender?: string;
  at?: string;
}

/** One connection of a person to the meeting; `session_id` names it. */
export interface Attendee {
  session_id: string;
  user_id?: string;
  user_name?: string;
  joined_at?: string;
}

/** Whether the bot has been alone for too long. Times are milliseconds and are passed in. */
export class LeaveRules {
  readonly #noOneJoined: number;
  readonly #everyoneLeft: number;
  #aloneSince: number | undefined;
  #met = false;

  constructor(noOneJoined: number, everyoneLeft: number, now: number) {
    this.#noOneJoined = noOneJoined;
    this.#everyoneLeft = everyoneLeft;
    this.#aloneSince = now;
  }

  /** There are so many others now. */
  others(count: number, now: number): void {
    if (count > 0) {
      this.#met = true;
      this.#aloneSince = undefined;
    } else {
      this.#aloneSince ??= now;
    }
  }

  /** Why to go now, if there is a reason. */
  reason(now: number): string | undefined {
    if (this.until(now) > 0) {
      return undefined;
    }
    return this.#met ? "everyone_left" : "no_one_joined";
  }

  /** How long until a rule applies, if nothing happens. */
  until(now: number): number {
    if (this.#aloneSince === undefined) {
      return Infinity;
    }
    return this.#aloneSince + (this.#met ? this.#everyoneLeft : this.#noOneJoined) - now;
  }
}

/** Numbers events, so that a repeated one is recognised, and knows who is there. No I/O. */
export class Roster {
  readonly #connectionId: string;
  #present = new Map<string, Attendee>();
  #numbered = 0;

  constructor(connectionId: string) {
    this.#connectionId = connectionId;
  }

  get present(): ReadonlyMap<string, Attendee> {
    return this.#present;
  }

  joined(who: Attendee): object {
    const facts = this.#dated(who);
    this.#present.set(who.session_id, facts);
    return { ...facts, ...this.#event("joined", facts.joined_at) };
  }

  left(session_id: string, at: string = now()): object {
    const who = this.#present.get(session_id) ?? { session_id: line(session_id, 255) };
    this.#present.delete(session_id);
    return { ...who, ...this.#event("left", at) };
  }

  everybody(people: Iterable<Attendee>): void {
    this.#present = new Map([...people].map((who) => [who.session_id, this.#dated(who)]));
  }

  fullList(): object {
    return { at: now(), participants: [...this.#present.values()] };
  }

  /** A time that is not given stays the first one: the server knows the session by it. */
  #dated(who: Attendee) {
    const { joined_at } = this.#present.get(who.session_id) ?? {};
    return reportable(who, who.joined_at ?? joined_at ?? now());
  }

  #event(type: string, at: string): object {
    this.#numbered++;
    return { id: `${this.#connectionId}:${this.#numbered}`, type, at };
  }
}

/** The batches of a sender; the newest of too many is dropped. */
abstract class Sender<T> {
  protected readonly waiting: T[] = [];
  #working: Promise<void> | undefined;

  constructor(readonly what: string) {}

  add(item: T): void {
    if (this.waiting.length >= WAITING_MAX) {
      console.error(`bot: ${this.what} dropped: too many wait to be sent`);
      return;
    }
    this.waiting.push(item);
    this.start();
  }

  protected start(): void {
    // One that failed stays: begun again, it would fail for ever.
    this.#working ??= this.work().then(() => {
      this.#working = undefined;
      if (this.waiting.length > 0) {
        this.start();
      }
    });
  }

  /** Sends what waits, until nothing does. */
  protected abstract work(): Promise<void>;

  /** Resolves once nothing waits. */
  async finish(): Promise<void> {
    while (this.#working !== undefined) {
      await this.#working;
    }
  }
}

/** Sends in order, in small batches; each is repeated until it is answered. */
export class BatchSender<T> extends Sender<T> {
  readonly #finishing = new AbortController();

  constructor(
    what: string,
    readonly send: (group: T[]) => Promise<Reply>,
    readonly gather = 300,
  ) {
    super(what);
  }

  protected override async work(): Promise<void> {
    while (this.waiting.length > 0) {
      const options = { signal: this.#finishing.signal };
      await sleep(this.gather, undefined, options).catch(() => {}); // finishing
      const group = this.waiting.splice(0, this.#fitting());
      while ((await this.send(group)).kind === "silent");
    }
  }

  /** How many of the first reports one call may hold. */
  #fitting(): number {
    let bytes = 0;
    const next = this.waiting.slice(0, GROUP_MAX).findIndex((report) => {
      bytes += Buffer.byteLength(JSON.stringify(report));
      return bytes > GROUP_BYTES_MAX;
    });
    return next < 0 ? GROUP_MAX : Math.max(1, next);
  }

  override finish(): Promise<void> {
    this.#finishing.abort();
    return super.finish();
  }
}

/** An event, or the full list, which ends a report. */
export type Sighting = { event: object } | { everybody: object; again?: true };

/** Sends participants in order. A full list is sent once more: one absence closes no session. */
export class ParticipantSender extends Sender<Sighting> {
  #confirm: NodeJS.Timeout | undefined;
  #over = false;

  constructor(
    readonly callbacks: Callbacks,
    readonly fullList: () => object,
    readonly confirmAfter = 16_000,
  ) {
    super("participant report");
  }

  protected override async work(): Promise<void> {
    while (this.waiting.length > 0) {
      const end = this.waiting.findIndex((sighting) => "everybody" in sighting);
      const group = this.waiting.splice(0, Math.min(500, end < 0 ? 500 : end + 1));
      const events = group.flatMap((sighting) => ("event" in sighting ? [sighting.event] : []));
      const last = group.at(-1);
      const full = last && "everybody" in last ? last : undefined;
      if (full && !full.again) {
        clearTimeout(this.#confirm);
        const again = () => this.add({ everybody: this.fullList(), again: true });
        this.#confirm = setTimeout(again, this.confirmAfter).unref();
      }
      const report = full ? { events, everybody: full.everybody } : { events };
      let kind = this.#over ? "over" : "silent";
      while (kind === "silent") {
        kind = (await this.callbacks.participants(report)).kind;
      }
      this.#over = kind === "over";
    }
  }

  override finish(): Promise<void> {
    clearTimeout(this.#confirm);
    return super.finish();
  }
}

/** Cut to what a report may hold: a stranger's long message must not stop the others. */
export function chatReport({ id, text, sender, at = now() }: ChatMessage) {
  return { id: line(id, 128), ...named("sender", sender), text: cut(text, 4096), at };
}

/** Cut likewise, as silence has no level; nothing for words of which nothing is left. */
export function spokenReport(segment: SpokenSegment): object[] {
  const { start, end, text, speaker, language, level_db, ...rest } = segment;
  const words = cut(text, 4096);
  const report = {
    ...rest,
    start: bounded(start, 0, SECONDS_MAX),
    end: bounded(end, 0, SECONDS_MAX),
    text: words,
    ...named("speaker", speaker),
    ...named("language", language, 35),
    ...(typeof level_db === "number" && { level_db: bounded(level_db, -127, 0) }),
  };
  return words === "" ? [] : [report];
}

/** The beginning of a text, without NUL and halves of surrogate pairs, which are not stored. */
function cut(text: string, longest: number): string {
  return Array.from(text.replace(/[\0\p{Cs}]/gu, "")).slice(0, longest).join("");
}

/** The same on one line: control characters become spaces. */
export function line(text: string, longest: number): string {
  return cut(text.replace(/[\0-\x1f\x7f-\x9f]/g, " ").trim(), longest);
}

/** A field with a name or id on one line; no field where nothing of it is left. */
function named(field: string, name: string | undefined, longest = 255): object {
  const text = line(name ?? "", longest);
  return text === "" ? {} : { [field]: text };
}

/** What is nearest to it within these; the least for what is no number, as callers in JavaScript may give. */
function bounded(number: unknown, least: number, most: number): number {
  const value = Number(number);
  return Number.isNaN(value) ? least : Math.min(most, Math.max(least, value));
}

/** Whether it settles within so many milliseconds. */
export async function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true, () => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

export function now(): string {
  return new Date().toISOString();
}

/** Cut to what a report may hold: a stranger's name must not stop the others. */
function reportable({ session_id, user_id, user_name }: Attendee, joined_at: string) {
  return {
    session_id: line(session_id, 255),
    ...named("user_id", user_id),
    ...named("user_name", user_name),
    joined_at,
  };
}
