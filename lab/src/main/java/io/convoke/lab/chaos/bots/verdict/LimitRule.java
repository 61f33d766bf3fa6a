package io.convoke.lab.chaos.bots.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * At no place of the journal has a user more bots in reserved, starting and active than the limit,
 * or two live ones in one meeting.
 */
final class LimitRule implements BotRule {
  private static final Set<String> COUNTED = Set.of("reserved", "starting", "active");
  private static final Set<String> OVER = Set.of("completed", "failed");

  @Override
  public List<Finding> check(BotHistory history) {
    List<Finding> findings = new ArrayList<>();
    Map<Long, String> rooms = new HashMap<>();
    history.bots().forEach(bot -> rooms.put(bot.meetingId(), bot.room()));
    Map<Long, Map<Long, String>> states = new HashMap<>();
    for (Move move : history.moves()) {
      Map<Long, String> mine = states.computeIfAbsent(move.userId(), user -> new HashMap<>());
      mine.put(move.meetingId(), move.to());
      long counted = mine.values().stream().filter(COUNTED::contains).count();
      int limit = history.limits().getOrDefault(move.userId(), 0);
      if (COUNTED.contains(move.to()) && counted > limit) {
        findings.add(
            new Finding(
                Kind.DUPLICATED,
                "at event %d user %d has %d bots, the limit is %d"
                    .formatted(move.seq(), move.userId(), counted, limit)));
      }
      String room = rooms.getOrDefault(move.meetingId(), "");
      mine.forEach(
          (other, state) -> {
            if (other != move.meetingId()
                && move.from().isEmpty()
                && !OVER.contains(state)
                && rooms.getOrDefault(other, "").equals(room)) {
              findings.add(
                  new Finding(
                      Kind.DUPLICATED,
                      "at event %d bots %d and %d of one user live in %s"
                          .formatted(move.seq(), other, move.meetingId(), room)));
            }
          });
    }
    return findings;
  }
}
