package io.convoke.chaos.bots.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * At no point of the journal does a user have more bots in reserved, starting and active than the
 * limit, or two live ones in one meeting.
 */
final class BotLimitRule implements BotRule {
  private static final Set<String> COUNTED = Set.of("reserved", "starting", "active");
  private static final Set<String> OVER = Set.of("completed", "failed");

  @Override
  public List<RuleViolation> check(BotHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<Long, String> rooms = new HashMap<>();
    history.bots().forEach(botEndState -> rooms.put(botEndState.meetingId(), botEndState.room()));
    Map<Long, Map<Long, String>> states = new HashMap<>();
    for (BotTransition transition : history.transitions()) {
      Map<Long, String> mine = states.computeIfAbsent(transition.userId(), user -> new HashMap<>());
      mine.put(transition.meetingId(), transition.to());
      long counted = mine.values().stream().filter(COUNTED::contains).count();
      int limit = history.limits().getOrDefault(transition.userId(), 0);
      if (COUNTED.contains(transition.to()) && counted > limit) {
        findings.add(
            new RuleViolation(
                ViolationKind.DUPLICATED,
                "at event %d user %d has %d bots, the limit is %d"
                    .formatted(transition.seq(), transition.userId(), counted, limit)));
      }
      String room = rooms.getOrDefault(transition.meetingId(), "");
      mine.forEach(
          (other, state) -> {
            if (other != transition.meetingId()
                && transition.from().isEmpty()
                && !OVER.contains(state)
                && rooms.getOrDefault(other, "").equals(room)) {
              findings.add(
                  new RuleViolation(
                      ViolationKind.DUPLICATED,
                      "at event %d bots %d and %d of one user live in %s"
                          .formatted(transition.seq(), other, transition.meetingId(), room)));
            }
          });
    }
    return findings;
  }
}
