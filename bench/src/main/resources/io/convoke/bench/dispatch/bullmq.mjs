// BullMQ (MIT), a producer or a worker, driven by lines on standard input:
//   producer  enqueue MS BACKLOG   adds in bulk for so long, while no more wait; answers how many
//             put                  adds one job with the clock's nanoseconds in it; answers ok
//   worker    reset                counts from nothing again; answers ok
//             done COUNT           answers the clock's nanoseconds at the end of the last of so many
//             watch                from now on answers each job's nanoseconds from its put to its start
// The clock is the machine's monotonic one, which a JVM reads too.
import { createInterface } from "node:readline";
import { Queue, Worker } from "bullmq";

const [role, workers, concurrency] = process.argv.slice(2);
const url = new URL(process.env.REDIS_URL);
const connection = { host: url.hostname, port: Number(url.port), password: url.password };
const clock = () => process.hrtime.bigint();
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (line) => process.stdout.write(line + "\n");

const BULK = 50;
const BULKS_AT_ONCE = 8;
const options = { removeOnComplete: true, removeOnFail: true };

function producer() {
  const queue = new Queue("tasks", { connection, defaultJobOptions: options });
  const payload = { payload: "x".repeat(113) };
  return {
    async enqueue(ms, backlog) {
      const end = Date.now() + Number(ms);
      let added = 0;
      const add = async () => {
        while (Date.now() < end) {
          if ((await queue.getWaitingCount()) > Number(backlog)) {
            await pause(2);
            continue;
          }
          await queue.addBulk(Array.from({ length: BULK }, () => ({ name: "task", data: payload })));
          added += BULK;
        }
      };
      await Promise.all(Array.from({ length: BULKS_AT_ONCE }, add));
      return added;
    },
    async put() {
      await queue.add("task", { stamp: String(clock()) });
      return "ok";
    },
  };
}

async function worker() {
  let completed = 0;
  let last = 0n;
  let wanted = Infinity;
  let reached = () => {};
  let watching = false;
  const all = Array.from({ length: Number(workers) }, () => {
    const one = new Worker(
      "tasks",
      async (job) => {
        if (watching) {
          say(String(clock() - BigInt(job.data.stamp)));
        }
      },
      { connection, concurrency: Number(concurrency) },
    );
    one.on("completed", () => {
      completed++;
      last = clock();
      if (completed >= wanted) {
        reached();
      }
    });
    one.on("error", () => {});
    return one;
  });
  await Promise.all(all.map((one) => one.waitUntilReady()));
  return {
    async reset() {
      completed = 0;
      wanted = Infinity;
      return "ok";
    },
    async done(count) {
      await new Promise((resolve) => {
        reached = resolve;
        wanted = Number(count);
        if (completed >= wanted) {
          resolve();
        }
      });
      return last;
    },
    async watch() {
      watching = true;
      return "ok";
    },
  };
}

const commands = role === "producer" ? producer() : await worker();
say("ready");
const lines = createInterface({ input: process.stdin });
for await (const line of lines) {
  const [command, ...rest] = line.trim().split(" ");
  say(String(await commands[command](...rest)));
}
process.exit(0);
