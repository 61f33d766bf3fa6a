package io.convoke.bench.durable;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.InterleavedRounds;
import io.convoke.bench.report.CandidateSeries;
import io.convoke.bench.report.MeasuredSample;
import io.convoke.bench.report.RateTable;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.wake.PostgresListener;
import io.convoke.simulator.stores.LocalStores;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The cost of listeners for a writer: Convoke's notification, and the reference's trigger for each
 * row.
 */
final class ListenerCost {
  private static final int CALLERS = 64;
  private static final int NODES = 4;

  private record NotifyCandidate(String name, ConcurrentCallers.DurableCall enqueue) {}

  private ListenerCost() {}

  static RateTable measure(LocalStores localStores, BenchSettings settings) throws Exception {
    LongPollConfig off = LongPollConfig.defaults();
    DatabaseUrl alone = DatabaseUrl.parse(DurableBenchmark.fresh(localStores, "alone"));
    DatabaseUrl heard = DatabaseUrl.parse(DurableBenchmark.fresh(localStores, "heard"));
    List<AutoCloseable> open = new ArrayList<>();
    try (Durable none = Durable.over(PostgresProvider.open(alone, "durable", off), off).connect();
        Durable told =
            Durable.over(PostgresProvider.open(heard, "durable", off.on()), off.on()).connect()) {
      for (int i = 0; i < NODES; i++) {
        open.add(
            new PostgresListener(
                heard,
                Map.of(
                    "durable_orch_work",
                    new IdleListener(),
                    "durable_worker_work",
                    new IdleListener(),
                    "durable_job_work",
                    new IdleListener())));
      }
      List<CandidateSeries> series =
          InterleavedRounds.interleaved(
              settings.rounds(),
              List.of(
                  new NotifyCandidate(
                      "convoke, none", _ -> none.enqueue("item", ConvokeQueue.PAYLOAD)),
                  new NotifyCandidate(
                      "convoke, 4 listen", _ -> told.enqueue("item", ConvokeQueue.PAYLOAD))),
              NotifyCandidate::name,
              (notifyCandidate, round) -> measure(notifyCandidate, settings));
      return new RateTable("with listeners", series);
    } finally {
      for (AutoCloseable each : open) {
        each.close();
      }
    }
  }

  private static MeasuredSample measure(NotifyCandidate notifyCandidate, BenchSettings settings)
      throws Exception {
    long begun = System.nanoTime();
    long calls = ConcurrentCallers.run(CALLERS, settings.span(), notifyCandidate.enqueue);
    return DurableBenchmark.sample(calls, 0, System.nanoTime() - begun);
  }

  /** Listens and does nothing. */
  private static final class IdleListener implements PostgresListener.NotificationReceiver {
    @Override
    public void notified(String payload) {}

    @Override
    public void rescan() {}
  }
}
