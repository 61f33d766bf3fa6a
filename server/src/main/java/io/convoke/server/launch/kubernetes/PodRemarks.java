package io.convoke.server.launch.kubernetes;

import io.convoke.server.launch.Launcher.BotExitDetails;
import io.convoke.server.launch.kubernetes.KubernetesPod.PodPhase;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What Kubernetes said about recent pods: why a bot has not started, and why a pod ended. The API
 * keeps neither once the pod is removed, and a kubelet drops the first when the pod is deleted.
 */
final class PodRemarks {
  private static final int REMEMBERED = 10_000;

  /** By handle; guarded by this. */
  private final Map<String, BotExitDetails> remarks =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, BotExitDetails> eldest) {
          return size() > REMEMBERED;
        }
      };

  /**
   * Notes a description of a pod.
   *
   * @param reason how it ended, if this description tells; otherwise what an earlier one told holds
   */
  synchronized void note(String handle, KubernetesPod pod, Optional<String> reason) {
    BotExitDetails before = of(handle);
    // A kubelet drops what it said, and ends a container that never ran with 137.
    boolean holds = pod.deletion().isPresent() && pod.phase() != PodPhase.LIVE;
    BotExitDetails now =
        new BotExitDetails(
            reason.or(before::reason),
            pod.told().map(List::of).orElseGet(() -> holds ? before.lastLines() : List.of()));
    if (now.equals(BotExitDetails.NONE)) {
      remarks.remove(handle);
    } else {
      remarks.put(handle, now);
    }
  }

  /** What was noted about a pod: a reason, and at most one line. */
  synchronized BotExitDetails of(String handle) {
    return remarks.getOrDefault(handle, BotExitDetails.NONE);
  }
}
