package io.convoke.engine.state;

import io.convoke.engine.state.TransitionTable.Transition;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * A lifecycle under test that records its transitions. {@link #verify} fails for a declared
 * transition that no test has taken, {@link #next} for one that the table does not declare.
 */
public final class TransitionCoverage<S, E> implements Lifecycle<S, E> {
  private final Lifecycle<S, E> lifecycle;
  private final TransitionTable table;
  private final Function<S, String> stateName;
  private final Function<E, String> eventName;
  private final Set<Transition> taken = ConcurrentHashMap.newKeySet();

  public TransitionCoverage(
      Lifecycle<S, E> lifecycle,
      TransitionTable table,
      Function<S, String> stateName,
      Function<E, String> eventName) {
    this.lifecycle = lifecycle;
    this.table = table;
    this.stateName = stateName;
    this.eventName = eventName;
  }

  @Override
  public LifecycleStep<S> next(S state, E event) {
    LifecycleStep<S> lifecycleStep = lifecycle.next(state, event);
    if (lifecycleStep instanceof LifecycleStep.StateChanged<S>(S to, var _)) {
      Transition move =
          new Transition(stateName.apply(state), eventName.apply(event), stateName.apply(to));
      if (!table.rows().contains(move)) {
        throw new AssertionError("a transition that the table does not declare: " + move);
      }
      taken.add(move);
    }
    return lifecycleStep;
  }

  /** Fails unless every declared transition was taken at least once. */
  public void verify() {
    Set<Transition> unvisited = new LinkedHashSet<>(table.rows());
    unvisited.removeAll(taken);
    if (!unvisited.isEmpty()) {
      throw new AssertionError("legal transitions that no test has taken: " + unvisited);
    }
  }
}
