package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import tools.jackson.databind.JsonNode;

/** Remove a user from a team. {@code DELETE /admin/teams/{id}/members/{user_id}}. */
public final class RemoveTeamMember extends ApiCall<JsonNode> {
  private RemoveTeamMember(CallParts parts) {
    super(parts, AnswerType.nothing());
  }

  /** The call, with what it needs. */
  public static RemoveTeamMember of(long id, long userId) {
    return new RemoveTeamMember(
        CallParts.repeatable("DELETE", "/admin/teams/{id}/members/{user_id}")
            .path("id", id)
            .path("user_id", userId));
  }
}
