package io.convoke.engine.durable;

/** A workflow's code did something else than its history says it did. */
public final class NonDeterminismException extends RuntimeException {
  public NonDeterminismException(String instanceId, long event, String history, String code) {
    super(
        "%s, event %d: the history says %s, the code says %s"
            .formatted(instanceId, event, history, code));
  }
}
