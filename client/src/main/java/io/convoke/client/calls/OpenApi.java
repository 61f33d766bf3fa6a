package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;

/** This document. {@code GET /openapi.yaml}. */
public final class OpenApi extends ApiCall<String> {
  private OpenApi(CallParts parts) {
    super(parts, AnswerType.text());
  }

  /** The call, with what it needs. */
  public static OpenApi of() {
    return new OpenApi(
        CallParts.repeatable("GET", "/openapi.yaml"));
  }
}
