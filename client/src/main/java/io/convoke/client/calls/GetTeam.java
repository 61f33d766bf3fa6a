package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.Team;

/** Show a team. {@code GET /admin/teams/{id}}. */
public final class GetTeam extends ApiCall<Team> {
  private GetTeam(CallParts parts) {
    super(parts, AnswerType.json(Team.class));
  }

  /** The call, with what it needs. */
  public static GetTeam of(long id) {
    return new GetTeam(
        CallParts.repeatable("GET", "/admin/teams/{id}")
            .path("id", id));
  }
}
