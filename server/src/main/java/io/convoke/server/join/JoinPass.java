package io.convoke.server.join;

import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Instant;
import java.util.Locale;

/**
 * The right to join a room, as a link carries it.
 *
 * @param user to whom the room belonged when the link was made
 * @param expires when the link ends; participants who have joined stay
 */
record JoinPass(String room, long user, JoinRole role, Instant expires) {

  /** Whether it lets no one in any more. */
  boolean expiredAt(Instant now) {
    return !now.isBefore(expires);
  }

  /** What its holder may do. */
  enum JoinRole {
    /** Joins, and removes others. */
    HOST,
    /** Joins. */
    GUEST;

    @JsonValue
    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
