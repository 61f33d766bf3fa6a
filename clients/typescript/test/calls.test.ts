import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { ApiError, Convoke, type AnswerOf, type Meeting } from "../src/index.js";
import { operations } from "../src/operations.js";
import { FakeServer, type Reply } from "./fakes.js";

describe("every operation", () => {
  let replies: Reply[] = [];
  let server: FakeServer;
  let convoke: Convoke;

  beforeEach(async () => {
    replies = [];
    server = await new FakeServer(() => replies.shift() ?? { body: {} }).start();
    convoke = new Convoke({ url: server.url, apiKey: "cvk_1", retries: 1, sleep: async () => {} });
  });
  afterEach(() => server.close());

  test("is sent with its path, query and body, and answered with its type", async () => {
    replies.push({ body: { id: 7 } }, { body: { id: 42, status: "active" } });
    const body = { email: "ada@example.org" };
    const user: { id: number } = await convoke.call("changeUser", { path: { id: 7 }, body });
    assert.equal(user.id, 7);
    const meeting: Meeting = await convoke.call("getMeeting", { path: { id: 42 } });
    assert.equal(meeting.status, "active");
    const [first, second] = server.calls;
    assert.deepEqual([first?.method, first?.path, first?.body], ["PATCH", "/admin/users/7", body]);
    assert.deepEqual([second?.method, second?.path], ["GET", "/meetings/42"]);
  });

  test("is a line of the table, and no path leaves a parameter open", async () => {
    assert.ok(Object.keys(operations).length > 130);
    const path = new Proxy({}, { get: () => "x/y" });
    for (const [id, [method, template, , answer]] of Object.entries(operations)) {
      const status = answer === "address" ? 303 : 200;
      replies.push({ status, body: {}, headers: { location: "/" } });
      await convoke.call(id as "getMeeting", { path: path as { id: number } });
      const sent = server.calls.at(-1);
      const asked = template.replaceAll(/\{\w+\}/g, "x%2Fy");
      assert.deepEqual([sent?.method, sent?.path], [method, asked]);
    }
  });

  test("repeats what creates under one key, a given one if there is one, and else nothing", async () => {
    const lost: Reply = { status: 503, body: { code: "unavailable" } };
    const task = { request_id: "r", type: "t", action: "start", channel: "c", payload: {} } as const;
    replies.push(lost, { body: { id: "t-1" } });
    await convoke.call("createTask", { body: task, header: { "Idempotency-Key": "mine" } });
    replies.push(lost, { body: { id: "t-2" } });
    await convoke.call("createTask", { body: task });
    const keys = server.calls.map((call) => String(call.headers["idempotency-key"]));
    assert.deepEqual(keys.slice(0, 2), ["mine", "mine"]);
    assert.ok(keys[2]!.length === 36 && keys[2] === keys[3]);
    replies.push(lost, { body: {} });
    await assert.rejects(convoke.call("drainPod", { path: { pod_id: "p" } }), ApiError);
    assert.equal(server.calls.length, 5);
  });

  test("answers texts, addresses and nothing as its document says", async () => {
    replies.push({ raw: "up 1\n", headers: { "content-type": "text/plain" } });
    const metrics: string = await convoke.call("metrics");
    assert.equal(metrics, "up 1\n");
    replies.push({ status: 303, headers: { location: "https://id.example" } });
    assert.deepEqual(await convoke.call("signInByOidc"), { location: "https://id.example" });
    replies.push({ status: 204, raw: "" });
    const nothing: undefined = await convoke.call("revokeToken", { path: { id: 1 } });
    assert.equal(nothing, undefined);
  });

  test("of a list is read page by page", async () => {
    replies.push(
      { body: { items: [{ id: 1 }], next_cursor: "c2" } },
      { body: { items: [{ id: 2 }], next_cursor: null } },
    );
    const ids: number[] = [];
    for await (const { id } of convoke.pages("listTeams")) {
      ids.push(id);
    }
    assert.deepEqual(ids, [1, 2]);
    assert.equal(server.calls[1]?.path, "/admin/teams?limit=200&cursor=c2");
  });
});

/** Never called: the compiler alone reads it. */
export function wrong(convoke: Convoke): void {
  // @ts-expect-error a path parameter is missing
  void convoke.call("getMeeting");
  // @ts-expect-error there is no such status
  void convoke.call("listMeetings", { query: { status: "asleep" } });
  // @ts-expect-error a body is missing
  void convoke.call("startBot", {});
  // @ts-expect-error that is no list
  void convoke.pages("getMeeting", { path: { id: 1 } });
  // @ts-expect-error a meeting has no such member
  void ((meeting: AnswerOf<"getMeeting">) => meeting.nothing);
}
