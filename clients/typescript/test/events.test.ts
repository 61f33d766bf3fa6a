import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";
import { afterEach, beforeEach, describe, test } from "node:test";
import { ApiError, Convoke, Unreachable, type StreamOptions } from "../src/index.js";

const STREAM = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
const QUIET = [STREAM, ...Array<string>(6).fill(": alive\n\n")];

function event(seq: number): string {
  const body = { seq, type: "x.y", subject: "meeting:1", at: "now", data: { text: "Grüße" } };
  return `id: ${seq}\nevent: x.y\ndata: ${JSON.stringify(body)}\n\n`;
}

function answer(status: number, body = "{}", kind = "application/json", more = ""): string {
  const head = `HTTP/1.1 ${status} X\r\nContent-Type: ${kind}\r\nContent-Length: ${body.length}\r\n`;
  return `${head}${more}Connection: close\r\n\r\n${body}`;
}

describe("the event stream", () => {
  let scripts: (string | string[])[] = [];
  let requests: string[] = [];
  let pauses: number[] = [];
  let server: Server;
  let convoke: Convoke;

  /** Writes what the test says, byte for byte, one script per connection, or slowly in parts. */
  beforeEach(async () => {
    scripts = [];
    requests = [];
    pauses = [];
    server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", (head) => {
        requests.push(head.toString());
        const said = scripts.shift() ?? answer(404);
        if (typeof said !== "string") {
          said.forEach((part, i) => setTimeout(() => socket.write(part), i * 100));
          setTimeout(() => socket.end(), said.length * 100);
          return;
        }
        const script = Buffer.from(said);
        const cut = script.indexOf("ü") + 1 || script.length >> 1; // in the middle of a letter
        socket.write(script.subarray(0, cut));
        setTimeout(() => socket.end(script.subarray(cut)), 20);
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const sleep = async (ms: number) => pauses.push(ms);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    convoke = new Convoke({ url, apiKey: "k", sleep });
  });
  afterEach(() => server.close());

  /** Everything until the server has nothing more to say: a 404, which is thrown. */
  async function stream(options: StreamOptions, ...said: typeof scripts): Promise<number[]> {
    scripts.push(...said);
    const seen: number[] = [];
    const ended = await (async () => {
      for await (const { seq, data } of convoke.events.stream(options)) {
        assert.deepEqual(data, { text: "Grüße" });
        seen.push(seq);
      }
    })().catch((error: unknown) => error);
    assert.ok(ended instanceof ApiError && ended.status === 404, String(ended));
    return seen;
  }

  function positions(): (string | undefined)[] {
    return requests.map((request) => /last-event-id: (\d+)/i.exec(request)?.[1]);
  }

  test("goes on after the last event, without gap or duplicate", async () => {
    const seen = await stream(
      { after: 4 },
      STREAM + event(5) + event(6) + event(7).slice(0, -9), // cut off in the middle of 7
      answer(503, "{}", "application/json", "Retry-After: 7\r\n"),
      "", // hangs up
      STREAM + event(6) + event(7) + event(8), // repeats what we have
    );
    assert.deepEqual(seen, [5, 6, 7, 8]);
    assert.deepEqual(positions(), ["4", "6", "6", "6", "8"]);
    assert.ok(Math.max(...pauses) >= 7000);
  });

  test("from now on has a position before its first event", async () => {
    const newest = JSON.stringify({ items: [{ seq: 40 }], next_cursor: null });
    assert.deepEqual(await stream({}, answer(200, newest), STREAM, STREAM + event(41)), [41]);
    assert.deepEqual(positions(), [undefined, "40", "40", "41"]);
  });

  test("from now on means from the call", { timeout: 20_000 }, async () => {
    scripts.push(answer(200, JSON.stringify({ items: [{ seq: 40 }], next_cursor: null })));
    const asked = once(server, "connection");
    const stream = convoke.events.stream();
    await asked;
    scripts.push(STREAM + event(41));
    assert.equal((await stream.next()).value?.seq, 41);
    assert.deepEqual(positions(), [undefined, "40"]);
    await stream.return(undefined);
  });

  test("from now on is tried again where the call failed", async () => {
    const newest = JSON.stringify({ items: [], next_cursor: null });
    const failures = Array<string>(5).fill("");
    assert.deepEqual(await stream({}, ...failures, answer(200, newest), STREAM + event(1)), [1]);
    assert.deepEqual(positions().slice(-2), ["0", "1"]);
  });

  test("a refusal of the call is thrown to the reader", { timeout: 20_000 }, async () => {
    scripts.push(answer(401));
    const asked = once(server, "connection");
    const stream = convoke.events.stream();
    await asked;
    await new Promise((resolve) => setTimeout(resolve, 500)); // the refusal comes before the reader
    await assert.rejects(stream.next(), (error: ApiError) => error.status === 401);
    assert.equal(requests.length, 1);
  });

  test("garbage is a broken connection", async () => {
    const seen = await stream(
      { after: 0 },
      answer(200, "<html>", "text/html"),
      `${STREAM}data: {not json\n\n${event(1)}`,
      `${STREAM}id: 9\ndata: {"seq": 1}\n\n${event(2)}`,
      `${STREAM}: comment\r\n\r\nretry: 5\nunknown: 1\n\n${event(1).replaceAll("\n", "\r\n")}`,
    );
    assert.deepEqual(seen, [1]);
    assert.deepEqual(positions(), ["0", "0", "0", "0", "1"]);
  });

  test("is not given up for having been quiet", async () => {
    const seen = await stream({ after: 4, giveUpAfter: 500 }, QUIET, STREAM + event(5));
    assert.deepEqual(seen, [5]);
  });

  test("that was steady and ends in garbage was there until then", async (t) => {
    const begun = Date.now();
    const since = performance.now();
    t.mock.method(Date, "now", () => begun + 100 * (performance.now() - since));
    const garbage = [...QUIET, "data: {not json\n\n"];
    const seen = await stream({ after: 4, giveUpAfter: 50_000 }, garbage, STREAM + event(5));
    assert.deepEqual(seen, [5]);
    await stream({ after: 4 }, ...Array<string>(6).fill(answer(502)), garbage);
    assert.ok(pauses.at(-1)! <= 250);
  });

  for (const [how, script] of [["is away", answer(502)], ["closes at once", STREAM]] as const) {
    test(`pauses grow while the server ${how}`, async () => {
      await stream({ after: 0 }, ...Array<string>(7).fill(script));
      assert.ok(pauses[6]! > pauses[0]! * 4);
    });
  }

  test("a refusal is thrown, and a limit of time holds", async () => {
    scripts.push(answer(401));
    await assert.rejects(convoke.events.stream({ after: 0 }).next(), ApiError);
    scripts.push(answer(429, "{}", "application/json", "Retry-After: 60\r\n"));
    const limited = convoke.events.stream({ after: 0, giveUpAfter: 5000 });
    await assert.rejects(limited.next(), (error: ApiError) => error.status === 429);
    scripts.push("");
    await assert.rejects(convoke.events.stream({ after: 0, giveUpAfter: 0 }).next(), Unreachable);
  });

  test("ends when it is told to, also in the middle of a connection", async () => {
    const stop = new AbortController();
    scripts.push(STREAM + event(1));
    const seen = [];
    for await (const { seq } of convoke.events.stream({ after: 0, signal: stop.signal })) {
      seen.push(seq);
      stop.abort();
    }
    assert.deepEqual([seen, requests.length], [[1], 1]);
  });
});
