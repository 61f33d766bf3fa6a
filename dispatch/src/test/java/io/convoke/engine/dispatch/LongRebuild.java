package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.List;

/** Measures the rebuild of an empty Redis: {@code LongRebuild <tasks>}. */
final class LongRebuild {
  private LongRebuild() {}

  public static void main(String[] args) {
    int count = Integer.parseInt(args[0]);
    DispatchConfig config =
        DispatchConfig.of(Duration.ofHours(1), Duration.ofSeconds(45), 5, Duration.ofMinutes(30));
    try (Redis redis = Redis.open(LocalStores.forTests().redis().url());
        Database database =
            Database.open(
                DatabaseUrl.parse(LocalStores.forTests().freshDatabase()),
                4,
                "d",
                List.of("public"))) {
      PostgresTaskStore ledger = new PostgresTaskStore(database, (tx, moves) -> {});
      database.run(
          tx -> {
            int _ = tx.sql(DispatchServiceTest.ddl()).update();
            int _ =
                tx.sql(
                        """
                        insert into tasks (id, request_id, state, region, channel, spec, move, queued_at)
                        select 't' || i, 'r' || i, 'PENDING', 'eu', 'c' || i % 1000,
                               jsonb_build_object('id', 't' || i, 'type', 'snapshot', 'action', 'start',
                                 'channel', 'c' || i % 1000, 'request_id', 'r' || i, 'region', 'eu',
                                 'payload', jsonb_build_object('workerUid', i)), 1, now()
                        from generate_series(1, ?) i
                        """)
                    .with(count)
                    .update();
          });
      TaskQueue taskQueue = new TaskQueue(redis, config);
      TestSignal<Integer> ended = new TestSignal<>();
      RedisRebuilder redisRebuilder =
          new RedisRebuilder(redis, taskQueue.keySpaces().global(), ledger, ended);
      try (SignalObservation<Integer> rebuilt = ended.observe()) {
        long began = System.nanoTime();
        boolean _ = redisRebuilder.rebuildIfNeeded();
        System.out.printf(
            "%,d tasks are back after %d ms%n",
            rebuilt.await(Duration.ofSeconds(1)), (System.nanoTime() - began) / 1_000_000);
      }
    }
  }
}
