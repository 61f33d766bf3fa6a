package io.convoke.engine.durable;

/** In a replay the code of a workflow issued another command than its history has. */
public final class NonDeterminismException extends RuntimeException {
  public NonDeterminismException(String instanceId, long event, String history, String code) {
    super(
        "%s, event %d: the history says %s, the code says %s"
            .formatted(instanceId, event, history, code));
  }
}
