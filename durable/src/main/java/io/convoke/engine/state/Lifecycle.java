package io.convoke.engine.state;

/**
 * The one reducer of a lifecycle. {@link #next} is pure: no clock, no store, no randomness.
 * Terminal states are final: no event changes them.
 */
@FunctionalInterface
public interface Lifecycle<S, E> {
  LifecycleStep<S> next(S state, E event);
}
