package io.convoke.chaos.kernel;

import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Things make only valid transitions, each from the state before it, and the row of each has the
 * last state of its journal.
 */
public final class LifecycleRule implements Rule<LifecycleRule.Lives> {
  /** The state before the first transition. */
  public static final String NONE = "";

  /** A transition in the journal. */
  public record JournaledMove(long seq, String id, String from, String to) {}

  /**
   * The lives of all things of one kind.
   *
   * @param kind for messages
   * @param edges valid next states by state
   * @param rows final states by id
   */
  public record Lives(
      String kind,
      Map<String, Set<String>> edges,
      List<JournaledMove> moves,
      Map<String, String> rows) {}

  @Override
  public List<RuleViolation> check(Lives lives) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, String> states = new HashMap<>();
    lives.moves().stream()
        .sorted(Comparator.comparingLong(JournaledMove::seq))
        .forEach(
            move -> {
              String before = states.getOrDefault(move.id(), NONE);
              boolean valid = lives.edges().getOrDefault(move.from(), Set.of()).contains(move.to());
              if (!before.equals(move.from()) || !valid) {
                findings.add(
                    illegal(
                        "event %d takes %s %s from '%s' to '%s', it was '%s'"
                            .formatted(
                                move.seq(),
                                lives.kind(),
                                move.id(),
                                move.from(),
                                move.to(),
                                before)));
              }
              states.put(move.id(), move.to());
            });
    lives
        .rows()
        .forEach(
            (id, state) -> {
              String journaled = states.getOrDefault(id, NONE);
              if (!journaled.equals(state)) {
                findings.add(
                    illegal(
                        "%s %s is '%s', its last journal entry is '%s'"
                            .formatted(lives.kind(), id, state, journaled)));
              }
            });
    return findings;
  }

  private static RuleViolation illegal(String text) {
    return ViolationKind.ILLEGAL.found(text);
  }
}
