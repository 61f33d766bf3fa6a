package io.convoke.engine.durable;

/**
 * A side effect, such as a call of another system, that runs at least once: after a crash or a lost
 * connection the engine may run it again, so it should be idempotent.
 */
@FunctionalInterface
public interface Activity<I, O> {
  O run(ActivityContext context, I input) throws Exception;
}
