package io.convoke.chaos.bots.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Nobody who is alive and well is ended: a bot that we ended although nobody had stopped it had
 * been silent for its whole time while the control plane was up, and a bot whose process died had
 * something done to it.
 */
final class FalseTimeoutRule implements BotRule {
  /** Ends by us, of a bot that ran. */
  private static final Set<String> ENDED = Set.of("heartbeat_lost", "terminated");

  /** Ends of a process that something must have brought about. */
  private static final Set<String> DIED = Set.of("crashed", "vanished", "out_of_memory");

  /** How far our clock and the database's reading of it may lie apart. */
  private static final Duration CLOSE = Duration.ofMillis(400);

  @Override
  public List<RuleViolation> check(BotHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<Long, List<BotMove>> moves = history.movesOf();
    for (BotEndState botEndState : history.bots()) {
      boolean wanted = botEndState.stopRequestedAt().isPresent();
      for (BotMove botMove : moves.getOrDefault(botEndState.meetingId(), List.of())) {
        boolean ran = botMove.found().equals("running") || botMove.found().isEmpty();
        if (!wanted
            && ENDED.contains(botMove.reason())
            && ran
            && !silent(history, botEndState, botMove)) {
          findings.add(
              illegal(
                  botEndState,
                  "was ended (%s) and had not been silent".formatted(botMove.reason())));
        }
        boolean died =
            DIED.contains(botMove.reason()) || (ENDED.contains(botMove.reason()) && !ran);
        if (!wanted && botEndState.honest() && died && !history.touched(botEndState.meetingId())) {
          findings.add(
              illegal(
                  botEndState,
                  "ended as %s and nothing was done to it".formatted(botMove.reason())));
        }
      }
    }
    return findings;
  }

  /**
   * Whether shortly before the end there was a gap as long as the deadline, in which no sign came
   * and the control plane was not away.
   */
  private static boolean silent(BotHistory history, BotEndState botEndState, BotMove end) {
    BotStateLimits botStateLimits = history.deadlines();
    Instant from = end.at().minus(botStateLimits.late());
    List<Instant> marks = new ArrayList<>(history.signs(botEndState.connectionId()));
    marks.addAll(history.countedFrom());
    marks.removeIf(mark -> mark.isAfter(end.at()));
    marks.add(end.at());
    marks.sort(Comparator.naturalOrder());
    Instant before = botEndState.startTime().orElse(end.at());
    for (Instant mark : marks) {
      boolean enough =
          Duration.between(before, mark).plus(CLOSE).compareTo(botStateLimits.active()) >= 0;
      if (enough && mark.isAfter(from)) {
        return true;
      }
      before = mark.isAfter(before) ? mark : before;
    }
    return false;
  }

  private static RuleViolation illegal(BotEndState botEndState, String what) {
    return new RuleViolation(
        ViolationKind.ILLEGAL,
        "bot %d (%s) %s".formatted(botEndState.meetingId(), botEndState.room(), what));
  }
}
