package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.Team;

/** Rename a team. {@code PATCH /admin/teams/{id}}. */
public final class ChangeTeam extends ApiCall<Team> {
  private ChangeTeam(CallParts parts) {
    super(parts, AnswerType.json(Team.class));
  }

  /** The call, with what it needs. */
  public static ChangeTeam of(long id, String name) {
    return new ChangeTeam(
        CallParts.once("PATCH", "/admin/teams/{id}")
            .path("id", id)
            .member("name", name)
            .body());
  }
}
