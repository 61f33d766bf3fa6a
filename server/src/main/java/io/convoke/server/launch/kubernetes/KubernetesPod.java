package io.convoke.server.launch.kubernetes;

import io.convoke.server.launch.Launcher.BotExitDetails;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * The API's description of one pod and its bot, parsed without I/O.
 *
 * @param phase of the pod, but ended once its bot is: a pod runs on with its other containers
 * @param runsOn whether its bot has ended, and not the pod
 * @param deletion when it should have ended, if it was deleted
 * @param reason a stable word for how it ended, where it is more than an exit code
 */
record KubernetesPod(
    String name,
    String uid,
    Map<String, String> labels,
    PodPhase phase,
    boolean runsOn,
    Optional<Integer> exitCode,
    Optional<Instant> deletion,
    Optional<String> reason) {
  private static final Set<String> LOST =
      Set.of("Evicted", "NodeLost", "NodeShutdown", "Shutdown", "Terminated", "Preempting");

  /** The phase of a bot's pod. */
  enum PodPhase {
    /** A container of it has not started. */
    PENDING,
    LIVE,
    ENDED,
    /** Its node does not report. */
    UNKNOWN
  }

  static KubernetesPod of(JsonNode pod) {
    JsonNode metadata = pod.path("metadata");
    JsonNode status = pod.path("status");
    Map<String, String> labels = new HashMap<>();
    metadata
        .path("labels")
        .properties()
        .forEach(label -> labels.put(label.getKey(), label.getValue().asString("")));
    JsonNode terminated =
        status
            .path("containerStatuses")
            .valueStream()
            .filter(container -> container.path("name").asString("").equals(PodManifests.CONTAINER))
            .map(container -> container.path("state").path("terminated"))
            .findFirst()
            .orElseGet(MissingNode::getInstance);
    PodPhase ofPod = phase(status.path("phase").asString(""));
    return new KubernetesPod(
        metadata.path("name").asString(""),
        metadata.path("uid").asString(""),
        labels,
        terminated.isObject() ? PodPhase.ENDED : ofPod,
        terminated.isObject() && ofPod != PodPhase.ENDED,
        terminated.has("exitCode")
            ? Optional.of(terminated.path("exitCode").asInt())
            : Optional.empty(),
        instant(metadata.path("deletionTimestamp").asString("")),
        reason(status.path("reason").asString(""), terminated.path("reason").asString("")));
  }

  /** Whether its time to end passed this long ago: a node that is gone confirms no end. */
  boolean overdue(Instant now, Duration bound) {
    return deletion.filter(end -> end.plus(bound).isBefore(now)).isPresent();
  }

  /** Whether it is overdue, and the end of its bot unknown. */
  boolean lost(Instant now, Duration bound) {
    return phase != PodPhase.ENDED && overdue(now, bound);
  }

  private static Optional<Instant> instant(String text) {
    try {
      return text.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(text));
    } catch (DateTimeParseException other) {
      return Optional.empty();
    }
  }

  private static PodPhase phase(String text) {
    return switch (text) {
      case "Succeeded", "Failed" -> PodPhase.ENDED;
      case "Unknown" -> PodPhase.UNKNOWN;
      case "Pending" -> PodPhase.PENDING;
      default -> PodPhase.LIVE;
    };
  }

  private static Optional<String> reason(String ofPod, String ofContainer) {
    if (ofContainer.equals("OOMKilled")) {
      return Optional.of(BotExitDetails.OUT_OF_MEMORY);
    }
    return LOST.contains(ofPod) ? Optional.of(BotExitDetails.NODE_LOST) : Optional.empty();
  }
}
