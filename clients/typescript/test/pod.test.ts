import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";

const PROGRAM = `
  import { Retry, TaskFailed, run } from ${JSON.stringify(new URL("../src/pod.js", import.meta.url).href)};
  await run({
    echo(task) { console.log(task.id, task.channel, task.attempt, task.region, task.payload.text); },
    fail() { throw new TaskFailed("the recorder failed\\nin two lines"); },
    crash() { throw new RangeError("oh no"); },
    async again() { throw new Retry("not yet"); },
    async later() {
      setTimeout(() => { throw new RangeError("too late"); });
      await new Promise(() => {});
    },
    async rejected() {
      void Promise.reject(new Retry("not there"));
      await new Promise(() => {});
    },
    async wait(task) {
      console.log("waits");
      await new Promise((resolve) => task.stopping.addEventListener("abort", resolve));
      console.log("stopped");
    },
  });`;

function start(input: string) {
  const program = spawn(process.execPath, ["--input-type=module", "-e", PROGRAM], { env: {} });
  let output = "";
  let errors = "";
  program.stdout.on("data", (text) => (output += String(text)));
  program.stderr.on("data", (text) => (errors += String(text)));
  program.stdin.write(input);
  const ended = once(program, "close").then(([code]) => ({ code: code as number, output, errors }));
  return { program, ended };
}

function task(type: string): string {
  const fields = { id: "t1", type, channel: "c", attempt: 2, region: "eu", payload: { text: "x" } };
  return `${JSON.stringify(fields)}\n`;
}

for (const [type, code, last] of [
  ["fail", 1, "the recorder failed"],
  ["crash", 1, "RangeError: oh no"],
  ["again", 75, "not yet"],
  ["later", 1, "RangeError: too late"],
  ["rejected", 75, "not there"],
  ["toString", 1, "no handler for tasks of type toString"],
] as const) {
  test(`a task that ends with: ${last}`, async () => {
    const result = await start(task(type)).ended;
    assert.deepEqual([result.code, result.errors.trimEnd().split("\n").at(-1)], [code, last]);
  });
}

test("a task and its payload", async () => {
  const expected = { code: 0, output: "t1 c 2 eu x\n", errors: "" };
  assert.deepEqual(await start(task("echo")).ended, expected);
});

test("garbage is no task", async () => {
  const expected = { code: 1, output: "", errors: "standard input holds no task\n" };
  assert.deepEqual(await start("garbage\n").ended, expected);
});

test("SIGTERM is a request to stop", async () => {
  const { program, ended } = start(task("wait"));
  await once(program.stdout, "data");
  program.kill("SIGTERM");
  assert.deepEqual(await ended, { code: 0, output: "waits\nstopped\n", errors: "" });
});
