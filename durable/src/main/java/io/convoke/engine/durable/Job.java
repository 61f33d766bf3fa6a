package io.convoke.engine.durable;

/**
 * The handler of a job: work that is done in the background, once for each {@link
 * Durable#enqueue(String, Object) enqueue}, and has no result. It runs at least once: after a crash
 * or a lost connection the engine may run it again, so it should be idempotent.
 */
@FunctionalInterface
public interface Job<I> {
  void run(JobContext context, I input) throws Exception;
}
