import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, test } from "node:test";
import {
  BotFailure,
  BotRunner,
  ExitCode,
  LeaveRules,
  NotAdmitted,
  parseConfig,
  type Bot,
  type Session,
} from "../src/bot.js";
import { ParticipantSender, Roster } from "../src/reports.js";
import type { Callbacks } from "../src/callbacks.js";
import { config, example, QUICK, runBot } from "./bots.js";
import { Plane } from "./fakes.js";

describe("a bot", () => {
  let plane: Plane;
  beforeEach(async () => {
    plane = await new Plane().start();
  });
  afterEach(() => plane.close());

  function live(bot: Bot, more: object = {}, patience = QUICK): Promise<number> {
    return runBot(plane, bot, more, patience);
  }

  test("reports its whole life in order", async () => {
    const bot = example();
    const seen = ["joined", "participants", "transcript", "heartbeat"].map((name) => plane.next(name));
    const life = live(bot);
    await Promise.all(seen);
    plane.command("c1", "leave");
    assert.equal(await life, ExitCode.LEFT);
    assert.deepEqual(bot.calls, ["join", "stay", "leave"]);
    const names = plane.names();
    assert.deepEqual([names[0], names.at(-1)], ["started", "exited"]);
    assert.equal(names.filter((name) => name === "joined").length, 1);
    assert.ok(names.includes("ack"));
    const { body, headers } = plane.last("exited");
    assert.deepEqual(body, { exit_code: 0, reason: "stopped", connection_id: "c-42" });
    assert.equal(headers.authorization, "Bearer the-token");
  });

  test("repeats callbacks until they are answered", async () => {
    plane.failures = 15;
    plane.garbage = true;
    const joined = plane.next("joined");
    const life = live(example());
    await joined;
    plane.failures = 8;
    plane.command("c1", "leave");
    assert.equal(await life, ExitCode.LEFT);
    const started = plane.names().filter((name) => name === "started");
    assert.equal(started.length, 15 + 2, "a proxy's page is no answer");
    assert.equal(plane.names().at(-1), "exited");
  });

  test("acknowledges a command as often as it comes, and obeys it once", async () => {
    const bot = example();
    const joined = plane.next("joined");
    const life = live(bot);
    await joined;
    for (let i = 0; i < 3; i++) {
      const acknowledged = plane.next("ack");
      plane.command("r1", "reconfigure", { language: "fr", task: "x" });
      await acknowledged;
    }
    const acknowledged = plane.next("ack");
    plane.command("x1", "dance");
    await acknowledged;
    plane.command("r2", "reconfigure", { task: "end" });
    assert.equal(await life, ExitCode.LEFT);
    assert.equal(bot.calls.filter((call) => call === "reconfigure").length, 2);
    assert.equal(plane.last("exited").body["reason"], "meeting_ended");
    const again = plane.calls.filter((call) => call.body["command_id"] === "r1");
    assert.ok(again.length >= 3);
    for (const { body } of again) {
      assert.deepEqual(body["applied"], ["task"]);
      assert.equal((body["not_applied"] as { setting: string }[])[0]?.setting, "language");
    }
    const dance = plane.calls.find((call) => call.body["command_id"] === "x1");
    assert.equal((dance?.body["not_applied"] as { setting: string }[])[0]?.setting, "dance");
  });

  test("obeys further commands whatever its reconfigure returns", async () => {
    const joined = plane.next("joined");
    const odd = { task: true } as unknown as "task"[];
    const life = live(example({ reconfigure: () => Promise.resolve(odd) }));
    await joined;
    const acknowledged = plane.acknowledged("r1");
    plane.command("r1", "reconfigure", { task: "x" });
    const { applied, not_applied } = await acknowledged;
    const refused = { setting: "task", reason: "the bot failed to change it" };
    assert.deepEqual([applied, not_applied], [[], [refused]]);
    plane.command("c1", "leave");
    assert.equal(await life, ExitCode.LEFT);
  });

  test("leaves without a report when its launch is over", async () => {
    const bot = example();
    const joined = plane.next("joined");
    const life = live(bot);
    await joined;
    plane.status = 410;
    plane.wake();
    assert.equal(await life, ExitCode.TOLD_TO_GO);
    assert.equal(bot.calls.at(-1), "leave");
    assert.ok(!plane.names().includes("exited"));
  });

  test("leaves when the control plane is lost for good", async () => {
    const bot = example();
    const joined = plane.next("joined");
    const life = live(bot, {}, { ...QUICK, horizon: 500 });
    await joined;
    plane.close();
    assert.equal(await life, ExitCode.CONTROL_PLANE_LOST);
    assert.equal(bot.calls.at(-1), "leave");
  });

  test("leaves when its start or its admission is never taken", async () => {
    for (const [name, calls] of [["started", ["leave"]], ["joined", ["join", "leave"]]] as const) {
      plane.failing.set(name, Infinity);
      const bot = example();
      assert.equal(await live(bot, {}, { ...QUICK, horizon: 300 }), ExitCode.CONTROL_PLANE_LOST);
      assert.deepEqual(bot.calls, calls);
      assert.equal(plane.last("exited").body["reason"], "control_plane_lost");
      plane.failing.clear();
    }
  });

  test("sends many long words in calls that the server takes", async () => {
    const text = "\u{1f600}".repeat(4096);
    const wordy = example({
      async stay(session) {
        session.transcript(...Array.from({ length: 100 }, () => ({ start: 0, end: 1, text })));
        return "meeting_ended";
      },
    });
    assert.equal(await live(wordy), ExitCode.LEFT);
    const calls = plane.calls.filter(({ name }) => name === "transcript");
    const said = calls.flatMap(({ body }) => body["segments"] as { text: string }[]);
    assert.equal(said.filter((one) => one.text === text).length, 100);
    for (const { headers } of calls) {
      assert.ok(Number(headers["content-length"]) < 600_000);
    }
  });

  test("sends what it reported while the server was away before it says goodbye", async () => {
    // Some four seconds of failures: longer than any step of a bot that leaves.
    const failures = 110;
    plane.failing.set("transcript", failures).set("participants", failures);
    const joined = plane.next("joined");
    const life = live(example(), {}, { ...QUICK, first: 50, longest: 50 });
    await joined;
    plane.command("r1", "reconfigure", { task: "end" });
    assert.equal(await life, ExitCode.LEFT);
    assert.equal(plane.names().at(-1), "exited");
    for (const name of ["transcript", "participants"]) {
      assert.equal(plane.names().filter((one) => one === name).length, failures + 1, name);
    }
  });

  test("sends what it still makes of the meeting after it has left", async () => {
    const times: number[] = [];
    const bot = example({
      join: async () => {},
      stay: async () => "meeting_ended",
      async finish(session, atMost) {
        times.push(atMost);
        session.transcript({ start: 0, end: 1, text: "the last words", speaker: "Ada" });
        session.joined({ session_id: "s1", user_name: "Ada" });
        throw new Error("the rest is lost");
      },
    });
    assert.equal(await live(bot), ExitCode.LEFT);
    assert.deepEqual([bot.calls, times], [["leave"], [QUICK.horizon]]);
    const names = plane.names();
    assert.ok(names.indexOf("status") < names.indexOf("transcript"));
    assert.ok(names.includes("participants"));
    assert.equal(names.at(-1), "exited");
    const [said] = plane.last("transcript").body["segments"] as { text: string }[];
    assert.equal(said?.text, "the last words");
  });

  test("sends heartbeats, if it failed, until it has finished or is terminated", async () => {
    let alive = false;
    const bot = example({
      stay: () => Promise.reject(new BotFailure(ExitCode.PLATFORM_GONE, "platform_gone")),
      async finish() {
        await plane.next("heartbeat");
        await plane.next("heartbeat");
        alive = true;
        runner.terminate();
        await new Promise(() => {});
      },
    });
    const runner = new BotRunner(parseConfig(config(plane)), bot, QUICK);
    assert.equal(await runner.run(), ExitCode.PLATFORM_GONE);
    assert.ok(alive);
    assert.ok(!plane.names().includes("status"));
    assert.equal(plane.names().at(-1), "exited");
  });

  test("has seconds to finish without its server, and finishes nothing when it is over", async () => {
    const times: number[] = [];
    const finishing = () => example({ finish: async (_, atMost) => void times.push(atMost) });
    plane.failing.set("joined", Infinity);
    const impatient = { ...QUICK, horizon: 300 };
    assert.equal(await live(finishing(), {}, impatient), ExitCode.CONTROL_PLANE_LOST);
    assert.deepEqual(times, [3000]);
    plane.status = 410;
    assert.equal(await live(finishing()), ExitCode.TOLD_TO_GO);
    assert.deepEqual(times, [3000]);
  });

  test("has seconds to finish if it is terminated while it leaves", async () => {
    const times: number[] = [];
    const bot = example({
      stay: async () => "meeting_ended",
      leave: async () => runner.terminate(),
      finish: async (_, atMost) => void times.push(atMost),
    });
    const runner = new BotRunner(parseConfig(config(plane)), bot, QUICK);
    assert.equal(await runner.run(), ExitCode.LEFT);
    assert.deepEqual(times, [3000]);
  });

  test("warns of reports that it could not send", async (t) => {
    const error = t.mock.method(console, "error", () => {});
    plane.failing.set("transcript", Infinity).set("joined", Infinity);
    assert.equal(await live(example(), {}, { ...QUICK, horizon: 300 }), ExitCode.CONTROL_PLANE_LOST);
    const warned = error.mock.calls.map(({ arguments: [text] }) => String(text));
    assert.ok(warned.includes("bot: transcript segment: some were not sent"), String(warned));
  });

  test("has left if it does not say why", async () => {
    const silent = example({ stay: async () => undefined as unknown as string });
    assert.equal(await live(silent), ExitCode.LEFT);
    assert.equal(plane.last("exited").body["reason"], "left");
  });

  test("says that it failed", async () => {
    const broken = { stay: () => Promise.reject(new Error("broken")) };
    const thrown = { stay: () => { throw new Error("thrown"); } };
    const denied = { join: async (session: Session) => {
      await session.awaitingAdmission();
      throw new NotAdmitted();
    } };
    for (const [more, code, reason] of [[broken, 1, "crashed"], [thrown, 1, "crashed"], [denied, 10, "admission_denied"]] as const) {
      const bot = example(more);
      assert.equal(await live(bot), code);
      const { body } = plane.last("exited");
      assert.deepEqual([body["exit_code"], body["reason"]], [code, reason]);
      assert.equal(bot.calls.at(-1), "leave");
    }
    assert.ok(!plane.names().includes("status"));
  });

  test("is left behind if it does not heed its end", async () => {
    const deaf = example({
      stay: () => new Promise(() => {}),
      leave: () => Promise.reject(new Error("no")),
    });
    const joined = plane.next("joined");
    const life = live(deaf);
    await joined;
    plane.command("c1", "leave");
    assert.equal(await life, ExitCode.LEFT);
    assert.equal(plane.last("exited").body["reason"], "stopped");
  });

  test("is alive even if it fails to tell its progress", async () => {
    const cycle: { audio_seconds?: number; self?: object } = {};
    cycle.self = cycle;
    const big = BigInt(1) as unknown as number;
    const untold = [() => { throw new Error("no"); }, () => cycle, () => ({ audio_seconds: big })];
    for (const progress of [...untold, () => ({ audio_seconds: 1.5 })]) {
      const beats = plane.next("heartbeat");
      const life = live(example({ progress }));
      await beats;
      plane.command("c1", "leave");
      assert.equal(await life, ExitCode.LEFT);
    }
    const beats = plane.calls.filter((call) => call.name === "heartbeat");
    assert.ok(beats.filter(({ body }) => !("progress" in body)).length >= untold.length);
    assert.deepEqual(beats.at(-1)!.body["progress"], { audio_seconds: 1.5 });
  });

  test("reports the others whatever is odd about one person", async () => {
    const oddName = "A\tda\ud83d";
    const joined_at = "2026-01-02T00:00:00Z";
    const odd = example({
      join: async () => {},
      async stay(session) {
        const ada = { session_id: "s\n1", user_id: "u".repeat(300), user_name: oddName, joined_at };
        const bob = { session_id: "s2", user_id: "\0", user_name: "Bob", joined_at };
        session.joined(ada);
        session.joined(bob);
        session.left(ada.session_id);
        session.left("s\ud83d3");
        session.everybody([ada, bob]);
        session.transcript(
          { start: 0, end: 1, text: `\ud83d${"x".repeat(5000)}`, speaker: oddName },
          { start: 0, end: 1, text: "\0\ud83d", speaker: "Bob" },
          { start: 0, end: 1, text: "Good morning", speaker: "\n" },
          { start: 0, end: 1, text: "Hello", speaker: "Bob" },
          { start: -0.5, end: NaN, text: "Hm", language: "", level_db: -Infinity },
          { start: 1, end: 1e9, text: "Hm", language: `e\n${"n".repeat(40)}`, level_db: 0.1 },
        );
        session.chatted({ id: "c1", text: "\0" }, { id: "c2", text: "Hello" });
        return "meeting_ended";
      },
    });
    assert.equal(await live(odd), ExitCode.LEFT);
    const ada = { session_id: "s 1", user_id: "u".repeat(255), user_name: "A da", joined_at };
    const bob = { session_id: "s2", user_name: "Bob", joined_at };
    const bodies = (wanted: string) =>
      plane.calls.filter(({ name }) => name === wanted).map(({ body }) => body);
    const events = bodies("participants").flatMap(({ events }) => events as Record<string, string>[]);
    assert.deepEqual(events.map(({ id, type, at, ...facts }) => facts), [ada, bob, ada, { session_id: "s3" }]);
    const all = bodies("participants").at(-1)!["everybody"] as { participants: object[] };
    assert.deepEqual(all.participants, [ada, bob]);
    assert.deepEqual(bodies("transcript").flatMap(({ segments }) => segments), [
      { start: 0, end: 1, text: "x".repeat(4096), speaker: "A da" },
      { start: 0, end: 1, text: "Good morning" },
      { start: 0, end: 1, text: "Hello", speaker: "Bob" },
      { start: 0, end: 0, text: "Hm", level_db: -127 },
      { start: 1, end: 1e7, text: "Hm", language: `e ${"n".repeat(33)}`, level_db: 0 },
    ]);
    const written = bodies("chat").flatMap(({ messages }) => messages as { text: string }[]);
    assert.deepEqual(written.map(({ text }) => text), ["Hello"]);
  });

  test("leaves when it is alone", async () => {
    const alone = example({
      async stay(session) {
        session.ownId = "me";
        session.everybody([{ session_id: "me" }, { session_id: "s1", user_name: "Ada" }]);
        const rule = session.alone();
        session.left("s1");
        return rule;
      },
    });
    await live(alone, { automatic_leave: { no_one_joined_timeout: 600, everyone_left_timeout: 0.05 } });
    assert.equal(plane.last("exited").body["reason"], "everyone_left");
    const events = plane.calls
      .filter((call) => call.name === "participants")
      .flatMap((call) => call.body["events"] as { id: string; type: string }[]);
    assert.deepEqual(events.map(({ id, type }) => `${id} ${type}`), ["c-42:1 joined", "c-42:2 left"]);
  });

  test("names what is wrong in its configuration, never the value", () => {
    assert.throws(() => parseConfig(undefined), /^TypeError: BOT_CONFIG is missing$/);
    assert.throws(() => parseConfig("{"), /^TypeError: BOT_CONFIG is not JSON$/);
    assert.throws(() => parseConfig("null"), /^TypeError: BOT_CONFIG is not JSON$/);
    const wrong = config(plane, { meeting_id: "secret" });
    assert.throws(() => parseConfig(wrong), /^TypeError: BOT_CONFIG needs the number meeting_id$/);
    assert.throws(() => parseConfig(config(plane, { token: "" })), /needs the text token$/);
    const unset = parseConfig(config(plane, { automatic_leave: 7, heartbeat_interval: -1 }));
    assert.equal(unset.automatic_leave.everyone_left_timeout, 60);
    assert.equal(unset.heartbeat_interval, 30);
  });
});

describe("a bot's process", () => {
  const program = `
    import { run } from ${JSON.stringify(new URL("../src/bot.js", import.meta.url).href)};
    const step = process.argv[1];
    const never = () => new Promise((resolve) => setTimeout(resolve, 600_000));
    await run({
      async join(session) { console.log("join"); if (step === "join") await never(); },
      async stay(session) {
        console.log("stay");
        const words = { start: 0, end: 1, text: "Good morning" };
        if (step === "uncaught") {
          session.transcript(words);
          setImmediate(() => { throw new Error("uncaught"); });
        } else if (step === "rejected") {
          session.transcript(words);
          void Promise.reject(new Error("rejected"));
        } else if (step === "unsendable") {
          session.transcript({ ...words, segment_id: 1n });
        }
        await never();
        return "";
      },
      async leave() { console.log("leave"); if (step === "leave") await never(); },
    });`;

  function start(environment: Record<string, string>, step: string): ChildProcess {
    return spawn(process.execPath, ["--input-type=module", "-e", program, step], {
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  for (const [step, line] of [["join", "join"], ["stay", "stay"], ["leave", "stay"]] as const) {
    test(`leaves on SIGTERM in ${step}`, async () => {
      const plane = await new Plane().start();
      const bot = start({ BOT_CONFIG: config(plane) }, step);
      const printed: string[] = [];
      for await (const text of createInterface({ input: bot.stdout! })) {
        printed.push(text);
        if (text === line) {
          bot.kill("SIGTERM");
        }
      }
      assert.ok(printed.includes("leave"));
      assert.equal(bot.exitCode ?? (await once(bot, "exit"))[0], 0);
      assert.equal(plane.last("exited").body["reason"], "terminated");
      plane.close();
    });
  }

  for (const step of ["uncaught", "rejected", "unsendable"]) {
    test(`leaves and says so when an error is caught nowhere: ${step}`, async () => {
      const plane = await new Plane().start();
      const bot = start({ BOT_CONFIG: config(plane) }, step);
      let log = "";
      bot.stderr?.on("data", (part) => (log += part));
      assert.equal((await once(bot, "close"))[0], ExitCode.CRASHED);
      assert.equal(plane.last("exited").body["reason"], "crashed");
      assert.equal(plane.names().includes("transcript"), step !== "unsendable");
      assert.equal(log.includes("segment: some were not sent"), step === "unsendable", log);
      plane.close();
    });
  }

  test("leaves on SIGTERM while the server is away", async () => {
    const plane = await new Plane().start();
    plane.failures = 1_000_000;
    const started = plane.next("started");
    const bot = start({ BOT_CONFIG: config(plane) }, "stay");
    await started;
    bot.kill("SIGTERM");
    assert.equal((await once(bot, "exit"))[0], 0);
    plane.close();
  });

  test("ends with 2 without a configuration", async () => {
    const bot = start({}, "stay");
    let errors = "";
    bot.stderr!.on("data", (text) => (errors += String(text)));
    await once(bot, "close");
    assert.deepEqual([bot.exitCode, errors], [2, "bot: BOT_CONFIG is missing\n"]);
  });
});

describe("the rules of leaving", () => {
  test("no one came", () => {
    const rules = new LeaveRules(120, 60, 0);
    assert.deepEqual([rules.reason(119), rules.until(100)], [undefined, 20]);
    assert.equal(rules.reason(120), "no_one_joined");
  });

  test("everyone left", () => {
    const rules = new LeaveRules(120, 60, 0);
    rules.others(1, 110);
    assert.equal(rules.reason(1000), undefined);
    rules.others(0, 1000);
    rules.others(0, 1030);
    assert.equal(rules.reason(1059), undefined);
    assert.equal(rules.reason(1060), "everyone_left");
  });
});

describe("reports of participants", () => {
  test("one who left keeps the facts", () => {
    const roster = new Roster("c");
    roster.everybody([{ session_id: "a", user_name: "Ada" }]);
    const left = roster.left("a", "2026-01-01T00:00:00Z") as Record<string, string>;
    assert.deepEqual([left["id"], left["user_name"], left["type"]], ["c:1", "Ada", "left"]);
    assert.equal((roster.left("x") as { id: string }).id, "c:2");
  });

  test("one who is reported again keeps the first time, unless another one is given", (t) => {
    t.mock.timers.enable({ apis: ["Date"], now: 0 });
    const roster = new Roster("c");
    const times = () => {
      t.mock.timers.tick(60_000);
      const { participants } = roster.fullList() as { participants: { joined_at: string }[] };
      return participants.map(({ joined_at }) => joined_at);
    };
    const [first, given] = ["1970-01-01T00:00:00.000Z", "2026-01-02T00:00:00Z"];
    roster.joined({ session_id: "a" });
    assert.deepEqual([times(), times()], [[first], [first]]);
    assert.equal((roster.joined({ session_id: "a" }) as { at: string }).at, first);
    roster.everybody([{ session_id: "a", user_name: "Ada" }, { session_id: "b", joined_at: given }]);
    assert.deepEqual(times(), [first, given]);
    roster.everybody([{ session_id: "a", joined_at: given }, { session_id: "b" }]);
    assert.deepEqual(times(), [given, given]);
    assert.equal((roster.left("a") as { joined_at: string }).joined_at, given);
    roster.joined({ session_id: "a" });
    assert.deepEqual(times(), [given, "1970-01-01T00:04:00.000Z"]);
  });

  test("a full list ends a report, and is sent once more", async () => {
    const sent: { events: object[]; everybody?: unknown }[] = [];
    let repeated = () => {};
    const second = new Promise<void>((resolve) => (repeated = resolve));
    const callbacks = {
      async participants(report: (typeof sent)[number]) {
        sent.push(report);
        if (sent.length === 4) {
          repeated();
        }
        return { kind: "accepted", commands: [] };
      },
    } as unknown as Callbacks;
    const sender = new ParticipantSender(callbacks, () => ({ at: "later" }), 50);
    const alive = setTimeout(() => {}, 20_000);
    sender.add({ event: { n: 1 } });
    sender.add({ event: { n: 2 } }); // waits while the first is sent
    sender.add({ everybody: { at: "now" } });
    sender.add({ event: { n: 3 } });
    await second;
    clearTimeout(alive);
    await sender.finish();
    assert.deepEqual(sent, [
      { events: [{ n: 1 }] },
      { events: [{ n: 2 }], everybody: { at: "now" } },
      { events: [{ n: 3 }] },
      { events: [], everybody: { at: "later" } },
    ]);
  });
});
