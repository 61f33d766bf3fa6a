package io.convoke.chaos.flows;

import io.convoke.chaos.durable.flow.TestActivity;
import io.convoke.engine.durable.ActivityContext;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.sql.Tx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Transactional effects: inserts a row under the activity's key and adds its amount to a sum. */
final class TransactionalEffects {
  private static final int CONNECTIONS = 6;
  private static final Duration PAUSE = Duration.ofMillis(50);

  private final Database database;

  TransactionalEffects(DatabaseUrl url) {
    this.database = Database.open(url, CONNECTIONS, "effects", List.of("public"));
  }

  /** Books an amount unless this activity already has; retries until the database answers. */
  void book(ActivityContext context, TestActivity activity) throws InterruptedException {
    while (true) {
      try {
        int _ = database.read(tx -> book(tx, context.key(), activity));
        return;
      } catch (StoreUnavailable | SqlFailure away) {
        LockSupport.parkNanos(PAUSE.toNanos());
        context.heartbeat();
      }
    }
  }

  private static int book(Tx tx, String key, TestActivity activity) {
    return tx.sql(
            """
            with booked as (
              insert into effects (key, flow, number, amount) values (?, ?, ?, ?)
              on conflict (key) do nothing returning flow, amount)
            insert into sums (flow, amount) select flow, amount from booked
            on conflict (flow) do update set amount = sums.amount + excluded.amount
            """)
        .with(key, activity.flow(), activity.number(), activity.amount())
        .update();
  }
}
