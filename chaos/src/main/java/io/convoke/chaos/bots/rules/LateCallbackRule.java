package io.convoke.chaos.bots.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Terminal states are final: a call replayed long after the end is refused with 410, or
 * acknowledged as a repeated exit report, and changes no row. Late transcript lines are refused
 * too.
 */
final class LateCallbackRule implements Rule<BotHistory> {
  @Override
  public List<RuleViolation> check(BotHistory history) {
    ReplayResult replayResult = history.replayResult();
    List<RuleViolation> findings = new ArrayList<>();
    for (BotCall replay : replayResult.replays()) {
      boolean known = replay.status() == 200 && replay.name().equals("exited");
      if (replay.status() != 410 && !known) {
        findings.add(
            ViolationKind.REFUSED.found(
                "the late %s of %s was answered %d",
                replay.name(), replay.connectionId(), replay.status()));
      }
    }
    Set<String> tables = new TreeSet<>(replayResult.before().keySet());
    tables.addAll(replayResult.after().keySet());
    for (String table : tables) {
      List<String> before = replayResult.before().getOrDefault(table, List.of());
      List<String> after = replayResult.after().getOrDefault(table, List.of());
      without(after, before)
          .forEach(row -> findings.add(changed("late callbacks changed " + table + ": " + row)));
      without(before, after)
          .forEach(row -> findings.add(changed("late calls took from " + table + ": " + row)));
    }
    return findings;
  }

  private static List<String> without(List<String> rows, List<String> others) {
    Set<String> known = new HashSet<>(others);
    return rows.stream().filter(row -> !known.contains(row)).toList();
  }

  private static RuleViolation changed(String text) {
    return ViolationKind.ILLEGAL.found(text);
  }
}
