package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import tools.jackson.databind.JsonNode;

/** Delete the files of an egress that has ended. {@code DELETE /egress/{id}}. */
public final class DeleteEgress extends ApiCall<JsonNode> {
  private DeleteEgress(CallParts parts) {
    super(parts, AnswerType.nothing());
  }

  /** The call, with what it needs. */
  public static DeleteEgress of(String id) {
    return new DeleteEgress(
        CallParts.repeatable("DELETE", "/egress/{id}")
            .path("id", id));
  }
}
