package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;

/** Metrics in the Prometheus text format. {@code GET /metrics}. */
public final class Metrics extends ApiCall<String> {
  private Metrics(CallParts parts) {
    super(parts, AnswerType.text());
  }

  /** The call, with what it needs. */
  public static Metrics of() {
    return new Metrics(
        CallParts.repeatable("GET", "/metrics"));
  }
}
