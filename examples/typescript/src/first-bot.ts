/**
 * A bot for rooms of the simulator: it greets, and reports what it hears.
 *
 *     CONVOKE_BOT_COMMAND='node dist/first-bot.js'
 */
import { run, type Bot, type Session } from "@convoke/client/bot";
import { attendee, Room } from "@convoke/client/simulator";

class Greeter implements Bot {
  room?: Room;

  async join(session: Session) {
    const { config, leaving } = session;
    const who = { user_name: config.bot_name, user_id: "greeter" };
    this.room = await Room.join(config.meeting_url, who, leaving);
    session.ownId = this.room.sessionId;
    if (this.room.waiting) {
      await session.awaitingAdmission();
      await this.room.admitted(config.automatic_leave.waiting_room_timeout, leaving);
    }
  }

  async stay(session: Session) {
    await this.room!.say("Hello, I take notes.");
    return Promise.race([session.alone(), this.listen(session, this.room!)]);
  }

  async listen(session: Session, room: Room) {
    let said = 0;
    for await (const { name, data } of room.events(session.leaving)) {
      if (name === "snapshot") {
        session.everybody((data["participants"] as Record<string, unknown>[]).map(attendee));
      } else if (name === "participant-joined") {
        session.joined(attendee(data));
      } else if (name === "participant-left") {
        session.left(String(data["session_id"]));
      } else if (name === "caption") {
        const text = String(data["text"]);
        session.transcript({ start: said, end: said + 1, text, speaker: String(data["user_name"]) });
        said++;
      } else if (name === "meeting-ended" || name === "session-gone") {
        break;
      }
    }
    return "meeting_ended";
  }

  async leave() {
    await this.room?.leave();
  }
}

await run(new Greeter());
