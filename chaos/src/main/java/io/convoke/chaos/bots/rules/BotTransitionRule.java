package io.convoke.chaos.bots.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Bots make only valid transitions, the row has the journal's last status, and {@code convoke
 * replay} finds no difference.
 */
final class BotTransitionRule implements BotRule {
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
  public List<RuleViolation> check(BotHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<Long, String> states = new HashMap<>();
    for (BotTransition transition : history.transitions()) {
      String before = states.getOrDefault(transition.meetingId(), "");
      if (!before.equals(transition.from())
          || !EDGES.getOrDefault(transition.from(), Set.of()).contains(transition.to())) {
        findings.add(
            illegal(
                "event %d takes bot %d from '%s' to '%s', it was '%s'"
                    .formatted(
                        transition.seq(),
                        transition.meetingId(),
                        transition.from(),
                        transition.to(),
                        before)));
      }
      states.put(transition.meetingId(), transition.to());
    }
    for (BotEndState botEndState : history.bots()) {
      String journaled = states.getOrDefault(botEndState.meetingId(), "");
      if (!journaled.equals(botEndState.status())) {
        findings.add(
            illegal(
                "bot %d is %s, its last journal entry is '%s'"
                    .formatted(botEndState.meetingId(), botEndState.status(), journaled)));
      }
    }
    history.replay().forEach(difference -> findings.add(illegal("replay: " + difference)));
    return findings;
  }

  private static RuleViolation illegal(String text) {
    return new RuleViolation(ViolationKind.ILLEGAL, text);
  }
}
