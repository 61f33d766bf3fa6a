package io.convoke.lab.chaos.bots.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Bots move only along the edges of seed 001's lifecycle and those that real life needs, the row is
 * where the last move led, and the program's own replay agrees.
 */
final class MoveRule implements BotRule {
  private static final Map<String, Set<String>> EDGES =
      Map.of(
          "",
          Set.of("reserved"),
          "reserved",
          Set.of("starting", "failed"),
          "starting",
          Set.of("active", "stopping", "failed"),
          "active",
          Set.of("stopping", "completed", "failed"),
          "stopping",
          Set.of("completed", "failed"));

  @Override
  public List<Finding> check(BotHistory history) {
    List<Finding> findings = new ArrayList<>();
    Map<Long, String> states = new HashMap<>();
    for (Move move : history.moves()) {
      String before = states.getOrDefault(move.meetingId(), "");
      if (!before.equals(move.from())
          || !EDGES.getOrDefault(move.from(), Set.of()).contains(move.to())) {
        findings.add(
            illegal(
                "event %d moves bot %d from '%s' to '%s', it was '%s'"
                    .formatted(move.seq(), move.meetingId(), move.from(), move.to(), before)));
      }
      states.put(move.meetingId(), move.to());
    }
    for (Bot bot : history.bots()) {
      String told = states.getOrDefault(bot.meetingId(), "");
      if (!told.equals(bot.status())) {
        findings.add(
            illegal(
                "bot %d is %s, the journal left it '%s'"
                    .formatted(bot.meetingId(), bot.status(), told)));
      }
    }
    history.replay().forEach(difference -> findings.add(illegal("replay: " + difference)));
    return findings;
  }

  private static Finding illegal(String text) {
    return new Finding(Kind.ILLEGAL, text);
  }
}
