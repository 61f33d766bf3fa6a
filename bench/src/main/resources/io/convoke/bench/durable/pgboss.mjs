// pg-boss (MIT): woken by NOTIFY, batches of 500 fetched again as long as they are full.
import { PgBoss } from "pg-boss";
import pg from "pg";

export async function open(url) {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  const boss = new PgBoss({ connectionString: url, max: 16, useListenNotify: true });
  boss.on("error", () => {});
  await boss.start();
  await boss.createQueue("item", { notify: true });
  return {
    most: 4,
    put: (payload) => boss.send("item", { payload }),
    async workers(count, begun) {
      await boss.work(
        "item",
        {
          batchSize: count > 4 ? 1 : 500,
          localConcurrency: count,
          burstWhenBatchFull: true,
          pollingIntervalSeconds: 0.5,
        },
        async (jobs) => jobs.forEach((job) => begun(job.data.payload)),
      );
      return () => boss.offWork("item");
    },
    async queued() {
      const { rows } = await pool.query("select count(*) from pgboss.job where state < 'completed'");
      return Number(rows[0].count);
    },
    clear: () => pool.query("truncate pgboss.job"),
  };
}
