package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import tools.jackson.databind.JsonNode;

/** Delete a recording with its audio and transcript. {@code DELETE /recordings/{id}}. */
public final class DeleteRecording extends ApiCall<JsonNode> {
  private DeleteRecording(CallParts parts) {
    super(parts, AnswerType.nothing());
  }

  /** The call, with what it needs. */
  public static DeleteRecording of(String id) {
    return new DeleteRecording(
        CallParts.repeatable("DELETE", "/recordings/{id}")
            .path("id", id));
  }
}
