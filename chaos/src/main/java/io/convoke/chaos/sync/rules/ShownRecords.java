package io.convoke.chaos.sync.rules;

import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What all reads of a run showed. A record of one entity tag is the same on every node, from the
 * cache and from the database; a known tag is answered 304; and a record tells correctly whether it
 * is stalled and whether it may be outdated. Thread-safe.
 */
public final class ShownRecords {
  /** After which the servers of a run show a sync as stalled. */
  public static final Duration STALLS = Duration.ofSeconds(6);

  /** Between the clocks of the database, a server and a caller, on a busy machine. */
  private static final Duration CLOCKS = Duration.ofSeconds(1);

  private static final int SHOWN_MAX = 5;
  private static final String AWAY = "detail=database-out-of-reach";

  private final Map<String, String> bodies = new ConcurrentHashMap<>();
  private final List<RuleViolation> findings = new ArrayList<>();

  /**
   * A response that shows a record.
   *
   * @param status 200, or 304 if the caller had it already
   * @param known the tag that the caller sent; empty without
   * @param cache the {@code Cache-Status}
   * @param state of the record, by its first letter
   */
  public record ShownRecord(
      String meeting,
      int status,
      String known,
      String tag,
      String cache,
      String body,
      char state,
      boolean stalled,
      boolean stale,
      String updatedAt,
      Instant sent,
      Instant answered) {}

  /** Judges a response. */
  public void add(ShownRecord shown) {
    problem(shown)
        .ifPresent(
            text -> {
              synchronized (findings) {
                if (findings.size() < SHOWN_MAX) {
                  findings.add(
                      ViolationKind.ILLEGAL
                          .found("%s: %s", text, shown)
                          .by(ShownRecords.class.getSimpleName()));
                }
              }
            });
  }

  private Optional<String> problem(ShownRecord shown) {
    boolean whole = shown.status() == 200;
    String key = shown.meeting() + shown.tag();
    String before = whole ? bodies.putIfAbsent(key, shown.body()) : shown.body();
    if (shown.tag().isEmpty()) {
      return Optional.of("no entity tag");
    }
    if (whole && before != null && !before.equals(shown.body())) {
      return Optional.of("another record under the same tag than " + before);
    }
    if (whole == shown.tag().equals(shown.known())) {
      return Optional.of("304 if and only if the tag is known");
    }
    if (shown.stale() != shown.cache().contains(AWAY)
        || !(shown.cache().startsWith("convoke; hit")
            || shown.cache().equals("convoke; fwd=miss"))) {
      return Optional.of("another cache status than the record tells");
    }
    boolean running = shown.state() == 'i';
    Instant stalls = running ? Instant.parse(shown.updatedAt()).plus(STALLS) : Instant.MAX;
    boolean wrong =
        shown.stalled()
            ? shown.answered().plus(CLOCKS).isBefore(stalls)
            : running && shown.sent().minus(CLOCKS).isAfter(stalls);
    return wrong ? Optional.of("stalled or not") : Optional.empty();
  }

  /** The first violations. */
  public List<RuleViolation> findings() {
    synchronized (findings) {
      return List.copyOf(findings);
    }
  }
}
