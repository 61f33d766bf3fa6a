package io.convoke.server.teams;

import io.convoke.engine.sql.ResultRow;
import java.time.Instant;

/**
 * A team, as the API shows it.
 *
 * @param members how many there are
 */
record Team(long id, String name, int members, Instant createdAt) {
  /** The columns that {@link #of} reads, of {@code teams} as {@code t}. */
  static final String COLUMNS =
      "id, name, created_at,"
          + " (select count(*) from team_members m where m.team_id = t.id)::int as members";

  static Team of(ResultRow resultRow) {
    return new Team(
        resultRow.longAt("id"),
        resultRow.text("name"),
        resultRow.intAt("members"),
        resultRow.instant("created_at"));
  }

  /** One member. */
  record TeamMember(long userId, Instant addedAt) {
    static TeamMember of(ResultRow resultRow) {
      return new TeamMember(resultRow.longAt("user_id"), resultRow.instant("added_at"));
    }
  }
}
