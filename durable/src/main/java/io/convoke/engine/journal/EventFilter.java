package io.convoke.engine.journal;

import java.util.Optional;

/**
 * A filter of events; an empty component matches all.
 *
 * @param without a type that it excludes
 */
public record EventFilter(
    Optional<String> type,
    Optional<String> subject,
    Optional<EventOwners> owners,
    Optional<String> without) {
  public static final EventFilter ALL =
      new EventFilter(Optional.empty(), Optional.empty(), Optional.empty());

  /** The events of one user, or of all. */
  public EventFilter(Optional<String> type, Optional<String> subject, Optional<Long> userId) {
    this(type, subject, userId.map(EventOwners::of), Optional.empty());
  }

  /** The events of these owners, or of all. */
  public static EventFilter of(
      Optional<String> type, Optional<String> subject, Optional<EventOwners> owners) {
    return new EventFilter(type, subject, owners, Optional.empty());
  }

  public static EventFilter subject(String subject) {
    return new EventFilter(Optional.empty(), Optional.of(subject), Optional.empty());
  }

  /** The same filter without the events of a type. */
  public EventFilter without(String unwanted) {
    return new EventFilter(type, subject, owners, Optional.of(unwanted));
  }

  boolean fits(JournalEvent journalEvent) {
    return type.map(journalEvent.type()::equals).orElse(true)
        && subject.map(journalEvent.subject()::equals).orElse(true)
        && owners.map(them -> them.fit(journalEvent)).orElse(true)
        && !without.map(journalEvent.type()::equals).orElse(false);
  }
}
