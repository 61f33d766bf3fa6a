package io.convoke.server.launch.kubernetes;

import io.convoke.server.launch.Launcher.BotExitDetails;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * The API's description of one pod and its bot, parsed without I/O.
 *
 * @param phase of the pod, but ended once its bot is: a pod runs on with its other containers
 * @param runsOn whether its bot has ended, and not the pod
 * @param deletion when it should have ended, if it was deleted
 * @param reason a stable word for how it ended, where it is more than an exit code
 * @param told what Kubernetes says about a bot that has not started, or a pod that it ended
 */
record KubernetesPod(
    String name,
    String uid,
    Map<String, String> labels,
    PodPhase phase,
    boolean runsOn,
    Optional<Integer> exitCode,
    Optional<Instant> deletion,
    Optional<String> reason,
    Optional<String> told) {
  private static final Set<String> LOST =
      Set.of("Evicted", "NodeLost", "NodeShutdown", "Shutdown", "Terminated", "Preempting");

  /** Reasons of containers that ended because they could not be started. */
  private static final Set<String> NOT_STARTED = Set.of("StartError", "ContainerCannotRun");

  /** More than is shown of a line: it is redacted before it is cut to that. */
  private static final int TOLD_MAX = 1_000;

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
    JsonNode state =
        status
            .path("containerStatuses")
            .valueStream()
            .filter(container -> container.path("name").asString("").equals(PodManifests.CONTAINER))
            .map(container -> container.path("state"))
            .findFirst()
            .orElseGet(MissingNode::getInstance);
    JsonNode terminated = state.path("terminated");
    Optional<Instant> deletion = instant(metadata.path("deletionTimestamp").asString(""));
    boolean disrupted =
        deletion.isPresent()
            && conditions(status, "DisruptionTarget", "True").findAny().isPresent();
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
        deletion,
        reason(
            disrupted || LOST.contains(status.path("reason").asString("")),
            terminated.path("reason").asString("")),
        Stream.concat(
                Stream.of(status, state.path("waiting")),
                Stream.concat(
                    Stream.of(terminated)
                        .filter(end -> NOT_STARTED.contains(end.path("reason").asString(""))),
                    conditions(status, "PodScheduled", "False")))
            .flatMap(said -> told(said).stream())
            .findFirst());
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

  private static Stream<JsonNode> conditions(JsonNode status, String type, String value) {
    return status
        .path("conditions")
        .valueStream()
        .filter(condition -> condition.path("type").asString("").equals(type))
        .filter(condition -> condition.path("status").asString("").equals(value));
  }

  private static Optional<String> reason(boolean lost, String ofContainer) {
    if (ofContainer.equals("OOMKilled")) {
      return Optional.of(BotExitDetails.OUT_OF_MEMORY);
    }
    return lost ? Optional.of(BotExitDetails.NODE_LOST) : Optional.empty();
  }

  /** The reason and the message of a pod, a state of its container, or a condition: one line. */
  private static Optional<String> told(JsonNode said) {
    String message = said.path("message").asString("").strip().replaceAll("\\s+", " ");
    String line = said.path("reason").asString("") + ": " + message;
    return message.isEmpty()
        ? Optional.empty()
        : Optional.of(line.substring(0, Math.min(line.length(), TOLD_MAX)));
  }
}
