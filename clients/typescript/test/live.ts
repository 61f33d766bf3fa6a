/** Every call of the client against a real server, which CONVOKE_URL and the keys name. */
import assert from "node:assert/strict";
import { ApiError, Convoke, type TaskRequest } from "../src/index.js";

const convoke = new Convoke();
const admin = new Convoke({ adminKey: process.env["CONVOKE_ADMIN_KEY"]! });
const internal = new Convoke({ token: process.env["CONVOKE_INTERNAL"]! });
const [start, later] = process.argv.slice(2) as [string, string];

async function refused(status: number, call: Promise<unknown>): Promise<void> {
  const error = await call.then(() => undefined, (e: unknown) => e);
  assert.ok(error instanceof ApiError && error.status === status, `${status} but ${String(error)}`);
  assert.ok(error.traceId !== "" && error.code !== `http_${status}`);
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) {
    list.push(item);
  }
  return list;
}

await refused(401, new Convoke({ apiKey: "cvk_wrong" }).meetings.get(1));

// meetings and presence
const tracked: number[] = [];
let owner = 0;
for (const n of [0, 1, 2]) {
  const name = { platform: "daily", native_meeting_id: `room-${n}` } as const;
  const meeting = await convoke.meetings.track({ ...name, data: { n } });
  tracked.push(meeting.id);
  owner = meeting.user_id;
}
const listed = await all(convoke.meetings.list({ platform: "daily" }));
assert.deepEqual(listed.map((one) => one.id), tracked.toReversed());
const [first, second] = tracked as [number, number];
assert.deepEqual((await convoke.meetings.get(first)).data, { n: 0 });
assert.deepEqual((await convoke.meetings.describe(first, { n: 7 })).data, { n: 7 });
assert.deepEqual((await convoke.meetings.participants(first, { active: true })).items, []);
const history = await convoke.meetings.timeline(first).next();
assert.equal(history.value?.["subject"], `meeting:${first}`);
assert.equal((await convoke.meetings.summary(first))["status"], "none");
await refused(404, convoke.meetings.get(999_999));
assert.ok(await convoke.request("GET", "/usage"));

// bots that start later
const meet = { platform: "google_meet", native_meeting_id: "abc-defg-hij" } as const;
const batch = await convoke.bots.batch([
  { ...meet, start_at: start },
  { platform: "zoom", meeting_url: "https://evil.example" },
]);
assert.deepEqual(batch.map((one) => one.status), [201, 400]);
const bot = batch[0]!.meeting!.id;
assert.equal((await convoke.bots.status(bot)).status, "reserved");
assert.ok((await all(convoke.bots.active())).some((one) => one.id === bot));
assert.ok((await all(convoke.bots.list({ live: true }))).some((one) => one.meeting_id === bot));
const moved = await convoke.bots.reschedule({ meeting_id: bot, start_at: later });
assert.ok(moved.start_at?.startsWith(later.slice(0, 13)));
await convoke.bots.configure({ meeting_id: bot, language: "fr", automatic_leave: { max_lifetime: 60 } });
await refused(409, convoke.bots.start(meet));
assert.equal((await convoke.bots.stop({ meeting_id: bot })).meeting_id, bot);
await convoke.bots.stop(meet);

// transcripts and search; there are none yet
assert.deepEqual((await convoke.transcripts.get(first, { words: true })).segments, []);
assert.deepEqual(await all(convoke.transcripts.segments(first)), []);
const document = await convoke.transcripts.export(first, "vtt");
assert.deepEqual(document, { text: "WEBVTT\n", nextCursor: undefined });
assert.equal((await convoke.transcripts.export(first, "srt")).text, "");
await refused(404, convoke.transcripts.renameSpeaker(first, { from: "Speaker 1", to: "Ada" }));
await refused(404, convoke.transcripts.correct(first, 1, { text: "x" }));
assert.deepEqual(await all(convoke.search("budget")), []);

// recordings
assert.deepEqual(await all(convoke.recordings.list({ status: "done" })), []);
assert.deepEqual(await all(convoke.recordings.list({ meeting_id: first })), []);
await refused(404, convoke.recordings.get("no-such"));
await refused(404, convoke.recordings.audio("no-such"));
await refused(404, convoke.recordings.retry("no-such"));
await refused(404, convoke.recordings.match("no-such", first));
await refused(404, convoke.recordings.delete("no-such"));

// rooms
const rooms = (await all(convoke.rooms.list())).map((one) => one.room);
assert.ok(rooms.includes("room-0") && rooms.includes("room-1"));
assert.equal((await convoke.rooms.track("daily", "room-0", true)).track, true);
assert.equal((await admin.rooms.assign("daily", "acme-*", { user_id: owner })).room, "acme-*");
await admin.rooms.release("daily", "acme-*");
await refused(403, convoke.rooms.assign("daily", "x", { user_id: 1 }));
await refused(405, convoke.rooms.create({ name: "stand-up" })); // this server has no Janus

// webhooks
const types = ["meeting.status_changed"];
const endpoint = await convoke.webhooks.create({ url: "http://127.0.0.1:9/hooks", types });
assert.ok(endpoint.secret.startsWith("whsec_"));
const endpoints = await all(convoke.webhooks.list());
assert.deepEqual(endpoints.map((one) => one.id), [endpoint.id]);
assert.ok(!("secret" in (await convoke.webhooks.get(endpoint.id))));
await convoke.webhooks.test(endpoint.id);
await all(convoke.webhooks.deliveries(endpoint.id, { state: "pending" }));
await refused(409, convoke.webhooks.resume(endpoint.id));
await refused(404, convoke.webhooks.resend(endpoint.id, 999_999));
await convoke.webhooks.delete(endpoint.id);

// sync
assert.equal((await convoke.sync.get(first)).status, "not_started");
const many = await convoke.sync.getMany([first, second, 999_999]);
assert.deepEqual([...many.keys()].sort(), [String(first), String(second)].sort());
const job = { meeting_id: String(first), step: "JobB", job_id: "j1" };
assert.equal((await internal.sync.update({ ...job, status: "failure" })).last_step, "JobB");
await refused(403, convoke.sync.update({ ...job, status: "success" }));
assert.equal((await convoke.sync.retry(first)).status, "in_progress");

// tasks
const payload = { access_token: "secret" };
const request: TaskRequest = { type: "t", channel: "c", payload, request_id: "r1" };
const task = await convoke.tasks.submit(request);
assert.deepEqual(task.payload, { access_token: "***" });
assert.equal((await convoke.tasks.submit(request)).id, task.id);
assert.equal((await convoke.tasks.cancel(task.id)).state, "FAILED");
assert.equal((await convoke.tasks.get(task.id)).error, "stopped");
await refused(404, convoke.tasks.get("no-such"));
for await (const _ of convoke.events.stream({ after: 0, type: "task.failed" })) {
  break; // the ledger has it
}
const failed = await all(convoke.tasks.list({ state: "FAILED", channel: "c" }));
assert.deepEqual(failed.map((one) => one.id), [task.id]);
const moves = await all(convoke.tasks.timeline(task.id));
assert.equal(moves.at(-1)?.["type"], "task.failed");

// events
const events = await all(convoke.events.list({ subject: `meeting:${first}` }));
const seqs = events.map((one) => one.seq);
assert.ok(seqs.length > 0);
assert.deepEqual(seqs, seqs.toSorted((one, two) => one - two));
const newest = (await convoke.events.list({ order: "newest" }).next()).value;
assert.ok((newest?.seq ?? 0) >= seqs.at(-1)!);
console.log("ok");
