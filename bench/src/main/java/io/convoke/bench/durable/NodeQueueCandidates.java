package io.convoke.bench.durable;

import io.convoke.bench.Progress;
import io.convoke.bench.process.NodeScripts;
import java.io.IOException;
import java.util.List;

/** graphile-worker and pg-boss, in the versions of {@code package.json}. */
final class NodeQueueCandidates {
  private static final List<String> FILES =
      List.of("package.json", "peer.mjs", "graphile.mjs", "pgboss.mjs");

  private NodeQueueCandidates() {}

  /** Empty, with a message, where they cannot run. */
  static List<NodeQueueCandidate.NodeQueueKind> find(Progress progress)
      throws InterruptedException {
    try {
      NodeScripts programs =
          NodeScripts.install(
              NodeQueueCandidates.class, FILES, "graphile-worker and pg-boss", progress);
      return List.of(
          new NodeQueueCandidate.NodeQueueKind("graphile-worker", "./graphile.mjs", programs),
          new NodeQueueCandidate.NodeQueueKind("pg-boss", "./pgboss.mjs", programs));
    } catch (IOException e) {
      return skipped(progress, String.valueOf(e.getMessage()));
    }
  }

  static List<NodeQueueCandidate.NodeQueueKind> skipped(Progress progress, String why) {
    progress.report("SKIPPED  graphile-worker and pg-boss: " + why);
    return List.of();
  }
}
