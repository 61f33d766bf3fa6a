/**
 * The reference bot in TypeScript: joins simulated rooms and reports captions and participants.
 *
 *     CONVOKE_BOT_COMMAND='node node_modules/@convoke/client/dist/reference-bot.js'
 */
import { BotFailure, ExitCode, run, type Bot, type Command, type Progress, type Session, type Setting } from "./bot.js";
import { attendee, Room } from "./simulator.js";

const CHARACTERS_PER_SECOND = 15;

class ReferenceBot implements Bot {
  #began = Date.now();
  #room: Room | undefined;
  #session: Session | undefined;
  #language: string | undefined;
  #lastSpeech: string | undefined;

  async join(session: Session): Promise<void> {
    const { config, leaving } = session;
    // The session began with the report that precedes this call.
    this.#began = Date.now();
    this.#session = session;
    this.#language = config.language;
    const who = { user_name: config.bot_name, user_id: `convoke-bot-${config.meeting_id}` };
    const room = await Room.join(config.meeting_url, who, leaving);
    this.#room = room;
    session.ownId = room.sessionId;
    if (room.waiting) {
      await session.awaitingAdmission();
      await room.admitted(config.automatic_leave.waiting_room_timeout, leaving);
    }
  }

  stay(session: Session): Promise<string> {
    return Promise.race([session.alone(), this.#listen(session)]);
  }

  async leave(): Promise<void> {
    await this.#room?.leave();
  }

  async reconfigure(_: Session, change: Command): Promise<Setting[]> {
    this.#language = change.language ?? this.#language;
    const told = (["language", "task", "bot_name"] as const)
      .filter((name) => change[name])
      .map((name) => ` ${name} ${change[name]}.`);
    await this.#room?.say(`New settings:${told.join("")}`);
    return ["language"];
  }

  progress(): Progress | undefined {
    return (
      this.#session && {
        participants: this.#session.others,
        ...(this.#lastSpeech && { last_speech_at: this.#lastSpeech }),
      }
    );
  }

  async #listen(session: Session): Promise<string> {
    if (!this.#room) {
      throw new Error("stay comes after join");
    }
    for await (const { name, data } of this.#room.events(session.leaving)) {
      switch (name) {
        case "snapshot":
          if (data["state"] !== "waiting") {
            session.everybody((data["participants"] as Record<string, unknown>[]).map(attendee));
          }
          break;
        case "participant-joined":
          session.joined(attendee(data));
          break;
        case "participant-left":
          session.left(String(data["session_id"]), String(data["at"]));
          break;
        case "caption":
          this.#caption(session, data);
          break;
        case "ejected":
          return "removed";
        case "disconnected":
          throw new BotFailure(ExitCode.PLATFORM_GONE, "platform_gone");
        case "meeting-ended":
        case "left":
        case "session-gone":
          return "meeting_ended";
      }
    }
    return "meeting_ended";
  }

  #caption(session: Session, data: Record<string, unknown>): void {
    const text = String(data["text"] ?? "");
    if (text.trim() === "" || data["session_id"] === session.ownId) {
      return;
    }
    this.#lastSpeech = String(data["at"] ?? new Date().toISOString());
    const start = Math.max(0, (Date.parse(this.#lastSpeech) - this.#began) / 1000);
    session.transcript({
      start,
      end: start + text.length / CHARACTERS_PER_SECOND,
      text,
      ...(typeof data["user_name"] === "string" && { speaker: data["user_name"] }),
      ...(this.#language && { language: this.#language }),
    });
  }
}

await run(new ReferenceBot());
