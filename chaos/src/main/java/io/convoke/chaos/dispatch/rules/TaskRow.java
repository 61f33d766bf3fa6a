package io.convoke.chaos.dispatch.rules;

import java.time.Instant;
import java.util.Optional;

/** A row of the task table. */
public record TaskRow(
    String id,
    String request,
    String channel,
    boolean unique,
    String state,
    int attempt,
    boolean stop,
    String error,
    Instant createdAt,
    Optional<Instant> completedAt) {
  static boolean terminal(String state) {
    return switch (state) {
      case "SUCCESS", "FAILED", "TIMEOUT" -> true;
      default -> false;
    };
  }

  boolean terminal() {
    return terminal(state);
  }
}
