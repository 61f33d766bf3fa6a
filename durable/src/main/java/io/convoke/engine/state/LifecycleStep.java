package io.convoke.engine.state;

/** What an event does to a state. An illegal event is a value like the others, not an exception. */
public sealed interface LifecycleStep<S> {

  /** The state changes; the reason goes into the journal. */
  record StateChanged<S>(S to, String reason) implements LifecycleStep<S> {}

  /** The event is legal and changes nothing: a repetition, or news that came too late to matter. */
  record StateUnchanged<S>(String reason) implements LifecycleStep<S> {}

  /** The event is illegal in this state; the sender gets the reason. */
  record EventRefused<S>(String reason) implements LifecycleStep<S> {}
}
