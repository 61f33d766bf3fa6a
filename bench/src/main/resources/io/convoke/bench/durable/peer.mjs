// One queue of Node, driven by lines on standard input:
//   enqueue CALLERS MS    queues for so long, each caller waiting for its own commit; answers how many
//   put                   queues one item with the clock's nanoseconds in it; answers ok
//   work MS               works off all, for so long at most; answers how many, how many of them
//                         were never begun, and the nanoseconds
//   queued, clear         answers how many are queued; empties the tables
//   watch WORKERS         from now on answers each item's nanoseconds from its put to its start
// The clock is the machine's monotonic one, which a JVM reads too.
import { createInterface } from "node:readline";

const clock = () => process.hrtime.bigint();
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (line) => process.stdout.write(line + "\n");
const { open } = await import(process.argv[2]);
const queue = await open(process.env.DATABASE_URL);
const payload = "x".repeat(113);

const commands = {
  async enqueue(callers, ms) {
    const end = Date.now() + Number(ms);
    let calls = 0;
    const call = async () => {
      while (Date.now() < end) {
        await queue.put(payload);
        calls++;
      }
    };
    await Promise.all(Array.from({ length: Number(callers) }, call));
    return calls;
  },
  async put() {
    await queue.put(String(clock()));
    return "ok";
  },
  async work(ms) {
    const queued = await queue.queued();
    let begun = 0;
    let first;
    const called = clock();
    const stop = await queue.workers(queue.most, () => {
      first ??= clock();
      begun++;
    });
    const late = () => clock() - (first ?? called) > BigInt(first ? ms : 20000) * 1000000n;
    while ((begun < queued || (await queue.queued()) > 0) && !late()) {
      await pause(2);
    }
    const span = clock() - (first ?? called);
    const done = queued - (await queue.queued());
    const unbegun = Math.max(0, done - begun);
    await stop();
    return `${done} ${unbegun} ${span}`;
  },
  queued: () => queue.queued(),
  async clear() {
    await queue.clear();
    return "ok";
  },
  async watch(workers) {
    await queue.workers(Number(workers), (stamp) => say(String(clock() - BigInt(stamp))));
    return "ready";
  },
};

say("ready");
const lines = createInterface({ input: process.stdin });
for await (const line of lines) {
  const [command, ...rest] = line.trim().split(" ");
  say(String(await commands[command](...rest)));
}
process.exit(0);
