import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, afterEach, describe, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { ApiError, Convoke, InvalidAnswer, InvalidSignature, Unreachable, verifyWebhook } from "../src/index.js";
import { FakeServer, type Reply } from "./fakes.js";

function problem(status: number, code: string, headers: Record<string, string> = {}): Reply {
  return { status, body: { status, code, trace_id: "t-1", detail: "no" }, headers };
}

async function refusal(work: Promise<unknown>): Promise<ApiError> {
  const error = await work.then(() => undefined, (e: unknown) => e);
  assert.ok(error instanceof ApiError, String(error));
  return error;
}

describe("the client", () => {
  let replies: Reply[] = [];
  let pauses: number[] = [];
  let server: FakeServer;
  let convoke: Convoke;

  beforeEach(async () => {
    replies = [];
    pauses = [];
    server = await new FakeServer(() => replies.shift() ?? { status: 500 }).start();
    const sleep = async (ms: number) => pauses.push(ms);
    convoke = new Convoke({ url: server.url, apiKey: "cvk_1", timeout: 5000, sleep });
  });
  afterEach(() => server.close());

  test("a list is read page by page, and only as far as it is used", async () => {
    replies.push(
      { body: { items: [{ id: 1 }, { id: 2 }], next_cursor: "c2" } },
      { body: { items: [{ id: 3 }], next_cursor: null } },
    );
    const meetings = convoke.meetings.list({ status: "active" });
    assert.equal((await meetings.next()).value?.id, 1);
    assert.equal((await meetings.next()).value?.id, 2);
    assert.deepEqual(server.calls.map((call) => call.path), ["/meetings?status=active&limit=200"]);
    assert.equal((await meetings.next()).value?.id, 3);
    assert.equal((await meetings.next()).done, true);
    assert.equal(server.calls[1]?.path, "/meetings?status=active&limit=200&cursor=c2");
    assert.equal(server.calls[0]?.headers["x-api-key"], "cvk_1");
  });

  test("pages that do not end are an error", async () => {
    replies.push(...Array(3).fill({ body: { items: [], next_cursor: "same" } }));
    await assert.rejects(convoke.bots.list().next(), /do not end/);
  });

  test("a refusal says code, status and trace", async () => {
    replies.push(problem(400, "meeting_url_refused"));
    const bot = { platform: "zoom", meeting_url: "http://evil" } as const;
    const error = await refusal(convoke.bots.start(bot));
    assert.deepEqual([error.status, error.code, error.traceId], [400, "meeting_url_refused", "t-1"]);
  });

  test("a creation is repeated under one key until it is answered", async () => {
    replies.push(
      { hangUp: true },
      problem(503, "unavailable", { "Retry-After": "1" }),
      problem(429, "rate_limited", { "Retry-After": "2" }),
      problem(409, "idempotency_in_flight"),
      { status: 201, body: { id: 7 } },
    );
    const meeting = await convoke.bots.start({ platform: "daily", native_meeting_id: "x" });
    assert.equal(meeting.id, 7);
    const keys = server.calls.map((call) => call.headers["idempotency-key"]);
    assert.match(String(keys[0]), /^[0-9a-f-]{36}$/);
    assert.equal(new Set(keys).size, 1);
    assert.equal(server.calls.length, 5);
    assert.ok(pauses[1]! >= 1000 && pauses[2]! >= 2000);
  });

  test("what could happen twice is not repeated", async () => {
    replies.push({ status: 503 }, { hangUp: true });
    assert.equal((await refusal(convoke.recordings.retry("r1"))).code, "http_503");
    await assert.rejects(convoke.webhooks.test(1), Unreachable);
    assert.deepEqual([server.calls.length, pauses.length], [2, 0]);
  });

  test("a storm of 429 ends with the last one", async () => {
    replies.push(...Array(5).fill(problem(429, "rate_limited", { "Retry-After": "3" })));
    assert.equal((await refusal(convoke.meetings.get(1))).retryAfter, 3);
    assert.equal(pauses.length, 4);
  });

  test("a pause beyond the patience is left to the caller", async () => {
    replies.push(problem(429, "bot_limit_reached", { "Retry-After": "30" }));
    const error = await refusal(convoke.bots.start({ platform: "daily", native_meeting_id: "x" }));
    assert.deepEqual([error.retryAfter, pauses], [30, []]);
  });

  test("Retry-After may be a date or garbage", async () => {
    const later = new Date(Date.now() + 10_000).toUTCString();
    for (const value of [later, "soon", "-5", "1e9"]) {
      replies = Array(5).fill(problem(429, "x", { "Retry-After": value }));
      const { retryAfter } = await refusal(convoke.meetings.get(1));
      assert.equal(retryAfter === undefined, value !== later, value);
    }
  });

  test("garbage is an error of its own", async () => {
    for (const raw of ["<html>", "[1]", "null", ""]) {
      replies.push({ raw });
      await assert.rejects(convoke.meetings.get(1), InvalidAnswer);
    }
    replies.push(...Array(5).fill({ status: 502, raw: "<html>Bad Gateway" }));
    assert.equal((await refusal(convoke.meetings.get(1))).code, "http_502");
  });

  test("a deletion that worked before its answer was lost is no error", async () => {
    replies.push({ hangUp: true }, problem(404, "not_found"), problem(404, "not_found"));
    replies.push(problem(503, "unavailable"), problem(404, "not_found"));
    await convoke.webhooks.delete(3);
    assert.equal((await refusal(convoke.webhooks.delete(3))).status, 404);
    assert.equal((await refusal(convoke.webhooks.delete(4))).status, 404);
  });

  test("a redirect is not followed with the key", async () => {
    const other = await new FakeServer(() => ({ body: { id: 1 } })).start();
    replies.push({ status: 302, headers: { Location: `${other.url}/meetings/1` } });
    await refusal(convoke.meetings.get(1));
    assert.equal(other.calls.length, 0);
    other.close();
  });

  test("a credential that cannot be sent is refused at once, without its value", async () => {
    for (const name of ["apiKey", "adminKey", "token"] as const) {
      for (const wrong of ["cvk_\u200b1", "cvk_\n1", "cvk_\u007f1", "schl\u00fcssel"]) {
        const message = `${name} has a character that is not printable ASCII`;
        assert.throws(() => new Convoke({ [name]: wrong }), { name: "TypeError", message });
      }
    }
    replies.push({ body: { id: 1 } });
    await new Convoke({ url: server.url, apiKey: " cvk_2\r\n" }).meetings.get(1);
    assert.equal(server.calls[0]?.headers["x-api-key"], "cvk_2");
  });

  test("a body that is no JSON is the caller's mistake, and is not tried again", async () => {
    await assert.rejects(convoke.request("PUT", "/x", { body: 1n, idempotent: true }), TypeError);
    assert.deepEqual([server.calls, pauses], [[], []]);
  });

  test("names in paths are encoded", async () => {
    replies.push({ body: { room: "x" } }, { status: 204 });
    await convoke.rooms.track("daily", "a/b?c*", true);
    await convoke.recordings.delete("../meetings");
    for (const name of ["", ".", ".."]) {
      await assert.rejects(convoke.recordings.delete(name), TypeError);
    }
    const paths = ["/rooms/daily/a%2Fb%3Fc*", "/recordings/..%2Fmeetings"];
    assert.deepEqual(server.calls.map((call) => call.path), paths);
  });

  test("a transcript as a document", async () => {
    replies.push({ raw: "WEBVTT\n\nÄ", headers: { "Next-Cursor": "c" } });
    const document = await convoke.transcripts.export(42, "vtt");
    assert.deepEqual(document, { text: "WEBVTT\n\nÄ", nextCursor: "c" });
  });

  test("an unreachable server is tried again", async () => {
    server.close();
    await assert.rejects(convoke.meetings.get(1), Unreachable);
    assert.equal(pauses.length, 4);
  });
});

interface Vector {
  name: string;
  secret: string;
  now: number;
  headers: Record<string, string>;
  body: string;
  valid: boolean;
}

const VECTORS = JSON.parse(
  readFileSync(new URL("../../../vectors/webhooks.json", import.meta.url), "utf8"),
) as Vector[];

describe("webhooks, with npm's standardwebhooks as the judge", () => {
  for (const { name, secret, now, headers, body, valid } of VECTORS) {
    test(name, (context) => {
      context.mock.timers.enable({ apis: ["Date"], now: now * 1000 });
      const theirs = () => new Webhook(secret).verify(body, headers);
      const ours = () => verifyWebhook(secret, headers, body);
      if (valid) {
        assert.deepEqual(ours(), theirs());
        assert.deepEqual(verifyWebhook([`whsec_${"A".repeat(44)}`, secret], new Headers(headers), Buffer.from(body)), ours());
      } else {
        assert.throws(theirs);
        assert.throws(ours, InvalidSignature);
      }
    });
  }

  test("headers of node:http2, and those that are no text", () => {
    const { secret, headers, body, now } = VECTORS.find((vector) => vector.valid) as Vector;
    const at = new Date(now * 1000);
    const event = verifyWebhook(secret, { ":path": "/hooks", ...headers }, body, at);
    assert.deepEqual(event, JSON.parse(body));
    const forged = { ...headers, "webhook-id": "\u20ac" };
    assert.throws(() => verifyWebhook(secret, forged, body, at), InvalidSignature);
  });

  test("a secret that is none", () => {
    const [{ headers, body, now }] = VECTORS as [Vector];
    for (const secret of ["", "whsec_", "not base64!"]) {
      assert.throws(() => verifyWebhook(secret, headers, body, new Date(now * 1000)), TypeError);
    }
  });
});
