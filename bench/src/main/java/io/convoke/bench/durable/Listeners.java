package io.convoke.bench.durable;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.Rounds;
import io.convoke.bench.report.Sample;
import io.convoke.bench.report.Series;
import io.convoke.bench.report.Table;
import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.wake.Listener;
import io.convoke.lab.stores.Stores;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What it costs a writer that others listen: ours, and the seed's trigger for each row. */
final class Listeners {
  private static final int CALLERS = 64;
  private static final int NODES = 4;

  private record Way(String name, Callers.Call enqueue) {}

  private Listeners() {}

  static Table measure(Stores stores, BenchSettings settings) throws Exception {
    LongPollConfig off = LongPollConfig.defaults();
    DatabaseUrl alone = DatabaseUrl.parse(DurableBenchmark.fresh(stores, "alone"));
    DatabaseUrl heard = DatabaseUrl.parse(DurableBenchmark.fresh(stores, "heard"));
    List<AutoCloseable> open = new ArrayList<>();
    try (PostgresProvider none = PostgresProvider.open(alone, "durable", off);
        PostgresProvider told = PostgresProvider.open(heard, "durable", off.on())) {
      for (int i = 0; i < NODES; i++) {
        open.add(
            new Listener(
                heard, Map.of("durable_orch_work", new Deaf(), "durable_worker_work", new Deaf())));
      }
      List<Series> series =
          Rounds.interleaved(
              settings.rounds(),
              List.of(
                  new Way("convoke, none", caller -> enqueue(none, caller)),
                  new Way("convoke, 4 listen", caller -> enqueue(told, caller))),
              Way::name,
              (way, round) -> measure(way, settings));
      return new Table("with listeners", series);
    } finally {
      for (AutoCloseable each : open) {
        each.close();
      }
    }
  }

  private static Sample measure(Way way, BenchSettings settings) throws Exception {
    long begun = System.nanoTime();
    long calls = Callers.run(CALLERS, settings.span(), way.enqueue);
    return DurableBenchmark.sample(calls, 0, System.nanoTime() - begun);
  }

  private static void enqueue(PostgresProvider provider, int caller) {
    provider.enqueueForWorker(
        new WorkMessage("instance-" + caller, 1, 1, Convoke.PAYLOAD, Optional.empty()));
  }

  /** Listens and does nothing. */
  private static final class Deaf implements Listener.Receiver {
    @Override
    public void notified(String payload) {}

    @Override
    public void rescan() {}
  }
}
