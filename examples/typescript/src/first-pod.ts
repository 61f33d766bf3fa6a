/** Tasks of two types: ./convoke pod --region eu-west-1 --slots 2 --exec 'node dist/first-pod.js' */
import { setTimeout as sleep } from "node:timers/promises";
import { Retry, run, TaskFailed } from "@convoke/client/pod";

await run({
  /** Counts until it is stopped, or to the end. */
  async count(task) {
    const seconds = Number(task.payload["seconds"]);
    await sleep(seconds * 1000, undefined, { signal: task.stopping }).catch(() => {});
  },

  check(task) {
    if (!("url" in task.payload)) {
      throw new TaskFailed("url is missing");
    }
    if (task.attempt === 1) {
      throw new Retry("the first attempt never succeeds");
    }
  },
});
