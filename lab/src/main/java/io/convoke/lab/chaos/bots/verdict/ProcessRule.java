package io.convoke.lab.chaos.bots.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * No bot runs on behind a row that is over. One that we ended was gone before its row said so; one
 * that said goodbye has a moment to go; one that no launcher knows goes when it hears that it is
 * over.
 */
final class ProcessRule implements BotRule {
  /** Those who end a bot, and must not say so before it is true. */
  private static final Set<String> ENDERS = Set.of("sweeper", "stop");

  /** For the last words of a bot, and for one that must first find out. */
  private static final Duration GOODBYE = Duration.ofSeconds(15);

  @Override
  public List<Finding> check(BotHistory history) {
    List<Finding> findings = new ArrayList<>();
    Map<Long, List<Move>> moves = history.movesOf();
    for (RunsOn seen : history.runsOn()) {
      List<Move> mine = moves.getOrDefault(seen.meetingId(), List.of());
      boolean byUs = !mine.isEmpty() && ENDERS.contains(mine.getLast().actor());
      Duration span =
          mine.isEmpty()
              ? Duration.between(seen.first(), seen.last())
              : Duration.between(mine.getLast().at(), seen.last());
      if (byUs && seen.known()) {
        findings.add(
            open(
                "bot %d was ended by the %s, and its process still ran"
                    .formatted(seen.meetingId(), mine.getLast().actor())));
      } else if (span.compareTo(GOODBYE) > 0) {
        findings.add(
            open(
                "the process of bot %d ran on for %d s after its end"
                    .formatted(seen.meetingId(), span.toSeconds())));
      }
    }
    history.processes().forEach(name -> findings.add(open(name + " runs when all is over")));
    return findings;
  }

  private static Finding open(String text) {
    return new Finding(Kind.OPEN, text);
  }
}
