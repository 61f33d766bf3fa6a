package io.convoke.server.bots;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Translates the callbacks of Vexa's bot image into events. Facts from its sources:
 *
 * <pre>
 * 0.4, 0.5    exited     {connection_id, exit_code, reason}
 * 0.5         started    the bot was let in
 * from 0.6    one of these statuses
 *   joining             the browser is about to open the meeting: the process runs
 *   awaiting_admission  it waits in the lobby
 *   active              it was let in
 *   needs_human_help, needs_help  it waits for a person; alive, nothing else (from 0.10)
 *   completed, failed   the end, with exit_code, reason and completion_reason
 * </pre>
 *
 * Any call may be missing: a later one stands for those before it. Up to 0.10 {@code reason} is a
 * word and {@code completion_reason} is {@code stopped} for all that its enum does not have; in
 * 0.12 {@code reason} is a sentence, or absent, and the word is in {@code completion_reason}.
 */
final class VexaTranslator {
  private static final int REASON_MAX = 200;

  /** What a reason looks like that is a word of the image's. */
  private static final Pattern WORD = Pattern.compile("[a-z0-9_]{1,64}");

  /** The values that its configuration accepts; it exits at once on any other. */
  private static final Set<String> PLATFORMS = Set.of("google_meet", "zoom", "teams");

  private VexaTranslator() {}

  /**
   * Why this image cannot serve this meeting, if so: the bot would exit at once, with the reason in
   * its log only.
   */
  static Optional<String> obstacle(BotProtocol protocol, BotRow row, Optional<String> meetingUrl) {
    return switch (protocol) {
      case CONVOKE -> Optional.empty();
      case VEXA -> {
        if (!PLATFORMS.contains(row.meeting().platform())) {
          yield Optional.of("platform_not_supported");
        }
        yield meetingUrl.isEmpty() ? Optional.of("missing_meeting_url") : Optional.empty();
      }
    };
  }

  /** The bot's own reason for its exit. */
  record VexaExit(
      Optional<Integer> exitCode, Optional<String> reason, Optional<String> completionReason) {
    BotEvent.BotExited event(int otherwise) {
      return new BotEvent.BotExited(
          exitCode.orElse(otherwise),
          reason
              .filter(text -> WORD.matcher(text).matches())
              .or(() -> completionReason)
              .or(() -> reason)
              .flatMap(VexaTranslator::shortReason));
    }
  }

  /** The process runs and is joining. */
  static List<BotEvent> onTheWay() {
    return List.of(new BotEvent.BotStarted());
  }

  /** The process runs and waits in the lobby. */
  static List<BotEvent> inLobby() {
    return List.of(new BotEvent.BotStarted(), new BotEvent.BotAwaitingAdmission());
  }

  /** The bot was admitted. */
  static List<BotEvent> letIn() {
    return List.of(new BotEvent.BotStarted(), new BotEvent.BotJoined());
  }

  /** A {@code status_change}. */
  static List<BotEvent> of(VexaStatus vexaStatus, VexaExit vexaExit) {
    return switch (vexaStatus) {
      case JOINING -> onTheWay();
      case AWAITING_ADMISSION -> inLobby();
      case ACTIVE -> letIn();
      case NEEDS_HUMAN_HELP, NEEDS_HELP ->
          List.of(new BotEvent.BotStarted(), new BotEvent.BotHeartbeat());
      case COMPLETED -> List.of(vexaExit.event(0));
      case FAILED -> List.of(vexaExit.event(1));
    };
  }

  /** The statuses of a {@code status_change}. */
  enum VexaStatus {
    JOINING,
    AWAITING_ADMISSION,
    ACTIVE,
    NEEDS_HUMAN_HELP,
    NEEDS_HELP,
    COMPLETED,
    FAILED
  }

  /** A reason as one short line; none if nothing is left of it. */
  private static Optional<String> shortReason(String text) {
    String line = text.strip().replaceAll("\\s+", " ").replaceAll("\\p{Cntrl}", "");
    return Optional.of(line.substring(0, Math.min(line.length(), REASON_MAX)))
        .filter(reason -> !reason.isEmpty());
  }
}
