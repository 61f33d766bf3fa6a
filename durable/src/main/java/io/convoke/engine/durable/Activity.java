package io.convoke.engine.durable;

/**
 * A piece of work in the outside world, run at least once: after a crash or a lost connection it
 * may run again, so what it does should be safe to repeat.
 */
@FunctionalInterface
public interface Activity<I, O> {
  O run(ActivityContext context, I input) throws Exception;
}
