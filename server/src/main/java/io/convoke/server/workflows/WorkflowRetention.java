package io.convoke.server.workflows;

import io.convoke.engine.durable.ActivityContext;
import io.convoke.engine.durable.ActivityOptions;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.RetryPolicy;
import io.convoke.engine.durable.provider.ProviderAdmin;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.function.IntSupplier;

/**
 * Prunes ended workflows once a day. It is a scheduled workflow itself, so one node runs it at a
 * time and another resumes it after a crash. It also prunes its own runs.
 */
final class WorkflowRetention {
  static final String ID = "retention";
  private static final String PRUNE = "retention.prune";
  private static final String DAILY = "17 3 * * *";
  private static final int BATCH = 200;

  private static final ActivityOptions PATIENTLY =
      ActivityOptions.retried(RetryPolicy.attempts(10, Duration.ofSeconds(10)))
          .beating(Duration.ofMinutes(2));

  private final ProviderAdmin admin;
  private final WorkflowStore store;

  WorkflowRetention(ProviderAdmin admin, WorkflowStore store) {
    this.admin = admin;
    this.store = store;
  }

  /** What one run has removed. */
  record RetentionResult(int instances, int executions, int owners) {}

  void register(Durable.Builder engine) {
    var _ =
        engine
            .workflow(
                ID,
                Long.class,
                (context, millis) ->
                    context.activity(PRUNE, millis, RetentionResult.class, PATIENTLY))
            .activity(PRUNE, Long.class, (context, ms) -> prune(context, Duration.ofMillis(ms)));
  }

  /** From now on each day; zero keeps everything. */
  static void schedule(Durable engine, Duration retention) {
    if (retention.isZero()) {
      boolean _ = engine.unschedule(ID);
    } else {
      engine.schedule(ID, DAILY, ZoneOffset.UTC, ID, retention.toMillis());
    }
  }

  private RetentionResult prune(ActivityContext context, Duration retention)
      throws InterruptedException {
    int instances = all(context, () -> admin.pruneInstances(retention, BATCH));
    int executions = all(context, () -> admin.pruneExecutions(retention, BATCH));
    return new RetentionResult(
        instances, executions, all(context, () -> store.deleteOrphanedOwners(retention, BATCH)));
  }

  /** Batch after batch, each a transaction of its own, until one is not full. */
  private static int all(ActivityContext context, IntSupplier batch) throws InterruptedException {
    int all = 0;
    int removed;
    do {
      context.heartbeat();
      removed = batch.getAsInt();
      all += removed;
    } while (removed == BATCH);
    return all;
  }
}
