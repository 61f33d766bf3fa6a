package io.convoke.engine.journal;

import java.util.Optional;

/** Which events a reader wants; an empty part means all. */
public record EventFilter(Optional<String> type, Optional<String> subject, Optional<Long> userId) {
  public static final EventFilter ALL =
      new EventFilter(Optional.empty(), Optional.empty(), Optional.empty());

  public static EventFilter subject(String subject) {
    return new EventFilter(Optional.empty(), Optional.of(subject), Optional.empty());
  }

  boolean fits(Event event) {
    return type.map(event.type()::equals).orElse(true)
        && subject.map(event.subject()::equals).orElse(true)
        && (userId.isEmpty() || userId.equals(event.userId()));
  }
}
