package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.Team;

/** Create a team: users who see each other's meetings. {@code POST /admin/teams}. */
public final class CreateTeam extends ApiCall<Team> {
  private CreateTeam(CallParts parts) {
    super(parts, AnswerType.json(Team.class));
  }

  /** The call, with what it needs. */
  public static CreateTeam of(String name) {
    return new CreateTeam(
        CallParts.withKey("POST", "/admin/teams")
            .member("name", name)
            .body());
  }
}
