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
    Optional<Long> userId,
    Optional<String> without) {
  public static final EventFilter ALL =
      new EventFilter(Optional.empty(), Optional.empty(), Optional.empty());

  public EventFilter(Optional<String> type, Optional<String> subject, Optional<Long> userId) {
    this(type, subject, userId, Optional.empty());
  }

  public static EventFilter subject(String subject) {
    return new EventFilter(Optional.empty(), Optional.of(subject), Optional.empty());
  }

  /** The same filter without the events of a type. */
  public EventFilter without(String unwanted) {
    return new EventFilter(type, subject, userId, Optional.of(unwanted));
  }

  boolean fits(JournalEvent journalEvent) {
    return type.map(journalEvent.type()::equals).orElse(true)
        && subject.map(journalEvent.subject()::equals).orElse(true)
        && (userId.isEmpty() || userId.equals(journalEvent.userId()))
        && !without.map(journalEvent.type()::equals).orElse(false);
  }
}
