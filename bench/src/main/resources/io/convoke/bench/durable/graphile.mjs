// graphile-worker (MIT) as its makers measure it: a local queue of 500, completions in batches.
import pg from "pg";
import { Logger, makeWorkerUtils, run, runMigrations } from "graphile-worker";

export async function open(url) {
  const pool = new pg.Pool({ connectionString: url, max: 20 });
  const logger = new Logger(() => () => {});
  await runMigrations({ pgPool: pool, logger });
  const utils = await makeWorkerUtils({ pgPool: pool, logger });
  return {
    most: 24,
    put: (payload) => utils.addJob("item", { payload }),
    async workers(count, begun) {
      const runner = await run({
        pgPool: pool,
        logger,
        noHandleSignals: true,
        noPreparedStatements: false,
        taskList: { item: (job) => begun(job.payload) },
        preset: {
          worker: {
            concurrentJobs: count,
            localQueue: { size: 500 },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
      });
      return () => runner.stop();
    },
    async queued() {
      const { rows } = await pool.query("select count(*) from graphile_worker._private_jobs");
      return Number(rows[0].count);
    },
    clear: () => pool.query("truncate graphile_worker._private_jobs"),
  };
}
