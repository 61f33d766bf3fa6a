import assert from "node:assert/strict";
import { once } from "node:events";
import { afterEach, beforeEach, describe, test } from "node:test";
import { CommandRefused, ExitCode, type Bot, type ChatMessage, type Session, type SpeakCommand } from "../src/bot.js";
import { Callbacks, type Reply as CallbackReply } from "../src/callbacks.js";
import { BatchSender } from "../src/reports.js";
import { example, QUICK, runBot } from "./bots.js";
import { FakeServer, Plane, type Call, type Reply } from "./fakes.js";

const SOUND = new Uint8Array([82, 73, 70, 70, 0, 255]);

/** A bot that notes what it is told, and holds each speech until it is let go. */
function speaking(more: Partial<Bot> = {}) {
  const written: string[] = [];
  const spoken: SpeakCommand[] = [];
  let said = () => {};
  let letGo = () => {};
  const go = new Promise<void>((resolve) => (letGo = resolve));
  const bot = example({
    async speak(_, what) {
      spoken.push(what);
      said();
      await go;
    },
    async chat(_, text) {
      written.push(text);
      if (text === "fail") {
        throw new Error("a bug");
      }
      if (text === "long") {
        throw new CommandRefused(`no\n${"x".repeat(500)}`);
      }
    },
    ...more,
  });
  const saying = () => new Promise<void>((resolve) => (said = resolve));
  return { ...bot, written, spoken, letGo, saying };
}

/** A bot that has read so much when it stays. */
function reading(messages: ChatMessage[]): Partial<Bot> {
  return {
    stay: async (session: Session) => {
      session.chatted(...messages);
      await once(session.leaving, "abort");
      return "asked";
    },
  };
}

describe("commands to speak and to write into the chat", () => {
  let plane: Plane;
  beforeEach(async () => {
    plane = await new Plane().start();
  });
  afterEach(() => plane.close());

  /** Sends a command; its acknowledgement. */
  function told(id: string, action: string, more: object): Promise<Record<string, unknown>> {
    const acknowledged = plane.acknowledged(id);
    plane.command(id, action, more);
    return acknowledged;
  }

  /** Lets the bot live until the scenario has ended; the bot then has to leave. */
  async function live(bot: Bot, scenario: () => Promise<unknown>): Promise<void> {
    const joined = plane.next("joined");
    const life = runBot(plane, bot);
    await joined;
    try {
      await scenario();
    } finally {
      plane.command("leave", "leave");
    }
    assert.equal(await life, ExitCode.LEFT);
  }

  function refused(ack: Record<string, unknown>): unknown {
    assert.deepEqual(ack["applied"], []);
    return ack["not_applied"];
  }

  test("are refused by a bot that can do neither", async () => {
    await live(example(), async () => {
      assert.deepEqual(refused(await told("c1", "speak", { text: "Good morning" })), [
        { setting: "speak", reason: "this bot does not speak" },
      ]);
      assert.deepEqual(refused(await told("c2", "chat", { text: "Good morning" })), [
        { setting: "chat", reason: "this bot does not write into the chat" },
      ]);
    });
    assert.ok(!plane.names().includes("chat"));
  });

  test("are done once, in order, and keep nothing else waiting", async () => {
    const bot = speaking();
    await live(bot, async () => {
      const saying = bot.saying();
      const first = told("c1", "speak", { text: "Good morning", voice: "en-us" });
      await saying;
      const second = told("c2", "speak", { text: "And more" });
      for (let i = 0; i < 5; i++) {
        await plane.next("heartbeat"); // each answer has the commands again
      }
      assert.ok(!plane.names().includes("ack"), "it is not said yet");
      assert.deepEqual((await told("r1", "reconfigure", { task: "x" }))["applied"], ["task"]);
      assert.deepEqual(bot.spoken, [{ kind: "text", text: "Good morning", voice: "en-us" }]);
      bot.letGo();
      assert.deepEqual((await first)["applied"], ["speak"]);
      assert.deepEqual((await second)["applied"], ["speak"]);
      assert.deepEqual(bot.spoken[1], { kind: "text", text: "And more" });
      const again = await told("c1", "speak", { text: "Good morning" });
      assert.deepEqual(again["applied"], ["speak"], "of an acknowledgement that was lost");
    });
    assert.equal(bot.spoken.length, 2);
  });

  test("do not keep a bot from leaving, and end with it", async () => {
    const bot = speaking();
    await live(bot, async () => {
      const saying = bot.saying();
      plane.command("c1", "speak", { text: "Good morning" });
      plane.command("c2", "speak", { text: "And more" });
      await saying;
    });
    assert.equal(bot.calls.at(-1), "leave");
    const acks = plane.calls.filter(({ name }) => name === "ack");
    assert.deepEqual(new Set(acks.map(({ body }) => body["command_id"])), new Set(["leave"]));
    bot.letGo();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(bot.spoken.length, 1);
  });

  test("come with a sound that is fetched", async () => {
    const bot = speaking();
    bot.letGo();
    plane.sounds.set("c1", SOUND);
    await live(bot, async () => {
      assert.deepEqual((await told("c1", "speak", { audio_bytes: 6 }))["applied"], ["speak"]);
      assert.deepEqual(bot.spoken, [{ kind: "audio", wav: SOUND }]);
      assert.deepEqual(refused(await told("c2", "speak", { audio_bytes: 6 })), [
        { setting: "speak", reason: "the sound could not be fetched" },
      ]);
    });
    assert.equal(bot.spoken.length, 1);
  });

  test("that fail are refused, and the next are done", async () => {
    await live(speaking(), async () => {
      assert.deepEqual(refused(await told("c1", "chat", { text: "fail" })), [
        { setting: "chat", reason: "the bot failed to do it" },
      ]);
      assert.deepEqual(refused(await told("c2", "chat", { text: "long" })), [
        { setting: "chat", reason: `no ${"x".repeat(197)}` },
      ]);
    });
    assert.ok(!plane.names().includes("chat"));
  });

  test("are reported as the bot's own messages, and those of others are not", async () => {
    const smile = "\u{1F600}";
    const read = [
      { id: "m\n1", text: `a\0\ud800${"b".repeat(5000)}`, sender: "Ada\0", at: "2026-01-02T00:00:00Z" },
      { id: "m2", text: smile.repeat(4097), sender: "\n" },
    ];
    const bot = speaking(reading(read));
    await live(bot, async () => {
      await plane.next("chat");
      const reported = plane.next("chat");
      assert.deepEqual((await told("c1", "chat", { text: "The notes" }))["applied"], ["chat"]);
      await reported;
    });
    const calls = plane.calls.filter(({ name }) => name === "chat");
    const [first, second, own] = calls.flatMap(({ body }) => body["messages"] as ChatMessage[]);
    const text = `a${"b".repeat(4095)}`;
    assert.deepEqual(first, { id: "m 1", sender: "Ada", text, at: "2026-01-02T00:00:00Z" });
    assert.deepEqual([second?.text, second && "sender" in second], [smile.repeat(4096), false]);
    const { at, ...rest } = own!;
    assert.ok(Date.parse(at!) > Date.parse("2026-01-02"));
    assert.deepEqual(rest, { id: "command:c1", sender: "Convoke", text: "The notes", from_bot: true });
    assert.deepEqual(bot.written, ["The notes"]);
  });
});

describe("reports of the chat", () => {
  let plane: Plane;
  beforeEach(async () => {
    plane = await new Plane().start();
  });
  afterEach(() => plane.close());

  /** Lets a bot live that has read so much, until it has reported the first of it. */
  async function report(messages: ChatMessage[], answer: (call: Call) => Reply | undefined) {
    const usual = plane.answer;
    plane.answer = (call) => (call.name === "chat" && answer(call)) || usual(call);
    const reported = plane.next("chat");
    const life = runBot(plane, example(reading(messages)));
    await reported;
    plane.command("leave", "leave");
    assert.equal(await life, ExitCode.LEFT);
    assert.equal(plane.last("exited").body["reason"], "stopped");
  }

  test("arrive in order, in small batches, however often calls fail", async () => {
    const messages = Array.from({ length: 250 }, (_, i) => ({ id: `m${i}`, text: "x" }));
    const tries: ChatMessage[][] = [];
    await report(messages, ({ body }) => {
      tries.push(body["messages"] as ChatMessage[]);
      return tries.length < 4 ? { status: 503 } : undefined;
    });
    assert.deepEqual(tries.map((group) => group.length), [100, 100, 100, 100, 100, 50]);
    assert.deepEqual(tries.slice(3).flat().map(({ id }) => id), messages.map(({ id }) => id));
  });

  test("are refused by an older server, which does not end the bot", async (context) => {
    const printed = context.mock.method(console, "error", () => {});
    await report([{ id: "m1", text: "x" }], () => ({ status: 404 }));
    const lines = printed.mock.calls.map((call) => call.arguments[0]);
    assert.ok(lines.includes("bot: callback chat was refused with 404"), String(lines));
  });

  test("lose nothing but the newest of too many", async (context) => {
    const printed = context.mock.method(console, "error", () => {});
    const sent: number[] = [];
    const silent: CallbackReply[] = [{ kind: "silent" }, { kind: "silent" }];
    const sender = new BatchSender<number>("chat message", async (group) => {
      const reply = silent.pop();
      if (!reply) {
        sent.push(...group);
      }
      return reply ?? { kind: "accepted", commands: [] };
    });
    const numbers = Array.from({ length: 5001 }, (_, i) => i);
    numbers.forEach((number) => sender.add(number));
    await sender.finish();
    assert.deepEqual(sent, numbers.slice(0, 5000));
    assert.equal(printed.mock.callCount(), 1);
  });
});

describe("a sound", () => {
  /** Asks a server with these answers, of which the last remains; what came, and the calls. */
  async function fetched(replies: Reply[], ...limits: number[]) {
    const server = await new FakeServer(() => (replies.length > 1 ? replies.shift()! : replies[0]!)).start();
    const callbacks = new Callbacks(server.url, "the-token", "c-42", QUICK);
    const sound = await callbacks.speech("a/b", ...limits);
    server.close();
    return { sound, calls: server.calls };
  }

  test("is fetched again after a failure of the server", async () => {
    const torn = { raw: SOUND, headers: { "Content-Length": "100" }, torn: true };
    const { sound, calls } = await fetched([{ status: 503 }, { hangUp: true }, torn, { raw: SOUND }]);
    assert.deepEqual(sound, SOUND);
    assert.equal(calls.length, 4);
    assert.deepEqual([calls[0]?.method, calls[0]?.name], ["GET", "speech/a%2Fb"]);
    assert.equal(calls[0]?.headers.authorization, "Bearer the-token");
  });

  test("that is gone is asked for once, and a failing server five times", async () => {
    for (const [status, asked] of [[404, 1], [410, 1], [503, 5]] as const) {
      const { sound, calls } = await fetched([{ status }]);
      assert.deepEqual([sound, calls.length], [undefined, asked]);
    }
  });

  test("without end is given up", async () => {
    assert.equal((await fetched([{ raw: SOUND }], 10_000, SOUND.length - 1)).sound, undefined);
    assert.deepEqual((await fetched([{ raw: SOUND }], 10_000, SOUND.length)).sound, SOUND);
    const began = performance.now();
    const stalling = { raw: SOUND, headers: { "Content-Length": "100" } };
    assert.equal((await fetched([stalling], 100)).sound, undefined);
    assert.ok(performance.now() - began < 4000);
  });
});
