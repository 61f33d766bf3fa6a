import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ExitCode } from "../src/bot.js";
import { Callbacks } from "../src/callbacks.js";
import { Convoke, Unreachable } from "../src/index.js";
import { Room } from "../src/simulator.js";
import { QUICK } from "./bots.js";
import { FakeServer, type Reply } from "./fakes.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const SOON_MS = 20_000;

/** What a call comes to, while garbage is collected again and again; `waits` after 20 s. */
async function outcome(work: Promise<unknown>): Promise<unknown> {
  let collecting: NodeJS.Timeout | undefined;
  let late: NodeJS.Timeout | undefined;
  const waits = new Promise<string>((resolve) => {
    collecting = setInterval(collect, 20);
    late = setTimeout(() => resolve("waits"), SOON_MS);
  });
  try {
    return await Promise.race([work.catch((error: unknown) => error), waits]);
  } finally {
    clearInterval(collecting);
    clearTimeout(late);
  }
}

describe("a limit holds whatever the garbage collector does", () => {
  let server: FakeServer;
  let replies: Reply[] = [];
  const never = new Promise<Reply>(() => {});
  const stalled: Reply = { raw: ": alive\n\n", stalls: true };

  beforeEach(async () => {
    replies = [];
    server = await new FakeServer(() => replies.shift() ?? never).start();
  });
  afterEach(() => server.close());

  function lobby(): Reply {
    const at = (name: string) => `${server.url}/${name}`;
    const urls = { events_url: at("events"), say_url: at("say"), leave_url: at("leave") };
    return { body: { session_id: "s1", state: "waiting", ...urls } };
  }

  test("of a request to the API", async () => {
    for (const reply of [undefined, stalled]) {
      replies = reply ? [reply] : [];
      const convoke = new Convoke({ url: server.url, apiKey: "k", timeout: 300, retries: 0 });
      const error = await outcome(convoke.meetings.get(1));
      assert.ok(error instanceof Unreachable, String(error));
    }
  });

  test("of a sound", async () => {
    for (const reply of [undefined, stalled]) {
      replies = reply ? Array<Reply>(5).fill(reply) : [];
      const callbacks = new Callbacks(server.url, "the-token", "c-42", QUICK);
      assert.equal(await outcome(callbacks.speech("s1", 150)), undefined);
    }
    assert.equal(server.calls.length, 10);
  });

  test("of a callback", async () => {
    const callbacks = new Callbacks(server.url, "the-token", "c-42", QUICK);
    assert.deepEqual(await outcome(callbacks.exited(0, "stopped", 1000)), { kind: "silent" });
  });

  test("of a callback that waits for commands", async () => {
    const leaving = new AbortController();
    const callbacks = new Callbacks(server.url, "the-token", "c-42", QUICK);
    const reply = outcome(callbacks.commands(leaving.signal));
    setTimeout(() => leaving.abort(), 500);
    assert.deepEqual(await reply, { kind: "silent" });
  });

  test("of a stay in the lobby", async () => {
    for (const stream of [undefined, { ...stalled, headers: { "Content-Type": "text/event-stream" } }]) {
      replies = stream ? [lobby(), stream] : [lobby()];
      const room = await Room.join(server.url, { user_name: "Notes", user_id: "bot" });
      assert.ok(room.waiting);
      const error = await outcome(room.admitted(1, new AbortController().signal));
      const { code, reason } = error as { code?: number; reason?: string };
      assert.deepEqual([code, reason], [ExitCode.NOT_ADMITTED, "waiting_room_timeout"]);
    }
  });

  test("of a stream that is told to end", async () => {
    replies = [{ ...stalled, headers: { "Content-Type": "text/event-stream" } }];
    const stop = new AbortController();
    const { events } = new Convoke({ url: server.url, apiKey: "k" });
    const next = events.stream({ after: 0, signal: stop.signal }).next();
    setTimeout(() => stop.abort(), 500);
    assert.deepEqual(await outcome(next), { value: undefined, done: true });
  });
});
