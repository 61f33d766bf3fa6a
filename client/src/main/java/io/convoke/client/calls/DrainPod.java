package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.PodView;

/** Drain a pod: it claims no more tasks; running tasks go on. {@code POST /pods/{pod_id}/drain}. */
public final class DrainPod extends ApiCall<PodView> {
  private DrainPod(CallParts parts) {
    super(parts, AnswerType.json(PodView.class));
  }

  /** The call, with what it needs. */
  public static DrainPod of(String podId) {
    return new DrainPod(
        CallParts.once("POST", "/pods/{pod_id}/drain")
            .path("pod_id", podId));
  }
}
