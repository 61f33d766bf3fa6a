package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.SummaryView;

/** Summarize a meeting again. {@code POST /meetings/{id}/summary}. */
public final class Summarize extends ApiCall<SummaryView> {
  private Summarize(CallParts parts) {
    super(parts, AnswerType.json(SummaryView.class));
  }

  /** The call, with what it needs. */
  public static Summarize of(long id) {
    return new Summarize(
        CallParts.once("POST", "/meetings/{id}/summary")
            .path("id", id));
  }
}
