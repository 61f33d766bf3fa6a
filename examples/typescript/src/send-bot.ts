/** Sends a bot into a meeting, waits until it is in, and shows who is there: `send-bot.js URL`. */
import { ApiError, Convoke } from "@convoke/client";

const convoke = new Convoke();
const meeting = await convoke.bots
  .start({ platform: "daily", meeting_url: process.argv[2]!, bot_name: "Notes" })
  .catch((error: unknown) => {
    console.error(error instanceof ApiError ? `${error.message} (trace ${error.traceId})` : error);
    process.exit(1);
  });

const about = { type: "meeting.status_changed", subject: `meeting:${meeting.id}` };
for await (const event of convoke.events.stream({ after: 0, ...about })) {
  if (event.type !== "meeting.status_changed") {
    continue;
  }
  const { to } = event.data;
  console.log("status", to);
  if (["active", "completed", "failed"].includes(to)) {
    break;
  }
}

const { items } = await convoke.meetings.participants(meeting.id, { active: true });
items.forEach((person) => console.log("there", person.user_name));
console.log("meeting", meeting.id);
