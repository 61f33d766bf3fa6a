package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.signal.Signal;
import io.convoke.engine.signal.Signal.Observation;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.lab.stores.Stores;
import java.time.Duration;
import java.util.List;

/** How long an empty Redis takes to have all tasks again: {@code LongRebuild <tasks>}. */
final class LongRebuild {
  private LongRebuild() {}

  public static void main(String[] args) {
    int count = Integer.parseInt(args[0]);
    DispatchTerms terms =
        DispatchTerms.of(Duration.ofHours(1), Duration.ofSeconds(45), 5, Duration.ofMinutes(30));
    try (Redis redis = Redis.open(Stores.forTests().redis().url());
        Database database =
            Database.open(
                DatabaseUrl.parse(Stores.forTests().freshDatabase()), 4, "d", List.of("public"))) {
      PostgresLedger ledger = new PostgresLedger(database, (tx, moves) -> {});
      database.run(
          tx -> {
            int _ = tx.sql(DispatchTest.ddl()).update();
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
      Tasks tasks = new Tasks(redis, terms);
      Signal<Integer> ended = new Signal<>();
      Rebuild rebuild = new Rebuild(redis, tasks.places().global(), ledger, ended);
      try (Observation<Integer> rebuilt = ended.observe()) {
        long began = System.nanoTime();
        boolean _ = rebuild.ifForgotten();
        System.out.printf(
            "%,d tasks are back after %d ms%n",
            rebuilt.await(Duration.ofSeconds(1)), (System.nanoTime() - began) / 1_000_000);
      }
    }
  }
}
