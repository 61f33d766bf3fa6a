package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.Team;
import java.util.List;

/** List teams, oldest first. {@code GET /admin/teams}. */
public final class ListTeams extends ListCall<Team> {
  private ListTeams(CallParts parts) {
    super(parts, Team.class);
  }

  /** The call, with what it needs. */
  public static ListTeams of() {
    return new ListTeams(
        CallParts.repeatable("GET", "/admin/teams"));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListTeams limit(long limit) {
    return new ListTeams(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListTeams cursor(String cursor) {
    return new ListTeams(parts().query("cursor", cursor));
  }
}
