package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** The sync status of a meeting, or of several with the parameter repeated. {@code GET /sync-status}. */
public final class GetSyncStatus extends ApiCall<JsonNode> {
  private GetSyncStatus(CallParts parts) {
    super(parts, AnswerType.json(JsonNode.class));
  }

  /** The call, with what it needs. */
  public static GetSyncStatus of() {
    return new GetSyncStatus(
        CallParts.repeatable("GET", "/sync-status"));
  }

  /** {@code meeting_id}: The id of a meeting. */
  public GetSyncStatus meetingId(List<String> meetingId) {
    return new GetSyncStatus(parts().query("meeting_id", meetingId));
  }
}
