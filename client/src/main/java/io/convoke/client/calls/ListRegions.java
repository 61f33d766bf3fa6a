package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.RegionViews;
import java.util.List;

/** List regions with tasks or live pods, with statistics. {@code GET /regions}. */
public final class ListRegions extends ApiCall<RegionViews> {
  private ListRegions(CallParts parts) {
    super(parts, AnswerType.json(RegionViews.class));
  }

  /** The call, with what it needs. */
  public static ListRegions of() {
    return new ListRegions(
        CallParts.repeatable("GET", "/regions"));
  }
}
