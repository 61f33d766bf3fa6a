package io.convoke.lab.chaos.sync.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What sync status promises, checked on one meeting's history:
 *
 * <ul>
 *   <li>the journal is whole and holds every accepted update once; reads show what was written; an
 *       update takes no place before one that had ended, or after it was seen;
 *   <li>one node's answers never go back to an older version;
 *   <li>no read is older than the TTL;
 *   <li>while both stores answer, all nodes show an update within {@link #AGREE_MAX};
 *   <li>while Redis is away, reads are exact.
 * </ul>
 *
 * A read is late by the time from when any caller knew of a newer version to when the read began. A
 * read that is marked as stale may be late; by how much is measured.
 */
public final class SyncChecker {
  /** Within this all nodes show an update, while both stores answer. */
  private static final long AGREE_MAX = 2_000_000_000L;

  /** A server that hangs may store what it read this long before. */
  private static final long PAUSE_MAX = 3_000_000_000L;

  private static final int SHOWN_MAX = 5;

  private final MeetingHistory history;
  private final Outages outages;
  private final Map<Integer, long[]> nodes = new HashMap<>();
  private final List<Finding> findings = new ArrayList<>();
  private final EnumMap<Kind, Integer> shown = new EnumMap<>(Kind.class);
  private final Map<Long, Entry> byVersion = new HashMap<>();
  private final Map<Long, Long> versionOf = new HashMap<>();
  private long last;
  private long operations;
  private long markedReads;
  private int wrong;

  private SyncChecker(MeetingHistory history, Outages outages) {
    this.history = history;
    this.outages = outages;
  }

  /**
   * What was found.
   *
   * @param operations calls that were looked at
   * @param markedReads those that said that they were stale
   * @param regressions reads older than what their node had shown, and updates out of order
   * @param wrong reads that showed what was not so
   * @param staleNanos by how much an unmarked read was late at most
   * @param markedNanos the same of reads that said so
   */
  public record Result(
      List<Finding> findings,
      long operations,
      long markedReads,
      int regressions,
      int wrong,
      long staleNanos,
      long markedNanos) {}

  /** Checks one meeting. */
  public static Result check(MeetingHistory history, Outages outages) {
    return new SyncChecker(history, outages).check();
  }

  private Result check() {
    journal();
    long[] known = knownSince();
    int regressions = 0;
    long stale = 0;
    long marked = 0;
    for (Op op : history.ops()) {
      long place = place(op);
      if (place < 0) {
        continue;
      }
      int newer = (int) (op.kind() == Op.Kind.WRITE ? place : place + 1);
      long late = op.start() - known[newer];
      if (late <= 0) {
        continue;
      }
      switch (op.kind()) {
        case STALE_READ -> marked = Math.max(marked, late);
        case WRITE -> {
          regressions++;
          found(Kind.SEQUENCE, text(op, place, late, "was known before"));
        }
        case READ -> {
          stale = Math.max(stale, late);
          if (op.start() > Objects.requireNonNull(nodes.get(op.node()))[newer]) {
            regressions++;
            found(Kind.SEQUENCE, text(op, place, late, "this node had shown a newer one"));
          }
          reasonTooLate(op, known[newer], late)
              .ifPresent(reason -> found(Kind.LATE, text(op, place, late, reason)));
        }
      }
    }
    return new Result(
        List.copyOf(findings), operations, markedReads, regressions, wrong, stale, marked);
  }

  private Optional<String> reasonTooLate(Op op, long known, long late) {
    long quiet = outages.quietSince(op.start());
    if (late > outages.ttlNanos() + PAUSE_MAX) {
      return Optional.of("older than the TTL");
    }
    if (outages.redisAway(op)) {
      return Optional.of("while Redis was away");
    }
    return quiet != Long.MAX_VALUE && op.start() - Math.max(known, quiet) > AGREE_MAX
        ? Optional.of("while both stores answered")
        : Optional.empty();
  }

  private static String text(Op op, long place, long late, String why) {
    return "%s of version %d on node %d, %.1f ms late: %s"
        .formatted(op.kind(), place, op.node(), late / 1e6, why);
  }

  /** Whole, each update once, attempts counted. */
  private void journal() {
    long attempts = 0;
    char status = 'n';
    for (Entry entry : history.journal()) {
      last++;
      if (entry.version() != last) {
        found(Kind.GAP, "the journal has version " + entry.version() + " in the place of " + last);
      }
      if (versionOf.putIfAbsent(entry.id(), entry.version()) != null) {
        found(Kind.DUPLICATED, "update " + entry.id() + " was applied twice");
      }
      byVersion.put(entry.version(), entry);
      boolean ended = status == 's' || status == 'f';
      if (status == 'n' || (ended && entry.status() == 'i')) {
        attempts++;
      }
      if (entry.attempts() != attempts) {
        found(
            Kind.COUNT,
            "version %d counts %d attempts, there were %d"
                .formatted(entry.version(), entry.attempts(), attempts));
      }
      if (entry.from() != status) {
        found(Kind.ILLEGAL, "version " + entry.version() + " does not begin where the last ended");
      }
      status = entry.status();
    }
  }

  /** What a call says is what the journal says. */
  private void content(Op op) {
    if (op.kind() == Op.Kind.WRITE) {
      update(op);
      return;
    }
    Entry shown = byVersion.get(op.version());
    boolean right =
        op.version() == 0
            ? op.id() <= 0
            : shown != null
                && (op.id() < 0 || (shown.id() == op.id() && shown.status() == op.status()));
    if (!right) {
      wrong++;
      found(
          Kind.INVENTED,
          "a read showed version %d of update %d as '%s'; the journal has %s"
              .formatted(op.version(), op.id(), op.status(), shown));
    }
  }

  /** An accepted update is there, as the version that was answered. */
  private void update(Op op) {
    if (!op.answered()) {
      return;
    }
    Long applied = versionOf.get(op.id());
    if (applied == null) {
      wrong++;
      found(Kind.LOST, "update " + op.id() + " was accepted and is not in the journal");
    } else if (op.version() >= 0 && op.version() != applied) {
      wrong++;
      found(
          Kind.LOST,
          "update %d was answered as version %d and is version %d"
              .formatted(op.id(), op.version(), applied));
    }
  }

  /** The version that a call belongs to; -1 if it has none. */
  private long place(Op op) {
    long place = op.kind() == Op.Kind.WRITE ? versionOf.getOrDefault(op.id(), -1L) : op.version();
    return place <= last ? place : -1;
  }

  /**
   * By version: since when any caller knew of it or of a later one, and the same for each node.
   * Checks the content of each call on the way.
   */
  private long[] knownSince() {
    long[] known = unknown();
    for (Op op : history.ops()) {
      operations++;
      markedReads += op.kind() == Op.Kind.STALE_READ ? 1 : 0;
      content(op);
      long place = place(op);
      if (place >= 0 && op.answered()) {
        long[] node = nodes.computeIfAbsent(op.node(), _ -> unknown());
        known[(int) place] = Math.min(known[(int) place], op.end());
        node[(int) place] = Math.min(node[(int) place], op.end());
      }
    }
    nodes.values().forEach(SyncChecker::orLater);
    return orLater(known);
  }

  private long[] unknown() {
    long[] since = new long[(int) last + 2];
    Arrays.fill(since, Long.MAX_VALUE);
    return since;
  }

  private static long[] orLater(long[] since) {
    for (int i = since.length - 2; i >= 0; i--) {
      since[i] = Math.min(since[i], since[i + 1]);
    }
    return since;
  }

  /** The first few of a kind say enough. */
  private void found(Kind kind, String text) {
    if (Objects.requireNonNull(shown.merge(kind, 1, Integer::sum)) <= SHOWN_MAX) {
      findings.add(new Finding(kind, "meeting " + history.meeting() + ": " + text));
    }
  }
}
