package io.convoke.bench.durable;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.InterleavedRounds;
import io.convoke.bench.report.MeasuredSample;
import io.convoke.bench.report.RateTable;
import io.convoke.simulator.stores.LocalStores;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Whole workflows of five activities, each begun and awaited by one of 64 callers. */
final class WorkflowThroughput {
  static final int ACTIVITIES = 5;

  private static final int CALLERS = 64;

  private WorkflowThroughput() {}

  /** An engine that runs one such workflow after the other for a caller. */
  interface WorkflowCandidate extends AutoCloseable {
    String name();

    void run(String id) throws Exception;

    /** Deletes ended workflows. */
    void clear() throws Exception;

    @Override
    void close();
  }

  static RateTable measure(LocalStores localStores, BenchSettings settings) throws Exception {
    List<WorkflowCandidate> engines = new ArrayList<>();
    try {
      engines.add(new DbosFlows(DurableBenchmark.fresh(localStores, "flows_dbos")));
      engines.add(new ConvokeFlows(DurableBenchmark.fresh(localStores, "flows_convoke")));
      for (WorkflowCandidate workflowCandidate : engines) {
        long _ =
            ConcurrentCallers.run(
                CALLERS, settings.warmUp(), caller -> workflowCandidate.run(id()));
      }
      return new RateTable(
          "workflows of five",
          InterleavedRounds.interleaved(
              settings.rounds(),
              engines,
              WorkflowCandidate::name,
              (workflowCandidate, round) -> {
                workflowCandidate.clear();
                return turn(workflowCandidate, settings);
              }));
    } finally {
      for (WorkflowCandidate workflowCandidate : engines) {
        workflowCandidate.close();
      }
    }
  }

  private static MeasuredSample turn(WorkflowCandidate workflowCandidate, BenchSettings settings)
      throws Exception {
    long begun = System.nanoTime();
    long flows =
        ConcurrentCallers.run(CALLERS, settings.span(), caller -> workflowCandidate.run(id()));
    return DurableBenchmark.sample(flows, 0, System.nanoTime() - begun);
  }

  private static String id() {
    return UUID.randomUUID().toString();
  }
}
