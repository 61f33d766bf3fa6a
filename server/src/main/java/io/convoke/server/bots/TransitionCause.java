package io.convoke.server.bots;

import io.convoke.engine.json.Json;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The cause of a transition as stored in the journal: the report or finding, and for server-side
 * events the time of the last call. Together with the event's name it restores the event, so that
 * {@link BotReplay} can run the reducer again.
 */
final class TransitionCause {
  /** The cause of a reservation: the request. */
  static final JsonNode NONE = Json.mapper().createObjectNode();

  private TransitionCause() {}

  /** The evidence of this event, with what the row adds to it. */
  static JsonNode of(BotRow row, BotEvent event) {
    ObjectNode evidence = Json.mapper().createObjectNode();
    switch (event) {
      case BotEvent.BotStarted _,
          BotEvent.BotAwaitingAdmission _,
          BotEvent.BotJoined _,
          BotEvent.BotHeartbeat _,
          BotEvent.LaunchCancelled _ -> {}
      case BotEvent.BotLeaving(Optional<String> reason) -> reason(evidence, reason);
      case BotEvent.BotExited(int exitCode, Optional<String> reason) -> {
        evidence.put("exit_code", exitCode);
        reason(evidence, reason);
      }
      case BotEvent.LaunchFailed(String reason) -> evidence.put("reason", reason);
      case BotEvent.BotProcessEnded(Optional<Integer> exitCode, Optional<String> reason) -> {
        exitCode.ifPresent(code -> evidence.put("exit_code", code));
        reason(evidence, reason);
      }
      case BotEvent.BotKilled _ -> putLastCall(evidence, row);
      case BotEvent.DeadlinePassed(
              String found,
              Optional<String> reason,
              Optional<Integer> exitCode) -> {
        evidence.put("found", found);
        exitCode.ifPresent(code -> evidence.put("exit_code", code));
        reason(evidence, reason);
        putLastCall(evidence, row);
      }
    }
    return evidence;
  }

  /**
   * The event of this name and evidence.
   *
   * @throws IllegalArgumentException for a name that no event has
   */
  static BotEvent event(String label, JsonNode evidence) {
    JsonNode said = evidence.path("reason");
    Optional<String> reason = said.isString() ? Optional.of(said.asString()) : Optional.empty();
    JsonNode code = evidence.path("exit_code");
    Optional<Integer> exitCode = code.isNumber() ? Optional.of(code.asInt()) : Optional.empty();
    return switch (label) {
      case "started" -> new BotEvent.BotStarted();
      case "joined" -> new BotEvent.BotJoined();
      case "leaving" -> new BotEvent.BotLeaving(reason);
      case "exited 0", "exited with an error" -> new BotEvent.BotExited(exitCode.orElse(0), reason);
      case "launch failed" -> new BotEvent.LaunchFailed(reason.orElse(""));
      case "stopped before launch" -> new BotEvent.LaunchCancelled();
      case "process ended 0", "process gone" -> new BotEvent.BotProcessEnded(exitCode, reason);
      case "killed after unheeded stop" -> new BotEvent.BotKilled();
      case "overdue" ->
          new BotEvent.DeadlinePassed(evidence.path("found").asString(""), reason, exitCode);
      default -> throw new IllegalArgumentException("no event moves a bot by the name " + label);
    };
  }

  private static void reason(ObjectNode evidence, Optional<String> reason) {
    reason.ifPresent(value -> evidence.put("reason", value));
  }

  private static void putLastCall(ObjectNode evidence, BotRow row) {
    evidence.put("last_sign", Json.time(row.lastSign()));
    row.stopRequestedAt().ifPresent(at -> evidence.put("stop_requested_at", Json.time(at)));
  }
}
