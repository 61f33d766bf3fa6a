package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.PodViews;
import java.util.List;

/** List live pods with their slots. {@code GET /pods}. */
public final class ListPods extends ApiCall<PodViews> {
  private ListPods(CallParts parts) {
    super(parts, AnswerType.json(PodViews.class));
  }

  /** The call, with what it needs. */
  public static ListPods of() {
    return new ListPods(
        CallParts.repeatable("GET", "/pods"));
  }
}
