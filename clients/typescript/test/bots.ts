import { once } from "node:events";
import { BotRunner, parseConfig, type Bot, type Patience } from "../src/bot.js";
import type { Plane } from "./fakes.js";

export const QUICK: Patience = { first: 5, longest: 20, horizon: 20_000 };

export function config(plane: Plane, more: object = {}): string {
  return JSON.stringify({
    meeting_id: 42,
    connection_id: "c-42",
    attempt: 1,
    platform: "daily",
    native_meeting_id: "standup",
    token: "the-token",
    language: "en",
    callback_url: plane.url,
    heartbeat_interval: 0.1,
    ...more,
  });
}

/** A bot that says one thing, and stays until its task is changed to `end`. */
export function example(more: Partial<Bot> = {}): Bot & { calls: string[] } {
  const calls: string[] = [];
  let end = () => {};
  const over = new Promise<string>((resolve) => {
    end = () => resolve("meeting_ended");
  });
  return {
    calls,
    async join(session) {
      calls.push("join");
      session.joined({ session_id: "s1", user_name: "Ada" });
      session.transcript({ start: 0, end: 1.5, text: "Good morning", speaker: "Ada" });
    },
    stay(session) {
      calls.push("stay");
      return Promise.race([over, once(session.leaving, "abort").then(() => "asked")]);
    },
    async leave() {
      calls.push("leave");
    },
    async reconfigure(_, change) {
      calls.push("reconfigure");
      if (change.task === "end") {
        end();
      }
      return ["task"];
    },
    ...more,
  };
}

/** Runs a bot to its end; its exit code. */
export function runBot(plane: Plane, bot: Bot, more = {}, patience = QUICK): Promise<number> {
  return new BotRunner(parseConfig(config(plane, more)), bot, patience).run();
}
