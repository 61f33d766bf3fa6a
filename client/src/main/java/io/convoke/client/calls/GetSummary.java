package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.SummaryView;

/** The summary of a meeting, with the segments that it is taken from. {@code GET /meetings/{id}/summary}. */
public final class GetSummary extends ApiCall<SummaryView> {
  private GetSummary(CallParts parts) {
    super(parts, AnswerType.json(SummaryView.class));
  }

  /** The call, with what it needs. */
  public static GetSummary of(long id) {
    return new GetSummary(
        CallParts.repeatable("GET", "/meetings/{id}/summary")
            .path("id", id));
  }
}
