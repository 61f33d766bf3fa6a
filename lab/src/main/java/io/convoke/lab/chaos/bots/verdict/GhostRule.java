package io.convoke.lab.chaos.bots.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What is over stays over: a call that comes long after the end is refused with 410, or is a
 * goodbye that is known, and no row is another one afterwards. That holds for what was said, too: a
 * transcript that comes after the end is refused like everything else.
 */
final class GhostRule implements BotRule {
  @Override
  public List<Finding> check(BotHistory history) {
    Haunting haunting = history.haunting();
    List<Finding> findings = new ArrayList<>();
    for (BotCall ghost : haunting.ghosts()) {
      boolean known = ghost.status() == 200 && ghost.name().equals("exited");
      if (ghost.status() != 410 && !known) {
        findings.add(
            new Finding(
                Kind.REFUSED,
                "the late %s of %s was answered %d"
                    .formatted(ghost.name(), ghost.connectionId(), ghost.status())));
      }
    }
    Set<String> tables = new TreeSet<>(haunting.before().keySet());
    tables.addAll(haunting.after().keySet());
    for (String table : tables) {
      List<String> before = haunting.before().getOrDefault(table, List.of());
      List<String> after = haunting.after().getOrDefault(table, List.of());
      without(after, before)
          .forEach(row -> findings.add(changed("late calls wrote into " + table + ": " + row)));
      without(before, after)
          .forEach(row -> findings.add(changed("late calls took from " + table + ": " + row)));
    }
    return findings;
  }

  private static List<String> without(List<String> rows, List<String> others) {
    Set<String> known = new HashSet<>(others);
    return rows.stream().filter(row -> !known.contains(row)).toList();
  }

  private static Finding changed(String text) {
    return new Finding(Kind.ILLEGAL, text);
  }
}
