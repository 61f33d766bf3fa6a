package io.convoke.agent.snapshot;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The payload of a {@code snapshot} task (docs/spec/contract.md, "Tasks").
 *
 * @param interval between two pictures: {@code interval_in_ms}, 1000 to 300000, 20000 if absent
 * @param userIds of those to be shown, at most 32, in the order of {@code uid}; empty for all
 * @param token for a room that requires one: {@code access_token}
 * @param guest the display name of the guest, from {@code workerUid}
 */
record SnapshotRequest(
    Duration interval,
    TileLayout layout,
    List<String> userIds,
    Optional<String> token,
    String guest) {
  private static final int INTERVAL_MIN_MS = 1_000;
  private static final int INTERVAL_MAX_MS = 300_000;
  private static final int INTERVAL_MS = 20_000;
  private static final int USERS_MAX = 32;
  private static final int WORKER_MAX = 999_999_999;

  SnapshotRequest {
    userIds = List.copyOf(userIds);
  }

  /** A valid payload. */
  sealed interface SnapshotParseResult {
    record ValidSnapshotRequest(SnapshotRequest order) implements SnapshotParseResult {}

    /** An invalid payload; the task fails without retry. */
    record InvalidSnapshotRequest(String reason) implements SnapshotParseResult {}
  }

  static SnapshotParseResult read(JsonNode payload) {
    if (!payload.isObject()) {
      return new SnapshotParseResult.InvalidSnapshotRequest("the payload is not a JSON object");
    }
    Optional<Integer> interval =
        number(payload, "interval_in_ms", INTERVAL_MS, INTERVAL_MIN_MS, INTERVAL_MAX_MS);
    if (interval.isEmpty()) {
      return refused(
          "interval_in_ms", "a number from " + INTERVAL_MIN_MS + " to " + INTERVAL_MAX_MS);
    }
    Optional<TileLayout> layout = layout(payload.path("layout"));
    if (layout.isEmpty()) {
      return refused("layout", "flat, grid or spotlight");
    }
    Optional<List<String>> users = users(payload.path("uid"));
    if (users.isEmpty()) {
      return refused("uid", "a list of at most " + USERS_MAX + " user ids");
    }
    Optional<Integer> worker = number(payload, "workerUid", 1, 1, WORKER_MAX);
    if (worker.isEmpty()) {
      return refused("workerUid", "a number from 1 to " + WORKER_MAX);
    }
    JsonNode token = payload.path("access_token");
    if (!absent(token) && !token.isString()) {
      return refused("access_token", "a text");
    }
    return new SnapshotParseResult.ValidSnapshotRequest(
        new SnapshotRequest(
            Duration.ofMillis(interval.get()),
            layout.get(),
            users.get(),
            Optional.of(token.asString("")).filter(text -> !text.isEmpty()),
            "snapshot-" + worker.get()));
  }

  private static Optional<Integer> number(
      JsonNode payload, String field, int otherwise, int min, int max) {
    JsonNode value = payload.path(field);
    if (absent(value)) {
      return Optional.of(otherwise);
    }
    return value.isIntegralNumber() && value.canConvertToInt()
        ? Optional.of(value.asInt()).filter(number -> number >= min && number <= max)
        : Optional.empty();
  }

  private static Optional<TileLayout> layout(JsonNode name) {
    if (absent(name)) {
      return Optional.of(TileLayout.FLAT);
    }
    return name.isString() ? TileLayout.named(name.asString()) : Optional.empty();
  }

  private static Optional<List<String>> users(JsonNode list) {
    if (absent(list)) {
      return Optional.of(List.of());
    }
    if (!list.isArray() || list.size() > USERS_MAX) {
      return Optional.empty();
    }
    List<String> users = new ArrayList<>();
    for (JsonNode user : list) {
      if (!user.isString() && !user.isIntegralNumber()) {
        return Optional.empty();
      }
      users.add(user.asString());
    }
    return Optional.of(users);
  }

  private static boolean absent(JsonNode value) {
    return value.isMissingNode() || value.isNull();
  }

  private static SnapshotParseResult refused(String field, String form) {
    return new SnapshotParseResult.InvalidSnapshotRequest(field + " must be " + form);
  }
}
