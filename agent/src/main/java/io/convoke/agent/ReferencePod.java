package io.convoke.agent;

import io.convoke.agent.pod.PodProcess;
import io.convoke.agent.snapshot.SnapshotHandler;
import java.util.Map;

/** Convoke's own pod: handles {@code snapshot} tasks, and any others with {@code --exec}. */
public final class ReferencePod {
  private ReferencePod() {}

  /** The main class of the pod's process. */
  public static void main(String[] args) {
    String _ = System.setProperty("java.awt.headless", "true");
    PodProcess.run(args, environment -> Map.of("snapshot", SnapshotHandler.of(environment)));
  }
}
