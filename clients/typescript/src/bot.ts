import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Callbacks, PATIENCE, type Command, type Patience, type Reply } from "./callbacks.js";
import { backoff, reason } from "./http.js";
import {
  BatchSender,
  chatReport,
  LeaveRules,
  ParticipantSender,
  Roster,
  spokenReport,
  within,
  type Attendee,
  type ChatMessage,
  type SpokenSegment,
} from "./reports.js";
import { TalkCommands, type SpeakCommand } from "./talk.js";

export { LeaveRules, type Attendee, type ChatMessage, type SpokenSegment } from "./reports.js";
export { CommandRefused, type SpeakCommand } from "./talk.js";
export type { Command, Patience } from "./callbacks.js";

const STEP_MAX = 3000;
const GOODBYE_MAX = 9000;

/**
 * How long the bot finishes, and what waits is sent, before `exited`: with the steps around it less
 * than the two minutes that a bot may be stopping.
 */
const REPORTS_MAX = 90_000;
const REMEMBERED = 1000;
const SETTINGS = ["language", "task", "bot_name"] as const;

export type Setting = (typeof SETTINGS)[number];

/** How a bot's process ends. */
export const ExitCode = {
  LEFT: 0,
  CRASHED: 1,
  BAD_CONFIG: 2,
  NOT_ADMITTED: 10,
  NO_MEETING: 11,
  PLATFORM_GONE: 20,
  CONTROL_PLANE_LOST: 21,
  TOLD_TO_GO: 22,
} as const;

/** The bot cannot go on; `reason` is a stable code that the meeting's outcome shows. */
export class BotFailure extends Error {
  constructor(
    readonly code: number,
    readonly reason: string,
  ) {
    super(reason);
  }
}

/** The meeting did not let the bot in. */
export class NotAdmitted extends BotFailure {
  constructor(why = "admission_denied") {
    super(ExitCode.NOT_ADMITTED, why);
  }
}

/** `BOT_CONFIG`; durations are seconds. It holds a token: never log it. */
export interface BotConfig {
  meeting_id: number;
  connection_id: string;
  attempt: number;
  platform: string;
  native_meeting_id: string;
  token: string;
  callback_url: string;
  meeting_url?: string;
  passcode?: string;
  bot_name: string;
  language?: string;
  task: string;
  heartbeat_interval: number;
  automatic_leave: {
    waiting_room_timeout: number;
    no_one_joined_timeout: number;
    everyone_left_timeout: number;
  };
}

/** Throws a TypeError that names the field, never its value. */
export function parseConfig(text: string | undefined): BotConfig {
  if (text === undefined) {
    throw new TypeError("BOT_CONFIG is missing");
  }
  let tree: Record<string, unknown>;
  try {
    tree = JSON.parse(text);
  } catch {
    tree = {};
  }
  if (typeof tree !== "object" || tree === null || Object.keys(tree).length === 0) {
    throw new TypeError("BOT_CONFIG is not JSON");
  }
  const maybe = (name: string): string | undefined => {
    const value = tree[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const needed = (name: string): string => {
    const value = maybe(name);
    if (value === undefined) {
      throw new TypeError(`BOT_CONFIG needs the text ${name}`);
    }
    return value;
  };
  const number = (name: string): number => {
    const value = tree[name];
    if (!Number.isSafeInteger(value)) {
      throw new TypeError(`BOT_CONFIG needs the number ${name}`);
    }
    return value as number;
  };
  const seconds = (from: unknown, name: string, otherwise: number): number => {
    const value = (from as Record<string, unknown> | undefined | null)?.[name];
    return typeof value === "number" && value > 0 ? value : otherwise;
  };
  const optional = Object.fromEntries(
    ["meeting_url", "passcode", "language"]
      .map((name) => [name, maybe(name)])
      .filter(([, value]) => value !== undefined),
  );
  const leave = tree["automatic_leave"];
  return {
    meeting_id: number("meeting_id"),
    connection_id: needed("connection_id"),
    attempt: number("attempt"),
    platform: needed("platform"),
    native_meeting_id: needed("native_meeting_id"),
    token: needed("token"),
    callback_url: needed("callback_url"),
    ...optional,
    bot_name: maybe("bot_name") ?? "Convoke",
    task: maybe("task") ?? "transcribe",
    heartbeat_interval: seconds(tree, "heartbeat_interval", 30),
    automatic_leave: {
      waiting_room_timeout: seconds(leave, "waiting_room_timeout", 300),
      no_one_joined_timeout: seconds(leave, "no_one_joined_timeout", 120),
      everyone_left_timeout: seconds(leave, "everyone_left_timeout", 60),
    },
  };
}

/** What a bot has done since it was let in; sent with each heartbeat. */
export interface Progress {
  /** Of sound received, silence included: must grow as long as the connection works. */
  audio_seconds?: number;
  /** The bot not counted. */
  participants?: number;
  last_speech_at?: string;
}

/** What a bot gets: its configuration, and its reports, which are sent in the background. */
export interface Session {
  readonly config: BotConfig;
  /** Aborted when the bot has to go: pass it to what waits. */
  readonly leaving: AbortSignal;
  /** How many others are there, by the reports. */
  readonly others: number;
  /** The bot's own `session_id` in the meeting, which the leave rules do not count. */
  ownId: string | undefined;
  /** Reports that the bot waits to be let in. */
  awaitingAdmission(): Promise<void>;
  /** Reports what was said. */
  transcript(...segments: SpokenSegment[]): void;
  /** Reports what others wrote into the chat; what the bot writes is reported for it. */
  chatted(...messages: ChatMessage[]): void;
  /** Reports that someone came. */
  joined(who: Attendee): void;
  /** Reports that someone went. */
  left(sessionId: string, at?: string): void;
  /** Reports all who are there, the bot included: after admission, or after a gap. */
  everybody(people: Iterable<Attendee>): void;
  /** Resolves with the name of a rule of `automatic_leave` once it applies. */
  alone(): Promise<string>;
}

/**
 * The part of a bot that knows the platform. `join` and `stay` are left behind, after 3 s, if they
 * do not end when `session.leaving` is aborted.
 */
export interface Bot {
  /** Joins, and resolves once the bot is in; throws {@link NotAdmitted}. */
  join(session: Session): Promise<void>;
  /** Stays until the meeting ends or a rule applies; resolves with why, as `everyone_left`. */
  stay(session: Session): Promise<string>;
  /**
   * Leaves, or takes back the request to join. Called once, in every state. It has 3 s; what takes
   * longer belongs into `finish`.
   */
  leave(session: Session): Promise<void>;
  /**
   * Waits after `leave` for what the bot still makes of the meeting, such as the last words of a
   * transcriber or an upload; what it reports meanwhile is sent. After `atMost` milliseconds, up to
   * 90,000 and 3,000 after a signal, the bot ends. Not called for a launch that is over.
   */
  finish?(session: Session, atMost: number): Promise<void>;
  /** Takes over new settings; resolves with the names that it applied. */
  reconfigure?(session: Session, change: Command): Promise<Setting[]>;
  /**
   * Says something. Resolves when it is about to be said: what comes while the bot still speaks waits
   * for its turn. Runs beside `stay`, as `chat` does, the two never at the same time. Throws
   * {@link CommandRefused} if it cannot.
   */
  speak?(session: Session, what: SpeakCommand): Promise<void>;
  /**
   * Writes into the chat; the message is reported as the bot's own. Throws {@link CommandRefused} if
   * it cannot.
   */
  chat?(session: Session, text: string): Promise<void>;
  /** What it has done; asked before each heartbeat. */
  progress?(): Progress | undefined;
}

interface Departure {
  reason: string;
  code: number;
  reportable: boolean;
  hurry: number;
}

/**
 * Runs one bot from its first report to its last. What comes first, the bot's own end or a reason
 * to go, decides the departure, once.
 */
export class BotRunner implements Session {
  ownId: string | undefined;
  readonly #callbacks: Callbacks;
  readonly #roster: Roster;
  readonly #transcripts: BatchSender<object>;
  readonly #chats: BatchSender<object>;
  readonly #talk: TalkCommands;
  readonly #participants: ParticipantSender;
  readonly #leaving = new AbortController();
  readonly #hurried = new AbortController();
  readonly #finished = new AbortController();
  readonly #departed: Promise<Departure>;
  #resolve: (departure: Departure) => void = () => {};
  readonly #seen = new Set<string>();
  readonly #results = new Map<string, object>();
  #acting: Promise<void> = Promise.resolve();
  #started = false;
  #hurry = 0;
  #heard = performance.now();
  #changed: () => void = () => {};

  constructor(
    readonly config: BotConfig,
    readonly bot: Bot,
    readonly patience: Patience = PATIENCE,
  ) {
    const callbacks = new Callbacks(
      config.callback_url,
      config.token,
      config.connection_id,
      patience,
    );
    this.#callbacks = callbacks;
    this.#roster = new Roster(config.connection_id);
    this.#transcripts = new BatchSender("transcript segment", (group) => callbacks.transcript(group));
    this.#chats = new BatchSender("chat message", (group) => callbacks.chat(group));
    this.#participants = new ParticipantSender(callbacks, () => this.#roster.fullList());
    this.#talk = new TalkCommands(bot, this, {
      sound: (id) => callbacks.speech(id),
      written: (id, text) => this.#written(id, text),
      done: (id, result) => this.#carriedOut(id, result),
    });
    this.#departed = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get leaving(): AbortSignal {
    return this.#leaving.signal;
  }

  get others(): number {
    return [...this.#roster.present.keys()].filter((id) => id !== this.ownId).length;
  }

  async awaitingAdmission(): Promise<void> {
    this.#hear(await this.#callbacks.awaitingAdmission());
  }

  transcript(...segments: SpokenSegment[]): void {
    segments.flatMap(spokenReport).forEach((report) => this.#transcripts.add(report));
  }

  chatted(...messages: ChatMessage[]): void {
    messages
      .map(chatReport)
      .filter(({ text }) => text !== "")
      .forEach((report) => this.#chats.add(report));
  }

  joined(who: Attendee): void {
    this.#participants.add({ event: this.#roster.joined(who) });
    this.#changed();
  }

  left(sessionId: string, at?: string): void {
    this.#participants.add({ event: this.#roster.left(sessionId, at) });
    this.#changed();
  }

  everybody(people: Iterable<Attendee>): void {
    this.#roster.everybody(people);
    this.#participants.add({ everybody: this.#roster.fullList() });
    this.#changed();
  }

  async alone(): Promise<string> {
    const leave = this.config.automatic_leave;
    const rules = new LeaveRules(
      leave.no_one_joined_timeout * 1000,
      leave.everyone_left_timeout * 1000,
      performance.now(),
    );
    while (true) {
      const change = new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
      const now = performance.now();
      rules.others(this.others, now);
      const rule = rules.reason(now);
      if (rule !== undefined || this.leaving.aborted) {
        return rule ?? "stopped";
      }
      await within(change, Math.min(Math.ceil(rules.until(now)), 60_000));
    }
  }

  /** Asks the bot to leave, as SIGTERM does; it then has a few seconds, also one that leaves. */
  terminate(): void {
    this.#hurried.abort();
    this.#depart("terminated", ExitCode.LEFT, true, STEP_MAX);
  }

  /** Runs the bot and resolves with the exit code of its process. */
  async run(): Promise<number> {
    const life = this.#live();
    const pulse = this.#beat().catch((error: unknown) => this.failed(error));
    const departure = await this.#departed;
    await this.#leave(departure, life, pulse);
    this.#finished.abort();
    this.#talk.end();
    this.#callbacks.close();
    return departure.code;
  }

  async #live(): Promise<void> {
    const { horizon } = this.patience;
    try {
      if (!this.#goesOn(await this.#callbacks.started(this.config.meeting_id, this.leaving))) {
        return;
      }
      this.#started = true;
      void this.#awaitCommands();
      if (this.leaving.aborted) {
        return;
      }
      await this.bot.join(this);
      if (!this.leaving.aborted && this.#goesOn(await this.#callbacks.joined(this.leaving))) {
        const told: string | undefined = await this.bot.stay(this);
        this.#depart(String(told ?? "left"), ExitCode.LEFT, true, horizon);
      }
    } catch (error) {
      if (this.leaving.aborted) {
        return;
      }
      if (error instanceof BotFailure) {
        this.#depart(String(error.reason), error.code, true, horizon);
      } else {
        this.failed(error);
      }
    }
  }

  /** Makes the bot leave: a part that was to go on has ended, or an error was caught nowhere. */
  failed(error: unknown): void {
    console.error("bot: it failed:", error);
    this.#depart("crashed", ExitCode.CRASHED, true, this.patience.horizon);
  }

  async #leave(departure: Departure, life: Promise<void>, pulse: Promise<void>): Promise<void> {
    console.error(`bot: leaving: ${departure.reason}`);
    if (departure.reportable && departure.code === ExitCode.LEFT && this.#started) {
      await this.#callbacks.stopping(departure.reason, STEP_MAX);
    }
    await within(life, STEP_MAX);
    await this.#goodbye("leaving the meeting", () => this.bot.leave(this), STEP_MAX);
    if (departure.reportable) {
      const most = this.#hurried.signal.aborted ? STEP_MAX : REPORTS_MAX;
      await this.#finishReports(Math.min(departure.hurry, most));
      this.#finished.abort();
      await within(pulse, STEP_MAX);
      await this.#callbacks.exited(departure.code, departure.reason, departure.hurry);
    }
  }

  /** Waits for a part of the bot's own end, and goes on without it when its time is over. */
  async #goodbye(
    what: string,
    lastStep: () => Promise<void> | undefined,
    atMost: number,
  ): Promise<void> {
    const step = (async () => lastStep())().catch((error: unknown) =>
      console.error(`bot: ${what} failed: ${reason(error)}`),
    );
    const { signal } = this.#hurried;
    if (!signal.aborted) {
      await within(Promise.race([step, once(signal, "abort")]), atMost);
    }
    if (signal.aborted) {
      await within(step, STEP_MAX);
    }
  }

  /** Has the bot finish, and then all that waits sent side by side, within this time together. */
  async #finishReports(atMost: number): Promise<void> {
    const until = performance.now() + atMost;
    await this.#goodbye("finishing its work", () => this.bot.finish?.(this, atMost), atMost);
    // What it reported last is to be sent too.
    const left = this.#hurried.signal.aborted ? 0 : until - performance.now();
    const rest = Math.max(STEP_MAX, left);
    const senders = [this.#transcripts, this.#chats, this.#participants];
    await Promise.all(
      senders.map(async (sender) => {
        let why: string | undefined = "";
        const sent = sender.finish().then(
          () => (why = undefined),
          (error: unknown) => (why = `: ${reason(error)}`),
        );
        await within(sent, rest);
        if (why !== undefined) {
          console.error(`bot: ${sender.what}: some were not sent${why}`);
        }
      }),
    );
  }

  async #beat(): Promise<void> {
    while (this.#beats()) {
      const pause = this.config.heartbeat_interval * 1000 * (0.9 + Math.random() * 0.2);
      await sleep(pause, undefined, { signal: this.#finished.signal }).catch(() => {}); // finished
      if (this.#started && !this.leaving.aborted) {
        this.#hear(await this.#callbacks.heartbeat(this.#progress()));
      } else if (this.#started && this.#beats()) {
        await this.#callbacks.heartbeat(undefined);
      }
    }
  }

  /**
   * Whether heartbeats go on: also while a bot that leaves has time to finish, for the row of one
   * that has failed is `active` until `exited`.
   */
  #beats(): boolean {
    const over = this.#finished.signal.aborted || this.#hurried.signal.aborted;
    return !this.leaving.aborted || (!over && this.#hurry > STEP_MAX);
  }

  /** A bot that fails to say what it did, or says no JSON, is alive all the same. */
  #progress(): Progress | undefined {
    try {
      const told = this.bot.progress?.();
      return told && (JSON.parse(JSON.stringify(told)) as Progress);
    } catch (error) {
      console.error(`bot: a heartbeat goes without progress: ${reason(error)}`);
      return undefined;
    }
  }

  async #awaitCommands(): Promise<void> {
    for (let failures = 0; !this.leaving.aborted; ) {
      const reply = await this.#callbacks.commands(this.leaving);
      if (this.leaving.aborted) {
        return;
      }
      this.#hear(reply);
      failures = reply.kind === "silent" ? failures + 1 : 0;
      const { first, longest } = this.patience;
      const pause = {
        accepted: () => 250,
        silent: () => 250 + backoff(failures, first, longest),
        refused: () => 60_000, // commands ride on heartbeats alone
        over: () => 0,
      }[reply.kind];
      await this.#pause(pause());
    }
  }

  /** Waits; false once the bot is to go. */
  async #pause(ms: number): Promise<boolean> {
    await sleep(ms, undefined, { signal: this.leaving }).catch(() => {}); // aborted
    return !this.leaving.aborted;
  }

  /** Acts on each command once, one after the other, and acknowledges it as often as it comes. */
  #take(command: Command): void {
    const first = !this.#seen.has(command.id);
    this.#seen.add(command.id);
    forget(this.#seen);
    const act = async () => {
      if (first && TalkCommands.has(command)) {
        this.#talk.add(command);
      } else if (first) {
        await this.#carriedOut(command.id, await this.#act(command));
      } else if (!this.#talk.holds(command.id)) {
        await this.#callbacks.ack(command.id, this.#results.get(command.id) ?? {});
      }
    };
    this.#acting = this.#acting.then(act).catch((error: unknown) => this.failed(error));
  }

  /** Acknowledges a command; if that is not heard, it is repeated when the command comes again. */
  async #carriedOut(commandId: string, result: object): Promise<void> {
    this.#results.set(commandId, result);
    forget(this.#results);
    await this.#callbacks.ack(commandId, result);
  }

  #written(commandId: string, text: string): void {
    const own = chatReport({ id: `command:${commandId}`, text, sender: this.config.bot_name });
    this.#chats.add({ ...own, from_bot: true });
  }

  async #act(command: Command): Promise<object> {
    if (command.action === "leave") {
      this.#depart("stopped", ExitCode.LEFT, true, this.patience.horizon);
      return {};
    }
    if (command.action !== "reconfigure") {
      console.error(`bot: unknown command ignored: ${command.action}`);
      const unknown = { setting: command.action, reason: "this bot does not know the command" };
      return { not_applied: [unknown] };
    }
    const asked = SETTINGS.filter((name) => typeof command[name] === "string");
    let applied: Setting[] = [];
    let why = "this bot does not change it while it runs";
    try {
      const able = (await this.bot.reconfigure?.(this, command)) ?? [];
      applied = asked.filter((name) => able.includes(name));
    } catch (error) {
      console.error(`bot: new settings were not taken over: ${reason(error)}`);
      why = "the bot failed to change it";
    }
    return {
      applied,
      not_applied: asked
        .filter((name) => !applied.includes(name))
        .map((setting) => ({ setting, reason: why })),
    };
  }

  /** Takes an answer in; false if the bot must not go on. */
  #hear(reply: Reply): boolean {
    switch (reply.kind) {
      case "accepted":
        this.#heard = performance.now();
        reply.commands.forEach((command) => this.#take(command));
        return true;
      case "refused":
        this.#heard = performance.now();
        return true;
      case "over":
        this.#depart("told_to_go", ExitCode.TOLD_TO_GO, false, 0);
        return false;
      case "silent":
        if (performance.now() - this.#heard <= this.patience.horizon) {
          return true;
        }
        this.#lost();
        return false;
    }
  }

  /** The same for a report without which the bot cannot go on: it is not made again. */
  #goesOn(reply: Reply): boolean {
    if (reply.kind === "silent") {
      this.#lost();
      return false;
    }
    return this.#hear(reply);
  }

  #lost(): void {
    this.#depart("control_plane_lost", ExitCode.CONTROL_PLANE_LOST, true, STEP_MAX);
  }

  #depart(why: string, code: number, reportable: boolean, hurry: number): void {
    if (!this.#leaving.signal.aborted) {
      this.#hurry = hurry;
      this.#resolve({ reason: why, code, reportable, hurry });
      this.#leaving.abort();
      this.#changed();
    }
  }
}

/** Drops the oldest of too many. */
function forget(remembered: Set<string> | Map<string, unknown>): void {
  for (const oldest of remembered.keys()) {
    if (remembered.size <= REMEMBERED) {
      return;
    }
    remembered.delete(oldest);
  }
}

/** Runs a bot to its end, and ends the process with its exit code. SIGTERM makes it leave. */
export async function run(bot: Bot): Promise<never> {
  let config: BotConfig;
  try {
    config = parseConfig(process.env["BOT_CONFIG"]);
  } catch (error) {
    console.error(`bot: ${reason(error)}`);
    process.exit(ExitCode.BAD_CONFIG);
  }
  const runner = new BotRunner(config, bot);
  // Else the process would end at once, in the meeting and with words that wait to be sent.
  process.on("uncaughtException", (error) => runner.failed(error));
  for (const [signal, number] of [["SIGTERM", 15], ["SIGINT", 2]] as const) {
    process.on(signal, () => {
      setTimeout(() => process.exit(128 + number), GOODBYE_MAX);
      runner.terminate();
    });
  }
  process.exit(await runner.run());
}
