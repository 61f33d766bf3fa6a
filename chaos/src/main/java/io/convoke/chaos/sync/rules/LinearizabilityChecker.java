package io.convoke.chaos.sync.rules;

import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
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
 *   <li>while Redis is away, reads are exact, and while Postgres is, they are marked as stale.
 * </ul>
 *
 * A read is late by the time from when any caller knew of a newer version, or it was committed, to
 * when the read began. A read that is marked as stale may be late; by how much is measured.
 */
public final class LinearizabilityChecker {
  /** Time within which all nodes show an update, while both stores respond. */
  private static final long AGREE_MAX = 2_000_000_000L;

  /** A suspended server may cache what it read this long before. */
  private static final long PAUSE_MAX = 3_000_000_000L;

  private static final int SHOWN_MAX = 5;

  private final MeetingHistory history;
  private final Outages outages;
  private final Map<Integer, long[]> nodes = new HashMap<>();
  private final List<RuleViolation> findings = new ArrayList<>();
  private final EnumMap<ViolationKind, Integer> shown = new EnumMap<>(ViolationKind.class);
  private final Map<Long, AppliedUpdate> byVersion = new HashMap<>();
  private final Map<Long, AppliedUpdate> byId = new HashMap<>();
  private long last;
  private long operations;
  private long markedReads;
  private int wrong;

  private LinearizabilityChecker(MeetingHistory history, Outages outages) {
    this.history = history;
    this.outages = outages;
  }

  /**
   * Result of a check.
   *
   * @param operations checked calls
   * @param markedReads reads marked as stale
   * @param regressions reads older than what their node had shown, and updates out of order
   * @param wrong reads with wrong content
   * @param staleNanos maximum lateness of an unmarked read
   * @param markedNanos maximum lateness of a marked read
   */
  public record CheckResult(
      List<RuleViolation> findings,
      long operations,
      long markedReads,
      int regressions,
      int wrong,
      long staleNanos,
      long markedNanos) {}

  /** Checks one meeting. */
  public static CheckResult check(MeetingHistory history, Outages outages) {
    return new LinearizabilityChecker(history, outages).check();
  }

  private CheckResult check() {
    journal();
    long[] known = knownSince();
    int regressions = 0;
    long stale = 0;
    long marked = 0;
    for (SyncCall syncCall : history.ops()) {
      if (syncCall.kind() == SyncCall.SyncCallKind.STALE_READ && outages.noFault(syncCall)) {
        found(ViolationKind.ILLEGAL, "a read was marked as stale while both stores answered");
      }
      if (syncCall.kind() == SyncCall.SyncCallKind.READ && outages.postgresAway(syncCall)) {
        found(ViolationKind.ILLEGAL, "a read was not marked as stale while Postgres was away");
      }
      long place = place(syncCall);
      if (place < 0) {
        continue;
      }
      int newer = (int) (syncCall.kind() == SyncCall.SyncCallKind.WRITE ? place : place + 1);
      long late = syncCall.start() - known[newer];
      if (late <= 0) {
        continue;
      }
      switch (syncCall.kind()) {
        case STALE_READ -> marked = Math.max(marked, late);
        case WRITE -> {
          regressions++;
          found(ViolationKind.SEQUENCE, text(syncCall, place, late, "was known before"));
        }
        case READ -> {
          stale = Math.max(stale, late);
          if (syncCall.start() > Objects.requireNonNull(nodes.get(syncCall.node()))[newer]) {
            regressions++;
            found(
                ViolationKind.SEQUENCE,
                text(syncCall, place, late, "this node had returned a newer one"));
          }
          reasonTooLate(syncCall, known[newer], late)
              .ifPresent(reason -> found(ViolationKind.LATE, text(syncCall, place, late, reason)));
        }
      }
    }
    return new CheckResult(
        List.copyOf(findings), operations, markedReads, regressions, wrong, stale, marked);
  }

  private Optional<String> reasonTooLate(SyncCall syncCall, long known, long late) {
    long quiet = outages.quietSince(syncCall.start());
    if (late > outages.ttlNanos() + PAUSE_MAX) {
      return Optional.of("older than the TTL");
    }
    if (outages.redisAway(syncCall)) {
      return Optional.of("while Redis was down");
    }
    return quiet != Long.MAX_VALUE && syncCall.start() - Math.max(known, quiet) > AGREE_MAX
        ? Optional.of("while both stores answered")
        : Optional.empty();
  }

  private static String text(SyncCall syncCall, long place, long late, String why) {
    return "%s of version %d on node %d, %.1f ms late: %s"
        .formatted(syncCall.kind(), place, syncCall.node(), late / 1e6, why);
  }

  /** The journal is complete, has each update once, and counts attempts correctly. */
  private void journal() {
    long attempts = 0;
    char status = 'n';
    for (AppliedUpdate update : history.journal()) {
      last++;
      if (update.version() != last) {
        found(
            ViolationKind.GAP,
            "the journal has version " + update.version() + " in the place of " + last);
      }
      if (byId.putIfAbsent(update.id(), update) != null) {
        found(ViolationKind.DUPLICATED, "update " + update.id() + " was applied twice");
      }
      byVersion.put(update.version(), update);
      boolean ended = status == 's' || status == 'f';
      if (status == 'n' || (ended && update.status() == 'i')) {
        attempts++;
      }
      if (update.attempts() != attempts) {
        found(
            ViolationKind.COUNT,
            "version %d counts %d attempts, there were %d"
                .formatted(update.version(), update.attempts(), attempts));
      }
      if (update.from() != status) {
        found(
            ViolationKind.ILLEGAL,
            "version " + update.version() + " does not begin where the last ended");
      }
      status = update.status();
    }
  }

  /** The content of a call matches the journal. */
  private void content(SyncCall syncCall) {
    if (syncCall.kind() == SyncCall.SyncCallKind.WRITE) {
      update(syncCall);
      return;
    }
    AppliedUpdate shown = byVersion.get(syncCall.version());
    boolean right =
        syncCall.version() == 0
            ? syncCall.id() <= 0
            : shown != null
                && (syncCall.id() < 0
                    || (shown.id() == syncCall.id()
                        && shown.status() == syncCall.status()
                        && same(shown.detail(), syncCall.detail())));
    if (!right) {
      wrong++;
      found(
          ViolationKind.INVENTED,
          "a read returned version %d of update %d as '%s'; the journal has %s"
              .formatted(syncCall.version(), syncCall.id(), syncCall.status(), shown));
    }
  }

  /** Whether a response shows the record that the journal has; without details it may. */
  private static boolean same(SyncCall.SyncDetail written, SyncCall.SyncDetail shown) {
    return written.equals(SyncCall.SyncDetail.NONE)
        || shown.equals(SyncCall.SyncDetail.NONE)
        || written.equals(shown);
  }

  /** Whether the journal has what the caller sent, at a time during its call. */
  private boolean sameStep(AppliedUpdate applied, SyncCall call) {
    return applied.detail().equals(SyncCall.SyncDetail.NONE)
        || (applied.detail().step().equals(call.detail().step())
            && outages.during(call, applied.detail().updatedAt()));
  }

  /** An accepted update is in the journal, with the version of its response. */
  private void update(SyncCall syncCall) {
    if (!syncCall.answered()) {
      return;
    }
    AppliedUpdate applied = byId.get(syncCall.id());
    if (applied == null) {
      wrong++;
      found(
          ViolationKind.LOST,
          "update " + syncCall.id() + " was accepted and is not in the journal");
    } else if (!sameStep(applied, syncCall)) {
      wrong++;
      found(
          ViolationKind.INVENTED,
          "update %d of step %s is in the journal as %s"
              .formatted(syncCall.id(), syncCall.detail().step(), applied));
    } else if (syncCall.version() >= 0 && syncCall.version() != applied.version()) {
      wrong++;
      found(
          ViolationKind.LOST,
          "update %d was answered as version %d and is version %d"
              .formatted(syncCall.id(), syncCall.version(), applied.version()));
    }
  }

  /** The version of a call; -1 if it has none. */
  private long place(SyncCall syncCall) {
    long place =
        syncCall.kind() == SyncCall.SyncCallKind.WRITE
            ? Optional.ofNullable(byId.get(syncCall.id())).map(AppliedUpdate::version).orElse(-1L)
            : syncCall.version();
    return place <= last ? place : -1;
  }

  /**
   * By version: since when any caller, and each node, knew of it or of a later one. Also checks the
   * content of each call.
   */
  private long[] knownSince() {
    long[] known = unknown();
    // An update of a writer that died before its answer is known from its commit on.
    byVersion.forEach(
        (version, update) -> {
          if (version <= last) {
            outages
                .committed(update.detail().updatedAt())
                .ifPresent(at -> known[version.intValue()] = at);
          }
        });
    for (SyncCall syncCall : history.ops()) {
      operations++;
      markedReads += syncCall.kind() == SyncCall.SyncCallKind.STALE_READ ? 1 : 0;
      content(syncCall);
      long place = place(syncCall);
      if (place >= 0 && syncCall.answered()) {
        long[] node = nodes.computeIfAbsent(syncCall.node(), _ -> unknown());
        known[(int) place] = Math.min(known[(int) place], syncCall.end());
        node[(int) place] = Math.min(node[(int) place], syncCall.end());
      }
    }
    nodes.values().forEach(LinearizabilityChecker::orLater);
    return orLater(known);
  }

  private long[] unknown() {
    long[] since = new long[(int) last + 2];
    Arrays.fill(since, Long.MAX_VALUE);
    return since;
  }

  private static long[] orLater(long[] since) {
    for (int i = since.length - 1; i > 0; i--) {
      since[i - 1] = Math.min(since[i - 1], since[i]);
    }
    return since;
  }

  /** Reports only the first few of a kind. */
  private void found(ViolationKind kind, String text) {
    if (Objects.requireNonNull(shown.merge(kind, 1, Integer::sum)) <= SHOWN_MAX) {
      findings.add(
          new RuleViolation(
              kind,
              "meeting " + history.meeting() + ": " + text,
              LinearizabilityChecker.class.getSimpleName()));
    }
  }
}
