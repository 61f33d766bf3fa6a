package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.PodView;

/** Let a drained pod claim tasks again. {@code POST /pods/{pod_id}/resume}. */
public final class ResumePod extends ApiCall<PodView> {
  private ResumePod(CallParts parts) {
    super(parts, AnswerType.json(PodView.class));
  }

  /** The call, with what it needs. */
  public static ResumePod of(String podId) {
    return new ResumePod(
        CallParts.once("POST", "/pods/{pod_id}/resume")
            .path("pod_id", podId));
  }
}
