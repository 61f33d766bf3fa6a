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

/**
 * Whether a meeting's history is linearizable: whether every update and every read can be given one
 * moment between its beginning and its end so that each read shows the last update before it.
 *
 * <p>In general that is a search; here it is not, because the journal says in which order the
 * updates were applied. An update has the place of its version, a read the place right after the
 * version it showed. What is left to check: the journal is whole and holds every accepted update
 * once, reads show what was written, and no call that began after another one had ended has an
 * earlier place. Updates that nobody answered may be anywhere after their beginning, or nowhere.
 *
 * <p>A read that says of itself that it is stale may show an older update; how much older is what
 * {@link Result#markedNanos} measures. It may not show what nobody wrote, nor what was not begun
 * yet.
 *
 * <p>The calls are gone through twice, one after the other, and the journal is held: time and
 * memory are linear in what happened, and what is held is a small part of it.
 */
public final class SyncChecker {
  private static final int SHOWN_MAX = 5;

  private final MeetingHistory history;
  private final List<Finding> findings = new ArrayList<>();
  private final EnumMap<Kind, Integer> shown = new EnumMap<>(Kind.class);
  private final Map<Long, Entry> byVersion = new HashMap<>();
  private final Map<Long, Long> versionOf = new HashMap<>();
  private long last;
  private long operations;
  private long markedReads;
  private int wrong;

  private SyncChecker(MeetingHistory history) {
    this.history = history;
  }

  /**
   * What was found.
   *
   * @param operations calls that were looked at
   * @param markedReads those that said that they were stale
   * @param regressions calls that saw or made something older than what was known before they began
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
  public static Result check(MeetingHistory history) {
    return new SyncChecker(history).check();
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
      // Nobody may have seen an update before it began, or something newer than a read shows.
      long newer = op.kind() == Op.Kind.WRITE ? place : place + 1;
      long late = op.start() - known[(int) newer];
      if (late > 0 && op.kind() == Op.Kind.STALE_READ) {
        marked = Math.max(marked, late);
      } else if (late > 0) {
        stale = Math.max(stale, late);
        regressions++;
        found(
            Kind.SEQUENCE,
            "%s of version %d began %.1f ms after something newer was known"
                .formatted(op.kind(), place, late / 1e6));
      }
    }
    return new Result(
        List.copyOf(findings), operations, markedReads, regressions, wrong, stale, marked);
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
   * By version: since when somebody had been told of it or of a later one. Looks at what each call
   * says on the way.
   */
  private long[] knownSince() {
    long[] known = new long[(int) last + 2];
    Arrays.fill(known, Long.MAX_VALUE);
    for (Op op : history.ops()) {
      operations++;
      markedReads += op.kind() == Op.Kind.STALE_READ ? 1 : 0;
      content(op);
      long place = place(op);
      if (place >= 0 && op.answered()) {
        known[(int) place] = Math.min(known[(int) place], op.end());
      }
    }
    for (int i = (int) last; i >= 0; i--) {
      known[i] = Math.min(known[i], known[i + 1]);
    }
    return known;
  }

  /** The first few of a kind say enough. */
  private void found(Kind kind, String text) {
    if (Objects.requireNonNull(shown.merge(kind, 1, Integer::sum)) <= SHOWN_MAX) {
      findings.add(new Finding(kind, "meeting " + history.meeting() + ": " + text));
    }
  }
}
