package io.convoke.lab.chaos.history;

import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The journal tells the story of the rows: each stay begins, then ends, never twice in a row the
 * same, and whoever replays it has the open sessions of the database.
 */
final class NarrativeRule implements Rule {
  /** By the session's id alone: its begin may be corrected after the journal told of it. */
  private record Stay(long meetingId, String sessionId) {}

  @Override
  public List<Finding> check(History history) {
    List<Finding> findings = new ArrayList<>();
    Map<Stay, Boolean> open = new LinkedHashMap<>();
    history.journal().stream()
        .sorted(Comparator.comparingLong(Told::seq))
        .forEach(event -> stay(event).ifPresent(stay -> tell(event, stay, open, findings)));
    Map<Stay, Boolean> rows = new HashMap<>();
    history
        .rows()
        .forEach(
            row ->
                rows.merge(
                    new Stay(row.meetingId(), row.sessionId()),
                    row.leftAt().isEmpty(),
                    Boolean::logicalOr));
    Set<Stay> all = new HashSet<>(rows.keySet());
    all.addAll(open.keySet());
    for (Stay stay : all) {
      Optional<Boolean> told = Optional.ofNullable(open.get(stay));
      Optional<Boolean> written = Optional.ofNullable(rows.get(stay));
      if (!told.equals(written)) {
        findings.add(
            new Finding(
                Kind.ILLEGAL,
                "the journal says that stay %s is %s, the row says %s"
                    .formatted(stay, word(told), word(written))));
      }
    }
    return findings;
  }

  private static void tell(Told event, Stay stay, Map<Stay, Boolean> open, List<Finding> findings) {
    boolean joins = event.type().equals(Told.JOINED);
    Optional<Boolean> before = Optional.ofNullable(open.put(stay, joins));
    if (before.equals(Optional.of(joins))) {
      findings.add(
          new Finding(
              Kind.DUPLICATED,
              "event %d tells %s of %s a second time".formatted(event.seq(), event.type(), stay)));
    } else if (before.isEmpty() && !joins) {
      findings.add(
          new Finding(
              Kind.ILLEGAL,
              "event %d tells the end of %s before its beginning".formatted(event.seq(), stay)));
    }
  }

  private static Optional<Stay> stay(Told event) {
    return event.type().equals(Told.JOINED) || event.type().equals(Told.LEFT)
        ? event.sessionId().map(id -> new Stay(event.meetingId(), id))
        : Optional.empty();
  }

  private static String word(Optional<Boolean> open) {
    return open.map(it -> it ? "open" : "over").orElse("unknown");
  }
}
