package io.convoke.chaos.bots.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * No bot runs on behind a row that is over. One that we ended was gone before its row said so; one
 * that said goodbye has a moment to go; one that no launcher knows goes when it hears that it is
 * over.
 */
final class BotProcessRule implements BotRule {
  /** Those who end a bot, and must not say so before it is true. */
  private static final Set<String> ENDERS = Set.of("sweeper", "stop");

  /** For the last words of a bot. */
  private static final Duration GOODBYE = Duration.ofSeconds(15);

  /** For one that no launcher knows, from the first 410: the answer may be lost on its way. */
  private static final Duration FINDING_OUT = Duration.ofSeconds(25);

  /** For one that has not been answered at all: it asks less and less often. */
  private static final Duration UNHEARD = Duration.ofSeconds(60);

  @Override
  public List<RuleViolation> check(BotHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<Long, List<BotMove>> moves = history.movesOf();
    for (OrphanProcess seen : history.runsOn()) {
      List<BotMove> mine = moves.getOrDefault(seen.meetingId(), List.of());
      Instant end = mine.isEmpty() ? seen.first() : mine.getLast().at();
      boolean byUs = !mine.isEmpty() && ENDERS.contains(mine.getLast().actor());
      if (byUs && seen.known()) {
        findings.add(
            open(
                "bot %d was ended by the %s, and its process still ran"
                    .formatted(seen.meetingId(), mine.getLast().actor())));
      } else if (seen.last().isAfter(mayRunUntil(history, seen, end))) {
        findings.add(
            open(
                "the process of bot %d ran on for %d s after its end"
                    .formatted(seen.meetingId(), Duration.between(end, seen.last()).toSeconds())));
      }
    }
    history.processes().forEach(name -> findings.add(open(name + " runs when all is over")));
    return findings;
  }

  private static Instant mayRunUntil(BotHistory history, OrphanProcess seen, Instant end) {
    if (seen.known()) {
      return end.plus(GOODBYE);
    }
    return history.bots().stream()
        .filter(botEndState -> botEndState.meetingId() == seen.meetingId())
        .flatMap(botEndState -> history.calls().stream().filter(call -> call.refuses(botEndState)))
        .map(BotCall::at)
        .min(Instant::compareTo)
        .map(told -> told.plus(FINDING_OUT))
        .orElse(end.plus(UNHEARD));
  }

  private static RuleViolation open(String text) {
    return new RuleViolation(ViolationKind.OPEN, text);
  }
}
