package io.convoke.engine.state;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;

/** Every legal transition of a lifecycle, by the names that its journal and its diagram use. */
public final class TransitionTable {
  private final SequencedSet<Transition> rows;

  private TransitionTable(SequencedSet<Transition> rows) {
    this.rows = Collections.unmodifiableSequencedSet(rows);
  }

  /** One legal transition. */
  public record Transition(String from, String event, String to) {
    @Override
    public String toString() {
      return from + " --" + event + "--> " + to;
    }
  }

  public static TransitionTable of(List<Transition> rows) {
    SequencedSet<Transition> unique = new LinkedHashSet<>(rows);
    if (unique.size() != rows.size()) {
      throw new IllegalArgumentException("a transition is declared twice");
    }
    return new TransitionTable(unique);
  }

  public SequencedSet<Transition> rows() {
    return rows;
  }

  /** A Mermaid state diagram; events with the same source and target share an arrow. */
  public String mermaid(String initial, List<String> terminal) {
    Map<String, List<String>> arrows = new LinkedHashMap<>();
    for (Transition row : rows) {
      arrows.computeIfAbsent(row.from + " --> " + row.to, key -> new ArrayList<>()).add(row.event);
    }
    StringBuilder text = new StringBuilder("stateDiagram-v2\n");
    text.append("    [*] --> ").append(initial).append('\n');
    arrows.forEach(
        (arrow, events) ->
            text.append("    ")
                .append(arrow)
                .append(": ")
                .append(String.join(", ", events))
                .append('\n'));
    terminal.forEach(state -> text.append("    ").append(state).append(" --> [*]\n"));
    return text.toString();
  }
}
