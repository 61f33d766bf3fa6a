package io.convoke.engine.state;

/** The effect of an event on a state. An illegal event is a value too, not an exception. */
public sealed interface LifecycleStep<S> {

  /** The state changes; the reason goes into the journal. */
  record StateChanged<S>(S to, String reason) implements LifecycleStep<S> {}

  /** The event is legal and changes nothing: it is repeated or late. */
  record StateUnchanged<S>(String reason) implements LifecycleStep<S> {}

  /** The event is illegal in this state; the sender gets the reason. */
  record EventRefused<S>(String reason) implements LifecycleStep<S> {}
}
