package io.convoke.chaos.dispatch;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Tasks as text, to compare what was requested, what servers show, and what is stored. */
final class TaskText {
  private static final List<String> KEYS =
      List.of(
          "action",
          "attempt",
          "channel",
          "completed_at",
          "created_at",
          "error",
          "id",
          "lease_expiry",
          "payload",
          "pending_at",
          "pod_id",
          "processed_at",
          "region",
          "request_id",
          "retry_count",
          "state",
          "type",
          "worker_id");

  private static final Set<String> ENDS = Set.of("SUCCESS", "FAILED", "TIMEOUT");

  private TaskText() {}

  /** What its request says of a task, as servers must show it. */
  static String asked(PlannedTask task, String id) {
    return String.join(
        " ",
        task.id().orElse(id),
        task.request(),
        task.type(),
        "start",
        task.channel(),
        task.region().orElse("-"),
        task.faultPlan().description(),
        "*** *** 3",
        KEYS.toString());
  }

  /** The same of a task that a server shows. */
  static String shown(JsonNode task) {
    Set<String> keys = new TreeSet<>(task.propertyNames());
    boolean ended = ENDS.contains(text(task, "state"));
    return String.join(
        " ",
        text(task, "id"),
        text(task, "request_id"),
        text(task, "type"),
        text(task, "action"),
        text(task, "channel"),
        text(task, "region"),
        text(task.path("payload"), "fate"),
        text(task.path("payload"), "access_token"),
        text(task.path("payload").path("outputs").path(0), "access_token"),
        task.path("payload").size()
            + (ended == task.path("completed_at").isNull() ? " with a wrong completed_at" : ""),
        keys.toString());
  }

  /** The state that a server shows, as {@link TaskRows#ends} has it. */
  static String end(JsonNode task) {
    return String.join(
        "|",
        text(task, "state"),
        text(task, "attempt"),
        text(task, "error"),
        text(task, "pod_id"),
        text(task, "worker_id"),
        text(task, "completed_at"));
  }

  /** A task of a list, as {@link TaskRows#listed} has it. */
  static String listed(JsonNode task) {
    return Stream.of(
            "id",
            "request_id",
            "channel",
            "region",
            "type",
            "state",
            "attempt",
            "error",
            "pod_id",
            "worker_id",
            "created_at",
            "processed_at",
            "completed_at")
        .map(field -> text(task, field))
        .collect(Collectors.joining("|"));
  }

  private static String text(JsonNode node, String field) {
    JsonNode value = node.path(field);
    return value.isNull() || value.isMissingNode() ? "-" : value.asString("");
  }
}
