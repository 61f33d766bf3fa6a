import { createInterface } from "node:readline";

const TRY_AGAIN = 75;

/** The task has failed for good; the message, its first line, is the task's `error`. */
export class TaskFailed extends Error {}

/** This attempt has failed; the task is tried again after a pause, by any pod. */
export class Retry extends Error {}

/**
 * One attempt at a task. Put `attempt` into the names of what you make: a task may run more than
 * once. `payload` has access tokens in plain text: never log it.
 */
export interface PodTask {
  readonly id: string;
  readonly type: string;
  readonly channel: string;
  readonly attempt: number;
  readonly region: string | null;
  readonly workerId: number;
  readonly payload: Record<string, unknown>;
  /** Aborted when the work should end: it was stopped, the lease is lost, or the pod ends. */
  readonly stopping: AbortSignal;
}

export type TaskHandler = (task: PodTask) => Promise<void> | void;

/**
 * Runs the task on standard input with the handler of its type, and ends the process. A program for
 * `./convoke pod --exec`: the pod claims tasks, keeps their leases, and starts it for each attempt.
 *
 * A handler that returns has done its task, also after a stop. {@link Retry} sends it back, every
 * other error is a failure, also one that is caught nowhere.
 */
export async function run(handlers: Readonly<Record<string, TaskHandler>>): Promise<never> {
  const stopping = new AbortController();
  process.on("SIGTERM", () => stopping.abort());
  // Else the last line, which is the reason, would be Node's version.
  process.on("uncaughtException", (error) => process.exit(failed(error)));
  const lines = createInterface({ input: process.stdin });
  const { value } = await lines[Symbol.asyncIterator]().next();
  process.exit(await attempt(handlers, String(value ?? ""), stopping.signal));
}

async function attempt(
  handlers: Readonly<Record<string, TaskHandler>>,
  line: string,
  stopping: AbortSignal,
): Promise<number> {
  const task = parse(line, stopping);
  if (task === undefined) {
    return end(1, "standard input holds no task");
  }
  const handler = Object.hasOwn(handlers, task.type) ? handlers[task.type] : undefined;
  if (handler === undefined) {
    return end(1, `no handler for tasks of type ${task.type}`);
  }
  // A promise keeps no process: without this one that waits for nothing but a stop would end.
  const alive = setInterval(() => {}, 1 << 30);
  try {
    await handler(task);
    return 0;
  } catch (error) {
    return failed(error);
  } finally {
    clearInterval(alive);
  }
}

function parse(line: string, stopping: AbortSignal): PodTask | undefined {
  try {
    const { id, type, channel, attempt: number, region, payload } = JSON.parse(line);
    if (typeof id !== "string" || typeof type !== "string" || typeof payload !== "object" || !payload) {
      return undefined;
    }
    const workerId = Number(process.env["CONVOKE_WORKER_ID"] ?? 0);
    return { id, type, channel, attempt: number, region: region ?? null, workerId, payload, stopping };
  } catch {
    return undefined;
  }
}

/** The exit code of an attempt that ended so. */
function failed(error: unknown): number {
  if (error instanceof Retry) {
    return end(TRY_AGAIN, error.message || "tried again");
  }
  if (error instanceof TaskFailed) {
    return end(1, error.message || "failed");
  }
  console.error(error);
  return end(1, String(error));
}

/** The last line of standard error is the reason. */
function end(code: number, why: string): number {
  process.stderr.write(`${why.trim().split("\n")[0] || "failed"}\n`);
  return code;
}
