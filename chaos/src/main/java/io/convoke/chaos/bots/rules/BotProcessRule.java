package io.convoke.chaos.bots.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * No bot process outlives its row. A bot that a server ended is gone before its row says so; one
 * that reported its own exit has a moment to exit; an orphan exits when a server answers 410.
 */
final class BotProcessRule implements Rule<BotHistory> {
  /** Actors that end a bot, and may record its end only once the process is gone. */
  private static final Set<String> ENDERS = Set.of("sweeper", "stop");

  /** Grace for a bot's final callbacks. */
  private static final Duration GOODBYE = Duration.ofSeconds(15);

  /** Grace for an orphan, from the first 410, whose response may be dropped. */
  private static final Duration FINDING_OUT = Duration.ofSeconds(25);

  /** Grace for an orphan that received no response: its retries back off. */
  private static final Duration UNHEARD = Duration.ofSeconds(60);

  @Override
  public List<RuleViolation> check(BotHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<Long, List<BotTransition>> transitions = history.transitionsByBot();
    for (OrphanProcess seen : history.runsOn()) {
      List<BotTransition> mine = transitions.getOrDefault(seen.meetingId(), List.of());
      Instant end = mine.isEmpty() ? seen.first() : mine.getLast().at();
      boolean byUs = !mine.isEmpty() && ENDERS.contains(mine.getLast().actor());
      if (byUs && seen.known()) {
        findings.add(
            open(
                "bot %d was ended by the %s, but its process still runs"
                    .formatted(seen.meetingId(), mine.getLast().actor())));
      } else if (seen.last().isAfter(mayRunUntil(history, seen, end))) {
        findings.add(
            open(
                "the process of bot %d ran for %d s after its end"
                    .formatted(seen.meetingId(), Duration.between(end, seen.last()).toSeconds())));
      }
    }
    history.processes().forEach(name -> findings.add(open(name + " still runs at the end")));
    return findings;
  }

  private static Instant mayRunUntil(BotHistory history, OrphanProcess seen, Instant end) {
    if (seen.known()) {
      return end.plus(GOODBYE);
    }
    return history.bots().stream()
        .filter(bot -> bot.meetingId() == seen.meetingId())
        .flatMap(bot -> history.calls().stream().filter(call -> call.refuses(bot)))
        .map(BotCall::at)
        .min(Instant::compareTo)
        .map(observedEnd -> observedEnd.plus(FINDING_OUT))
        .orElse(end.plus(UNHEARD));
  }

  private static RuleViolation open(String text) {
    return ViolationKind.OPEN.found(text);
  }
}
