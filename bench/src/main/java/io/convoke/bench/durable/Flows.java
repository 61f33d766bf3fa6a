package io.convoke.bench.durable;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.Rounds;
import io.convoke.bench.report.Sample;
import io.convoke.bench.report.Table;
import io.convoke.lab.stores.Stores;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Whole workflows of five activities, each begun and awaited by one of 64 callers. */
final class Flows {
  static final int ACTIVITIES = 5;

  private static final int CALLERS = 64;

  private Flows() {}

  /** An engine that runs one such workflow after the other for a caller. */
  interface Engine extends AutoCloseable {
    String name();

    void run(String id) throws Exception;

    /** Leaves nothing of what has ended. */
    void clear() throws Exception;

    @Override
    void close();
  }

  static Table measure(Stores stores, BenchSettings settings) throws Exception {
    List<Engine> engines = new ArrayList<>();
    try {
      engines.add(new DbosFlows(DurableBenchmark.fresh(stores, "flows_dbos")));
      engines.add(new ConvokeFlows(DurableBenchmark.fresh(stores, "flows_convoke")));
      for (Engine engine : engines) {
        long _ = Callers.run(CALLERS, settings.warmUp(), caller -> engine.run(id()));
      }
      return new Table(
          "workflows of five",
          Rounds.interleaved(
              settings.rounds(),
              engines,
              Engine::name,
              (engine, round) -> {
                engine.clear();
                return turn(engine, settings);
              }));
    } finally {
      for (Engine engine : engines) {
        engine.close();
      }
    }
  }

  private static Sample turn(Engine engine, BenchSettings settings) throws Exception {
    long begun = System.nanoTime();
    long flows = Callers.run(CALLERS, settings.span(), caller -> engine.run(id()));
    return DurableBenchmark.sample(flows, 0, System.nanoTime() - begun);
  }

  private static String id() {
    return UUID.randomUUID().toString();
  }
}
