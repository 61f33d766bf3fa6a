package io.convoke.chaos.bots.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * No healthy bot is ended: a bot that a server ended without a stop request had sent nothing for
 * the whole timeout while the control plane was up, and a bot whose process died was hit by an
 * injected fault.
 */
final class FalseTimeoutRule implements Rule<BotHistory> {
  /** Reasons with which a server ends a running bot. */
  private static final Set<String> ENDED = Set.of("heartbeat_lost", "terminated");

  /** Reasons that imply that the process died. */
  private static final Set<String> DIED = Set.of("crashed", "vanished", "out_of_memory");

  /** Maximum difference between the local clock and the database's. */
  private static final Duration CLOSE = Duration.ofMillis(400);

  @Override
  public List<RuleViolation> check(BotHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<Long, List<BotTransition>> transitions = history.transitionsByBot();
    for (BotEndState bot : history.bots()) {
      boolean wanted = bot.stopRequestedAt().isPresent();
      for (BotTransition transition : transitions.getOrDefault(bot.meetingId(), List.of())) {
        boolean ran = transition.found().equals("running") || transition.found().isEmpty();
        if (!wanted
            && ENDED.contains(transition.reason())
            && ran
            && !silent(history, bot, transition)) {
          findings.add(
              illegal(
                  bot,
                  "was ended (%s) although it sent heartbeats".formatted(transition.reason())));
        }
        boolean died =
            DIED.contains(transition.reason()) || (ENDED.contains(transition.reason()) && !ran);
        if (!wanted && bot.honest() && died && !history.touched(bot.meetingId())) {
          findings.add(
              illegal(bot, "ended as %s without an injected fault".formatted(transition.reason())));
        }
      }
    }
    return findings;
  }

  /**
   * Whether, shortly before the end, there was a gap as long as the deadline without a callback and
   * without an outage of the control plane.
   */
  private static boolean silent(BotHistory history, BotEndState bot, BotTransition end) {
    BotStateLimits limits = history.deadlines();
    Instant from = end.at().minus(limits.late());
    List<Instant> marks = new ArrayList<>(history.signs(bot.connectionId()));
    marks.addAll(history.countedFrom());
    marks.removeIf(mark -> mark.isAfter(end.at()));
    marks.add(end.at());
    marks.sort(Comparator.naturalOrder());
    Instant before = bot.startTime().orElse(end.at());
    for (Instant mark : marks) {
      boolean enough = Duration.between(before, mark).plus(CLOSE).compareTo(limits.active()) >= 0;
      if (enough && mark.isAfter(from)) {
        return true;
      }
      before = mark.isAfter(before) ? mark : before;
    }
    return false;
  }

  private static RuleViolation illegal(BotEndState bot, String what) {
    return ViolationKind.ILLEGAL.found("bot %d (%s) %s", bot.meetingId(), bot.room(), what);
  }
}
