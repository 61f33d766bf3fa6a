package io.convoke.chaos.bots.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * No bot exceeds the deadline of its status: from entering it, while active from the last callback,
 * and from the stop request to the end; all counted from the end of the control plane's last
 * outage.
 */
final class BotDeadlineRule implements Rule<BotHistory> {
  @Override
  public List<RuleViolation> check(BotHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<Long, List<BotTransition>> transitions = history.transitionsByBot();
    for (BotEndState bot : history.bots()) {
      List<BotTransition> mine = transitions.getOrDefault(bot.meetingId(), List.of());
      for (int i = 0; i + 1 < mine.size(); i++) {
        BotTransition in = mine.get(i);
        Instant out = mine.get(i + 1).at();
        allowed(history.deadlines(), in.to())
            .flatMap(most -> late(history, since(history, bot, in, out), out, most))
            .ifPresent(by -> findings.add(lost(bot, "left " + in.to() + " " + by + " too late")));
      }
      if (!mine.isEmpty() && bot.over()) {
        Instant end = mine.getLast().at();
        bot.stopRequestedAt()
            .flatMap(asked -> late(history, asked, end, history.deadlines().stopping()))
            .ifPresent(by -> findings.add(lost(bot, "ended " + by + " too late after its stop")));
      }
    }
    return findings;
  }

  private static Instant since(BotHistory history, BotEndState bot, BotTransition in, Instant out) {
    return in.to().equals("active")
        ? history.signs(bot.connectionId()).stream()
            .filter(sign -> sign.isAfter(in.at()) && !sign.isAfter(out))
            .max(Instant::compareTo)
            .orElse(in.at())
        : in.at();
  }

  private static Optional<Duration> allowed(BotStateLimits limits, String state) {
    return switch (state) {
      case "reserved" -> Optional.of(limits.reserved());
      case "starting" -> Optional.of(limits.starting());
      case "active" -> Optional.of(limits.active());
      case "stopping" -> Optional.of(limits.stopping());
      default -> Optional.empty();
    };
  }

  private static Optional<String> late(
      BotHistory history, Instant since, Instant at, Duration most) {
    Instant latest = history.counted(since, at).plus(most).plus(history.deadlines().late());
    return at.isAfter(latest)
        ? Optional.of(
            String.format(Locale.ROOT, "%.1f s", Duration.between(latest, at).toMillis() / 1e3))
        : Optional.empty();
  }

  private static RuleViolation lost(BotEndState bot, String what) {
    return ViolationKind.LOST.found("bot %d (%s) %s", bot.meetingId(), bot.room(), what);
  }
}
