package io.convoke.bench.durable;

import io.convoke.bench.Progress;
import io.convoke.bench.child.NodePrograms;
import java.io.IOException;
import java.util.List;

/** graphile-worker and pg-boss, in the versions of {@code package.json}. */
final class NodePeers {
  private static final List<String> FILES =
      List.of("package.json", "peer.mjs", "graphile.mjs", "pgboss.mjs");

  private NodePeers() {}

  /** Empty, and said so, where they cannot run. */
  static List<NodePeer.Kind> find(Progress progress) throws InterruptedException {
    try {
      NodePrograms programs =
          NodePrograms.install(NodePeers.class, FILES, "graphile-worker and pg-boss", progress);
      return List.of(
          new NodePeer.Kind("graphile-worker", "./graphile.mjs", programs),
          new NodePeer.Kind("pg-boss", "./pgboss.mjs", programs));
    } catch (IOException e) {
      return skipped(progress, String.valueOf(e.getMessage()));
    }
  }

  static List<NodePeer.Kind> skipped(Progress progress, String why) {
    progress.say("SKIPPED  graphile-worker and pg-boss: " + why);
    return List.of();
  }
}
