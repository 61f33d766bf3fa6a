package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.TeamMember;
import java.util.List;

/** List the members of a team, by user. {@code GET /admin/teams/{id}/members}. */
public final class ListTeamMembers extends ListCall<TeamMember> {
  private ListTeamMembers(CallParts parts) {
    super(parts, TeamMember.class);
  }

  /** The call, with what it needs. */
  public static ListTeamMembers of(long id) {
    return new ListTeamMembers(
        CallParts.repeatable("GET", "/admin/teams/{id}/members")
            .path("id", id));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListTeamMembers limit(long limit) {
    return new ListTeamMembers(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListTeamMembers cursor(String cursor) {
    return new ListTeamMembers(parts().query("cursor", cursor));
  }
}
