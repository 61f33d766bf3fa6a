package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.TeamMember;

/** Add a user to a team, 250 at most. Idempotent. {@code PUT /admin/teams/{id}/members/{user_id}}. */
public final class AddTeamMember extends ApiCall<TeamMember> {
  private AddTeamMember(CallParts parts) {
    super(parts, AnswerType.json(TeamMember.class));
  }

  /** The call, with what it needs. */
  public static AddTeamMember of(long id, long userId) {
    return new AddTeamMember(
        CallParts.repeatable("PUT", "/admin/teams/{id}/members/{user_id}")
            .path("id", id)
            .path("user_id", userId));
  }
}
