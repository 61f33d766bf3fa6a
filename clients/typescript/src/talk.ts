import type { Bot, Session } from "./bot.js";
import type { Command } from "./callbacks.js";
import { reason } from "./http.js";
import { line } from "./reports.js";

const REASON_MAX = 200;

/**
 * What a bot is to say: words to turn into speech, with a voice of the bot's synthesizer if one is
 * wanted, or a WAV file with 16 bit PCM, one or two channels and 8,000 to 48,000 Hz.
 */
export type SpeakCommand =
  | { kind: "text"; text: string; voice?: string }
  | { kind: "audio"; wav: Uint8Array };

/** The bot cannot do what it was told; `reason`, in plain words, is shown to the user. */
export class CommandRefused extends Error {
  constructor(readonly reason: string) {
    super(reason);
  }
}

/** What commands to speak and to write need of the bot's runner. */
export interface TalkContext {
  /** Gives the sound of a command, if the control plane still has it. */
  sound(commandId: string): Promise<Uint8Array | undefined>;
  /** Takes each message that the bot wrote. */
  written(commandId: string, text: string): void;
  /** Takes the result of each command. */
  done(commandId: string, result: object): Promise<void>;
}

/**
 * Commands to speak and to write into the chat. They are carried out one after the other, apart from
 * all others, so that a long one keeps neither `leave` nor heartbeats waiting.
 */
export class TalkCommands {
  readonly #bot: Bot;
  readonly #session: Session;
  readonly #context: TalkContext;
  readonly #open = new Set<string>();
  #talking: Promise<void> = Promise.resolve();
  #ended = false;

  constructor(bot: Bot, session: Session, context: TalkContext) {
    this.#bot = bot;
    this.#session = session;
    this.#context = context;
  }

  /** Whether a command is one of these. */
  static has({ action }: Command): boolean {
    return action === "speak" || action === "chat";
  }

  /** Takes a command that is new. */
  add(command: Command): void {
    this.#open.add(command.id);
    this.#talking = this.#talking.then(async () => {
      if (!this.#ended) {
        await this.#context.done(command.id, await this.#result(command));
        this.#open.delete(command.id);
      }
    });
  }

  /** Whether a command waits or is being carried out: it is acknowledged later. */
  holds(commandId: string): boolean {
    return this.#open.has(commandId);
  }

  /** What still waits is not carried out. */
  end(): void {
    this.#ended = true;
  }

  async #result(command: Command): Promise<object> {
    const { action } = command;
    let why = "the bot failed to do it";
    try {
      await this.#carryOut(command);
      return { applied: [action], not_applied: [] };
    } catch (error) {
      if (error instanceof CommandRefused) {
        why = error.reason;
      } else {
        console.error(`bot: command ${action} failed: ${reason(error)}`);
      }
    }
    return { applied: [], not_applied: [{ setting: action, reason: line(why, REASON_MAX) }] };
  }

  async #carryOut(command: Command): Promise<void> {
    if (command.action === "chat") {
      const written = text(command.text) ?? "";
      if (!this.#bot.chat) {
        throw new CommandRefused("this bot does not write into the chat");
      }
      await this.#bot.chat(this.#session, written);
      this.#context.written(command.id, written);
    } else {
      const what = await this.#speech(command);
      if (!this.#bot.speak) {
        throw new CommandRefused("this bot does not speak");
      }
      await this.#bot.speak(this.#session, what);
    }
  }

  async #speech(command: Command): Promise<SpeakCommand> {
    const words = text(command.text);
    if (words !== undefined) {
      const voice = text(command.voice);
      return { kind: "text", text: words, ...(voice !== undefined && { voice }) };
    }
    const wav = await this.#context.sound(command.id);
    if (wav === undefined) {
      throw new CommandRefused("the sound could not be fetched");
    }
    return { kind: "audio", wav };
  }
}

/** A text of a command, which may hold anything. */
function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
