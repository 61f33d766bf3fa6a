package io.convoke.server.bots;

import static io.convoke.server.bots.BotOutcome.OutcomeAttribution.HOST;
import static io.convoke.server.bots.BotOutcome.OutcomeAttribution.PLATFORM;
import static io.convoke.server.bots.BotOutcome.OutcomeAttribution.US;
import static io.convoke.server.bots.BotOutcome.OutcomeAttribution.USER;

import io.convoke.server.bots.BotOutcome.OutcomeAttribution;
import io.convoke.server.meetings.MeetingStatus;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Classifies the end of a bot. Pure; the first matching rule decides:
 *
 * <ol>
 *   <li>The server killed it because it did not obey a stop: {@code stop_unheeded}, the user's (the
 *       request was served, late).
 *   <li>A user had asked it to stop: {@code stopped}, the user's, whatever reason the bot reports.
 *   <li>The bot, or its launcher, gave a reason: that reason, attributed by {@link #KNOWN}; an
 *       unknown reason counts as the installation's, unless the bot was admitted and exited with 0:
 *       then the meeting ended normally.
 *   <li>The bot gave none: named after the state it ended in, see {@link #unnamed}.
 * </ol>
 *
 * Only a bot that was admitted, ends from {@code active} or {@code stopping} and exits with 0 is
 * {@code completed}, unless it reports that it was not admitted ({@link #NOT_LET_IN}).
 */
final class OutcomeClassifier {

  /** An operator, or the bound of the settings, gave up a bot that no launcher can reach. */
  static final String HOST_LOST = "host_lost";

  /** It was not let in, for as long as it was to wait. */
  static final String LOBBY_TIMEOUT = "waiting_room_timeout";

  /**
   * The responsible party of each known reason: of the reference bot, of Vexa's, and of the
   * sweeper.
   */
  static final Map<String, OutcomeAttribution> KNOWN =
      Map.ofEntries(
          Map.entry("stopped", USER),
          Map.entry("stop_unheeded", USER),
          Map.entry("invalid_config", USER),
          Map.entry("meeting_url_refused", USER),
          Map.entry("missing_meeting_url", USER),
          Map.entry("validation_error", USER),
          Map.entry("startup_failure", US),
          Map.entry("meeting_not_found", USER),
          Map.entry("bot_limit_reached", USER),
          Map.entry("fleet_limit_reached", US),
          Map.entry("start_missed", US),
          Map.entry("self_initiated_leave", USER),
          Map.entry("stop_requested_pre_admission", USER),
          Map.entry("platform_not_supported", USER),
          Map.entry("auth_session_missing", USER),
          Map.entry("everyone_left", HOST),
          Map.entry("no_one_joined", HOST),
          Map.entry("left_alone", HOST),
          Map.entry("startup_alone", HOST),
          Map.entry("left_alone_timeout", HOST),
          Map.entry("startup_alone_timeout", HOST),
          Map.entry("normal_completion", HOST),
          Map.entry("self_initiated_leave_from_browser", HOST),
          Map.entry("meeting_ended", HOST),
          Map.entry("removed", HOST),
          Map.entry("evicted", HOST),
          Map.entry("removed_by_admin", HOST),
          Map.entry("not_admitted", HOST),
          Map.entry("admission_denied", HOST),
          Map.entry("admission_failed", HOST),
          Map.entry("admission_timeout", HOST),
          Map.entry("admission_never_admitted", HOST),
          Map.entry("never_admitted", HOST),
          Map.entry("admission_false_positive", PLATFORM),
          Map.entry("admission_rejected_by_admin", HOST),
          Map.entry("awaiting_admission_timeout", HOST),
          Map.entry("awaiting_admission_rejected", HOST),
          Map.entry("waiting_room_timeout", HOST),
          Map.entry("platform_gone", PLATFORM),
          Map.entry("platform_error", PLATFORM),
          Map.entry("join_failure", PLATFORM),
          Map.entry("join_meeting_error", PLATFORM),
          Map.entry("google_meet_error", PLATFORM),
          Map.entry("zoom_error", PLATFORM),
          Map.entry("teams_error", PLATFORM),
          Map.entry("start_failed", US),
          Map.entry("never_started", US),
          Map.entry("join_timeout", US),
          Map.entry("heartbeat_lost", US),
          Map.entry("leave_timeout", US),
          Map.entry("crashed", US),
          Map.entry("vanished", US),
          Map.entry("out_of_memory", US),
          Map.entry("node_lost", US),
          Map.entry(HOST_LOST, US),
          Map.entry("terminated", US),
          Map.entry("signal_sigterm", US),
          Map.entry("signal_sigint", US),
          Map.entry("post_join_setup_error", US),
          Map.entry("platform_handler_exception", US),
          Map.entry("platform_not_implemented", US),
          Map.entry("unknown_platform", US),
          Map.entry("max_bot_time_exceeded", US),
          Map.entry("max_lifetime", US),
          Map.entry("no_progress", US),
          Map.entry("silence", HOST),
          Map.entry("queue_timeout", USER),
          Map.entry("control_plane_lost", US));

  /** Reasons that mean the bot never was in the meeting, whatever it reported before. */
  static final Set<String> NOT_LET_IN =
      Set.of(
          "not_admitted",
          "admission_denied",
          "admission_failed",
          "admission_timeout",
          "admission_never_admitted",
          "never_admitted",
          "admission_false_positive",
          "admission_rejected_by_admin",
          "awaiting_admission_timeout",
          "awaiting_admission_rejected",
          "waiting_room_timeout",
          "stop_requested_pre_admission");

  private OutcomeClassifier() {}

  /** The state after the bot ended with this exit code and this reason of its own. */
  static BotState exited(BotState from, Optional<Integer> exitCode, Optional<String> itsReason) {
    boolean clean = exitCode.filter(code -> code == 0).isPresent();
    boolean inside =
        from.admitted()
            && (from.status() == MeetingStatus.ACTIVE || from.status() == MeetingStatus.STOPPING)
            && itsReason.filter(NOT_LET_IN::contains).isEmpty();
    String reason =
        from.stopRequested()
            ? "stopped"
            : itsReason.orElseGet(() -> unnamed(from, exitCode, inside));
    OutcomeAttribution outcomeAttribution =
        from.stopRequested() ? USER : KNOWN.getOrDefault(reason, clean && inside ? HOST : US);
    return from.ended(
        clean && inside ? MeetingStatus.COMPLETED : MeetingStatus.FAILED,
        new BotOutcome(reason, outcomeAttribution, exitCode, from.status()));
  }

  /** The state after an end that we found or brought about; always failed. */
  static BotState found(BotState from, String reason, Optional<Integer> exitCode) {
    return from.ended(
        MeetingStatus.FAILED,
        new BotOutcome(reason, KNOWN.getOrDefault(reason, US), exitCode, from.status()));
  }

  /** The reason for a missed deadline of a bot, in its row as the sweeper read it. */
  static String overdue(BotRow row) {
    if (!row.stopRequested() && row.endRequest().isPresent()) {
      return row.endRequest().get().reason();
    }
    return row.inLobby() && !row.stopRequested() ? LOBBY_TIMEOUT : overdue(row.state());
  }

  /** The reason for a missed deadline, by state. */
  static String overdue(BotState from) {
    if (from.stopRequested()) {
      return "stopped";
    }
    return switch (from.status()) {
      case RESERVED -> "never_started";
      case STARTING -> "join_timeout";
      case ACTIVE -> "heartbeat_lost";
      case STOPPING -> "leave_timeout";
      case COMPLETED, FAILED -> throw new IllegalStateException("terminal states have no deadline");
    };
  }

  /** The reason of an exit without one; an unknown exit code means only that the bot is gone. */
  private static String unnamed(BotState from, Optional<Integer> exitCode, boolean inside) {
    if (exitCode.isEmpty()) {
      return "vanished";
    }
    if (exitCode.get() != 0) {
      return "crashed";
    }
    if (inside) {
      return "meeting_ended";
    }
    return from.status() == MeetingStatus.RESERVED ? "never_started" : "not_admitted";
  }
}
