package io.convoke.chaos.bots.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * At no point of the journal does a user have more bots in reserved, starting and active than the
 * limit, or two live ones in one meeting; and none is refused a bot below it.
 */
final class BotLimitRule implements Rule<BotHistory> {
  private static final Set<String> COUNTED = Set.of("reserved", "starting", "active");

  /** Times of a call and of the journal may differ by this. */
  private static final Duration CLOCKS = Duration.ofMillis(500);

  private static final Set<String> OVER = Set.of("completed", "failed");

  @Override
  public List<RuleViolation> check(BotHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<Long, String> rooms = new HashMap<>();
    history.bots().forEach(bot -> rooms.put(bot.meetingId(), bot.room()));
    Map<Long, Map<Long, String>> states = new HashMap<>();
    for (BotTransition transition : history.transitions()) {
      Map<Long, String> mine = states.computeIfAbsent(transition.userId(), user -> new HashMap<>());
      mine.put(transition.meetingId(), transition.to());
      long counted = mine.values().stream().filter(COUNTED::contains).count();
      int limit = history.limits().getOrDefault(transition.userId(), 0);
      if (COUNTED.contains(transition.to()) && counted > limit) {
        findings.add(
            ViolationKind.DUPLICATED.found(
                "at event %d user %d has %d bots, the limit is %d",
                transition.seq(), transition.userId(), counted, limit));
      }
      String room = rooms.getOrDefault(transition.meetingId(), "");
      mine.forEach(
          (other, state) -> {
            if (other != transition.meetingId()
                && transition.from().isEmpty()
                && !OVER.contains(state)
                && rooms.getOrDefault(other, "").equals(room)) {
              findings.add(
                  ViolationKind.DUPLICATED.found(
                      "at event %d bots %d and %d of one user live in %s",
                      transition.seq(), other, transition.meetingId(), room));
            }
          });
    }
    for (UserCall call : history.userCalls()) {
      if (call.userId() != 0 && call.status() == 429) {
        long most = most(history, call);
        int limit = history.limits().getOrDefault(call.userId(), 0);
        if (most < limit) {
          findings.add(
              ViolationKind.REFUSED.found(
                  "user %d was refused a bot at %s with %d of %d",
                  call.userId(), call.at(), most, limit));
        }
      }
    }
    return findings;
  }

  /** The largest number of the user's counted bots at any time during a call. */
  private static long most(BotHistory history, UserCall call) {
    Map<Long, String> states = new HashMap<>();
    long most = 0;
    for (BotTransition transition : history.transitions()) {
      if (transition.userId() == call.userId()
          && transition.at().isBefore(call.at().plus(CLOCKS))) {
        boolean during = transition.at().isAfter(call.sent().minus(CLOCKS));
        most = during ? Math.max(most, counted(states)) : most;
        states.put(transition.meetingId(), transition.to());
        most = during ? Math.max(most, counted(states)) : most;
      }
    }
    return Math.max(most, counted(states));
  }

  private static long counted(Map<Long, String> states) {
    return states.values().stream().filter(COUNTED::contains).count();
  }
}
