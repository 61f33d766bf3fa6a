package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import tools.jackson.databind.JsonNode;

/** Delete a team and release its rooms. {@code DELETE /admin/teams/{id}}. */
public final class DeleteTeam extends ApiCall<JsonNode> {
  private DeleteTeam(CallParts parts) {
    super(parts, AnswerType.nothing());
  }

  /** The call, with what it needs. */
  public static DeleteTeam of(long id) {
    return new DeleteTeam(
        CallParts.repeatable("DELETE", "/admin/teams/{id}")
            .path("id", id));
  }
}
