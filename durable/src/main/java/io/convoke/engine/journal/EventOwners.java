package io.convoke.engine.journal;

import java.util.Set;

/**
 * Whose events to read: all of a user, and those of further users that are about subjects of some
 * kinds.
 *
 * @param kinds what precedes the colon of a subject: {@code meeting} in {@code meeting:42}
 */
public record EventOwners(long userId, Set<Long> others, Set<String> kinds) {
  /** All events of one user. */
  public static EventOwners of(long userId) {
    return new EventOwners(userId, Set.of(), Set.of());
  }

  boolean fit(JournalEvent journalEvent) {
    return journalEvent
        .userId()
        .filter(
            owner ->
                owner == userId
                    || (others.contains(owner)
                        && kinds.contains(journalEvent.subject().split(":", 2)[0])))
        .isPresent();
  }
}
