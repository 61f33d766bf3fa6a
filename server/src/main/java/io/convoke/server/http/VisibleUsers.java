package io.convoke.server.http;

import java.util.Optional;
import java.util.Set;

/**
 * The users whose meetings a user reads: the user, and the members of the user's teams.
 *
 * @param teamMates without the user
 */
public record VisibleUsers(long self, Set<Long> teamMates) {
  /** A user without a team. */
  public static VisibleUsers alone(long self) {
    return new VisibleUsers(self, Set.of());
  }

  /** Whether the meetings of this user are among those to read. */
  public boolean contains(long userId) {
    return userId == self || teamMates.contains(userId);
  }

  /** All of them. */
  public Long[] ids() {
    Long[] ids = new Long[teamMates.size() + 1];
    int at = 0;
    ids[at++] = self;
    for (Long mate : teamMates) {
      ids[at++] = mate;
    }
    return ids;
  }

  /**
   * An SQL condition with one parameter, {@link #parameter}: the column names one of these users,
   * or any if there are none. A user without a team is an equality, because then an index serves a
   * list in its order.
   */
  public static String condition(Optional<VisibleUsers> users, String column) {
    return users
        .map(them -> column + (them.teamMates.isEmpty() ? " = ?" : " = any(?)"))
        .orElse("?::bigint is null");
  }

  /** The parameter of {@link #condition}. */
  public static Object parameter(Optional<VisibleUsers> users) {
    return users
        .<Object>map(them -> them.teamMates.isEmpty() ? them.self : them.ids())
        .orElse(Optional.empty());
  }
}
