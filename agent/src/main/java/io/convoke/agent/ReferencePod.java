package io.convoke.agent;

import io.convoke.agent.egress.EgressHandler;
import io.convoke.agent.pod.PodProcess;
import io.convoke.agent.pod.TaskHandler;
import io.convoke.agent.snapshot.SnapshotHandler;
import java.util.HashMap;
import java.util.Map;

/**
 * Convoke's own pod: handles {@code snapshot} tasks, {@code egress} tasks where a Janus is
 * configured, and any others with {@code --exec}.
 */
public final class ReferencePod {
  private ReferencePod() {}

  private static Map<String, TaskHandler> handlers(Map<String, String> environment) {
    Map<String, TaskHandler> handlers = new HashMap<>();
    handlers.put("snapshot", SnapshotHandler.of(environment));
    EgressHandler.of(environment).ifPresent(egress -> handlers.put("egress", egress));
    return handlers;
  }

  /** The main class of the pod's process. */
  public static void main(String[] args) {
    String _ = System.setProperty("java.awt.headless", "true");
    PodProcess.run(args, ReferencePod::handlers);
  }
}
