package io.convoke.bench.durable;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.InterleavedRounds;
import io.convoke.bench.report.MeasuredSample;
import io.convoke.bench.report.RateTable;
import io.convoke.simulator.stores.LocalStores;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Whole workflows, each begun and awaited by one of 64 callers. */
final class WorkflowThroughput {
  private static final int CALLERS = 64;

  /** What a workflow does. */
  enum WorkflowShape {
    NOTHING("no-op", 0),
    ONE_ACTIVITY("one activity", 1),
    FIVE_STEPS("five steps", 5),
    FIVE_ACTIVITIES("five activities", 5);

    final String shown;

    /** How often it adds one, one time after the other; its result. */
    final int parts;

    WorkflowShape(String shown, int parts) {
      this.shown = shown;
      this.parts = parts;
    }
  }

  /** An engine that runs one workflow after the other for a caller. */
  interface WorkflowCandidate extends AutoCloseable {
    String name();

    /** Runs a workflow; returns its result. */
    int run(WorkflowShape shape, String id) throws Exception;

    /** Deletes ended workflows. */
    void clear() throws Exception;

    @Override
    void close();
  }

  private record ShapedCandidate(WorkflowCandidate engine, WorkflowShape shape) {
    String name() {
      return WorkflowThroughput.name(engine.name(), shape);
    }

    void run() throws Exception {
      String id = UUID.randomUUID().toString();
      int result = engine.run(shape, id);
      if (result != shape.parts) {
        throw new IllegalStateException(id + " returned " + result);
      }
    }
  }

  private WorkflowThroughput() {}

  /** The name of a series. */
  static String name(String engine, WorkflowShape shape) {
    return engine + ", " + shape.shown;
  }

  /** DBOS has no activities: its steps run in place, as ours do. */
  static RateTable measure(LocalStores localStores, BenchSettings settings) throws Exception {
    try (WorkflowCandidate dbos = new DbosFlows(DurableBenchmark.fresh(localStores, "flows_dbos"));
        WorkflowCandidate convoke =
            new ConvokeFlows(DurableBenchmark.fresh(localStores, "flows_convoke"))) {
      List<ShapedCandidate> candidates = new ArrayList<>();
      for (WorkflowShape shape : List.of(WorkflowShape.NOTHING, WorkflowShape.FIVE_STEPS)) {
        candidates.add(new ShapedCandidate(dbos, shape));
      }
      for (WorkflowShape shape : WorkflowShape.values()) {
        candidates.add(new ShapedCandidate(convoke, shape));
      }
      for (ShapedCandidate candidate : candidates) {
        long _ = ConcurrentCallers.run(CALLERS, settings.warmUp(), _ -> candidate.run());
      }
      return new RateTable(
          "workflows, started and awaited",
          InterleavedRounds.interleaved(
              settings.rounds(),
              candidates,
              ShapedCandidate::name,
              (candidate, round) -> {
                candidate.engine.clear();
                return turn(candidate, settings);
              }));
    }
  }

  private static MeasuredSample turn(ShapedCandidate candidate, BenchSettings settings)
      throws Exception {
    long begun = System.nanoTime();
    long flows = ConcurrentCallers.run(CALLERS, settings.span(), _ -> candidate.run());
    return DurableBenchmark.sample(flows, 0, System.nanoTime() - begun);
  }
}
