package io.convoke.chaos.history;

import io.convoke.chaos.history.PresenceHistory.ObservedPresence;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What servers answer: reads that show what they were told, and webhooks. */
final class PresenceAnswerRules {
  /** From the acceptance of an event until every read shows it, on a busy machine. */
  static final Duration HANDLED = Duration.ofSeconds(4);

  /** Until another server has taken over the work of one that died or hung, and has done it. */
  private static final Duration TAKEN_OVER = Duration.ofSeconds(8);

  private static final int SHOWN_MAX = 5;

  private PresenceAnswerRules() {}

  /**
   * Reads during the faults show what servers were told: a participant is listed soon after its
   * join event was accepted until it leaves, and not listed soon after its leave event was
   * accepted, and no participant is listed before joining. After a fault an event may be handled
   * later.
   */
  static List<RuleViolation> shownPresence(PresenceHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (ObservedPresence read : history.observations()) {
      String room = history.room(read.meetingId());
      for (ActualVisit visit : history.visits()) {
        if (findings.size() < SHOWN_MAX && visit.room().equals(room)) {
          wrong(history, read, visit)
              .ifPresent(
                  what ->
                      findings.add(
                          ViolationKind.LATE.found(
                              "at %s meeting %d %s: %s",
                              read.askedAt(), read.meetingId(), what, visit.story())));
        }
      }
    }
    return findings;
  }

  private static Optional<String> wrong(
      PresenceHistory history, ObservedPresence read, ActualVisit visit) {
    boolean listed = read.present().contains(visit.sessionId());
    boolean stays = visit.leftAt().map(left -> left.isAfter(read.answered())).orElse(true);
    if (!listed && stays && handled(history, visit.joinKnown(), read)) {
      return Optional.of("does not list one whose join was accepted");
    }
    if (listed && handled(history, visit.leaveKnown(), read)) {
      return Optional.of("lists one whose leave was accepted");
    }
    return listed && visit.joinedAt().isAfter(read.answered().plus(history.bounds().exact()))
        ? Optional.of("lists one who has not joined yet")
        : Optional.empty();
  }

  private static boolean handled(
      PresenceHistory history, Optional<Instant> accepted, ObservedPresence read) {
    return accepted.filter(at -> deadline(history, at).isBefore(read.askedAt())).isPresent();
  }

  /** Until when an event must be handled; each fault meanwhile begins the time anew. */
  static Instant deadline(PresenceHistory history, Instant accepted) {
    Instant deadline = accepted.plus(HANDLED);
    boolean later = true;
    while (later) {
      Instant now = deadline;
      Instant after =
          history.windows().stream()
              .filter(window -> window.touches(accepted, now))
              .map(window -> window.to().equals(Instant.MAX) ? window.to() : end(window))
              .max(Instant::compareTo)
              .filter(end -> end.isAfter(now))
              .orElse(now);
      later = after.isAfter(now);
      deadline = after;
    }
    return deadline;
  }

  private static Instant end(FaultWindow window) {
    return window.to().plus(TAKEN_OVER);
  }

  /**
   * Authentic webhooks are answered 200, or 503, or not at all. How often they may be refused is a
   * question of {@link io.convoke.chaos.kernel.AvailabilityRule}.
   */
  static List<RuleViolation> webhookAnswer(PresenceHistory history) {
    return history.calls().stream()
        .filter(call -> call.status() != 0 && call.status() != 200 && call.status() != 503)
        .map(call -> ViolationKind.REFUSED.found("a webhook: " + call))
        .toList();
  }
}
