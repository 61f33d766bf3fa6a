package io.convoke.server.bots;

import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.meetings.MeetingStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds what events missed (bots-10 to bots-13): rows past their deadline, rows without a launch,
 * bots without a row. One node at a time checks the rows; every node checks its own launcher, and
 * ends the overdue bots there that the other node did not reach. One sweep fails a bounded number
 * of bots: if more are due, something else is broken, and the sweeper raises an alarm.
 */
final class BotSweeper {
  private static final Logger log = LoggerFactory.getLogger(BotSweeper.class);
  private static final int CAP_LEAST = 10;
  private static final int UNREACHED_MAX = 10_000;

  /** Bots without a live row that are ended side by side. */
  private static final int ORPHANS_AT_ONCE = 16;

  /** How long one sweep goes on to begin with further ones of them. */
  private static final Duration ORPHANS_BEGIN = Duration.ofSeconds(10);

  /** Sweeps after which a bot that the other node has not ended counts as out of its reach. */
  private static final int PASSED_OVER_AFTER = 2;

  private final BotStore store;
  private final SweepStore sweeps;
  private final BotTerminator ending;
  private final LaunchWorker launchWorker;
  private final Launcher launcher;
  private final BotsConfig terms;
  private final BotMetrics meters;
  private final BotRuleWatch rules;
  private final PlaceQueue placeQueue;
  private final String node;

  /** Overdue bots whose launcher was unreachable at the last attempt. */
  private final Set<Long> unreached = ConcurrentHashMap.newKeySet();

  /**
   * Overdue bots that the next sweep of the node that has the turn was to end, and how many sweeps
   * of this node ago that was.
   */
  private final Map<Long, Integer> passedOver = new ConcurrentHashMap<>();

  private final TestSignal<BotSweepResult> swept = new TestSignal<>();

  BotSweeper(
      BotStore store,
      SweepStore sweeps,
      BotTerminator ending,
      LaunchWorker launchWorker,
      Launcher launcher,
      BotsConfig terms,
      BotMetrics meters,
      BotRuleWatch rules,
      PlaceQueue placeQueue,
      String node) {
    this.store = store;
    this.sweeps = sweeps;
    this.ending = ending;
    this.launchWorker = launchWorker;
    this.launcher = launcher;
    this.terms = terms;
    this.meters = meters;
    this.rules = rules;
    this.placeQueue = placeQueue;
    this.node = node;
  }

  /**
   * The result of one sweep. {@code capped}: more was due than one sweep may end; {@code idle}: no
   * bot lives anywhere.
   */
  record BotSweepResult(
      boolean ours, int ended, int unreachable, boolean capped, int orphans, boolean idle) {}

  /** Runs one sweep. */
  BotSweepResult sweep() {
    Optional<List<Launcher.RunningBot>> running = listed();
    int orphans = running.map(this::orphans).orElse(0);
    Optional<SweepStore.SweepTurn> taken = sweeps.tryAcquire(node);
    if (taken.isEmpty() || !taken.get().idle()) {
      // On every node: the one that would launch a scheduled bot may be gone by then.
      launchWorker.pickUp(terms.sweepInterval().multipliedBy(2));
    }
    if (taken.isEmpty()) {
      Map<BotTerminator.TerminationResult, Integer> results =
          running.map(this::endLeft).orElse(Map.of());
      return done(
          new BotSweepResult(false, ended(results), unreachable(results), false, orphans, false));
    }
    long begun = System.nanoTime();
    SweepStore.SweepTurn sweepTurn = taken.get();
    if (sweepTurn.idle()) {
      unreached.clear();
      return done(new BotSweepResult(true, 0, 0, false, orphans, nothingRuns(running)));
    }
    boolean rulesCapped = rules.enforce(sweepTurn.upSince(), this::cap);
    placeQueue.advance(Optional.empty());
    int cap = cap(0);
    List<BotRow> due = due(sweepTurn.upSince(), cap);
    if (due.size() > cap && terms.sweepCap().isEmpty()) {
      cap = cap(due.size());
      due = due(sweepTurn.upSince(), cap);
    }
    boolean capped = due.size() > cap;
    if (capped) {
      log.error(
          "more than {} bots are overdue at once; the rest waits for the next sweeps. Can bots"
              + " reach us?",
          cap);
    }
    Map<BotTerminator.TerminationResult, Integer> results =
        end(due.subList(0, Math.min(cap, due.size())), sweepTurn.upSince());
    if (System.nanoTime() - begun > terms.sweepInterval().toNanos() / 10) {
      sweeps.ended(node);
    }
    return done(
        new BotSweepResult(
            true, ended(results), unreachable(results), capped || rulesCapped, orphans, false));
  }

  /** How many bots this sweep may end when so many are due. Counts the live ones only for many. */
  private int cap(int due) {
    int least = terms.sweepCap().orElse(CAP_LEAST);
    return due <= least || terms.sweepCap().isPresent()
        ? least
        : (int) Math.max(CAP_LEAST, sweeps.live() / 10);
  }

  /**
   * The due bots, with those that the last sweep could not reach at the end: else a permanently
   * unreachable launcher would use up the cap of every sweep and block all other bots.
   */
  private List<BotRow> due(Instant upSince, int cap) {
    List<BotRow> due =
        new ArrayList<>(sweeps.due(upSince, cap + 1 + Math.min(unreached.size(), UNREACHED_MAX)));
    due.sort(Comparator.comparing(row -> unreached.contains(row.id())));
    return due;
  }

  /**
   * Ends those of this launcher's bots that the node that has the turn has passed over, because it
   * has an engine or machine of its own. Each sweep here counts on as many further bots as one
   * sweep there may end, in the same order, so that bots that only wait for the cap are left to it:
   * servers with one engine would else end a multiple of the cap.
   */
  private Map<BotTerminator.TerminationResult, Integer> endLeft(List<Launcher.RunningBot> running) {
    Set<Long> own =
        running.stream()
            .flatMap(bot -> ContainerNames.meetingId(bot.containerName()).stream())
            .collect(Collectors.toSet());
    Optional<Instant> upSince = own.isEmpty() ? Optional.empty() : sweeps.upSince();
    if (upSince.isEmpty()) {
      return Map.of();
    }
    int cap = cap(0);
    List<BotRow> due = sweeps.due(upSince.get(), cap + Math.min(passedOver.size(), UNREACHED_MAX));
    passedOver.keySet().retainAll(due.stream().map(BotRow::id).collect(Collectors.toSet()));
    passedOver.replaceAll((_, ago) -> ago + 1);
    due.stream()
        .map(BotRow::id)
        .filter(id -> !passedOver.containsKey(id))
        .limit(cap)
        .toList()
        .forEach(id -> passedOver.put(id, 0));
    List<BotRow> left =
        due.stream()
            .filter(row -> own.contains(row.id()))
            .filter(row -> passedOver.getOrDefault(row.id(), 0) >= PASSED_OVER_AFTER)
            .sorted(Comparator.comparing(row -> unreached.contains(row.id())))
            .limit(cap)
            .toList();
    return end(left, upSince.get());
  }

  /** Each sweep, when it is done. */
  TestSignal<BotSweepResult> swept() {
    return swept;
  }

  private static int ended(Map<BotTerminator.TerminationResult, Integer> results) {
    return results.getOrDefault(BotTerminator.TerminationResult.ENDED, 0);
  }

  private static int unreachable(Map<BotTerminator.TerminationResult, Integer> results) {
    return results.getOrDefault(BotTerminator.TerminationResult.UNREACHABLE, 0);
  }

  /** Ends bots side by side, since each may take its whole grace. */
  private Map<BotTerminator.TerminationResult, Integer> end(List<BotRow> due, Instant upSince) {
    List<Thread> threads = new ArrayList<>();
    List<BotTerminator.TerminationResult> results = Collections.synchronizedList(new ArrayList<>());
    for (BotRow row : due) {
      threads.add(
          Thread.ofVirtual()
              .name("end-" + row.id())
              .start(
                  () -> {
                    try {
                      BotTerminator.TerminationResult terminationResult =
                          ending.end(row, "sweeper", Optional.of(upSince));
                      results.add(terminationResult);
                      if (terminationResult == BotTerminator.TerminationResult.UNREACHABLE) {
                        unreached.add(row.id());
                      } else {
                        unreached.remove(row.id());
                      }
                    } catch (RuntimeException e) {
                      log.warn("meeting {} could not be ended now", row.id(), e);
                    }
                  }));
    }
    threads.forEach(BotSweeper::join);
    Map<BotTerminator.TerminationResult, Integer> counts = new HashMap<>();
    for (BotTerminator.TerminationResult terminationResult : List.copyOf(results)) {
      counts.merge(terminationResult, 1, Integer::sum);
    }
    return counts;
  }

  /**
   * Stores handles that a crash kept from being stored, unless the launch has to be repeated, and
   * ends bots whose row is terminal, replaced or deleted, or has another bot.
   */
  private int orphans(List<Launcher.RunningBot> bots) {
    Map<Long, Launcher.RunningBot> running = new HashMap<>();
    for (Launcher.RunningBot bot : bots) {
      ContainerNames.meetingId(bot.containerName()).ifPresent(id -> running.put(id, bot));
    }
    Map<Long, BotRow> rows = new HashMap<>();
    store.all(List.copyOf(running.keySet())).forEach(row -> rows.put(row.id(), row));
    spokenFor(rows, running);
    Instant settled = running.isEmpty() ? Instant.EPOCH : store.now().minus(terms.killGrace());
    List<Runnable> ends = new ArrayList<>();
    for (Map.Entry<Long, Launcher.RunningBot> entry : running.entrySet()) {
      Optional<BotRow> row = Optional.ofNullable(rows.get(entry.getKey()));
      Launcher.RunningBot bot = entry.getValue();
      if (row.isPresent() && row.get().containerName().equals(bot.containerName())) {
        if (ending.isSecond(row.get(), bot.handle())) {
          ends.add(() -> ending.killSecond(bot.handle(), bot.containerName()));
        } else if (over(row.get(), settled)) {
          ends.add(() -> ending.endOrphan(bot.handle(), bot.containerName()));
        } else if (row.get().handle().isEmpty() && !bot.unfinished()) {
          var _ = store.launched(row.get(), bot.handle());
        }
      } else {
        ends.add(() -> ending.endOrphan(bot.handle(), bot.containerName()));
      }
    }
    return sideBySide(ends);
  }

  /**
   * Ends bots without a live row; returns how many. Each may take its whole grace, and after a host
   * was away, or a backup restored, there are many: those that have not begun in time are left to
   * the next sweep. The order is random, so that bots that cannot be ended hold up no others.
   */
  private static int sideBySide(List<Runnable> ends) {
    long begun = System.nanoTime();
    Collections.shuffle(ends);
    AtomicInteger ended = new AtomicInteger();
    try (ExecutorService some =
        Executors.newFixedThreadPool(
            ORPHANS_AT_ONCE, Thread.ofVirtual().name("end-orphan-", 0).factory())) {
      for (Runnable end : ends) {
        some.execute(
            () -> {
              if (System.nanoTime() - begun > ORPHANS_BEGIN.toNanos()) {
                return;
              }
              try {
                end.run();
                int _ = ended.incrementAndGet();
              } catch (RuntimeException e) {
                log.warn("a bot without a live row could not be ended now", e);
              }
            });
      }
    }
    return ended.get();
  }

  /**
   * Records a heartbeat for running bots of protocols without heartbeats, and {@code started} for
   * one whose first call was lost.
   */
  private void spokenFor(Map<Long, BotRow> rows, Map<Long, Launcher.RunningBot> running) {
    List<BotRow> seen =
        running.entrySet().stream()
            .flatMap(
                entry ->
                    Optional.ofNullable(rows.get(entry.getKey())).stream()
                        .filter(row -> row.containerName().equals(entry.getValue().containerName()))
                        .filter(row -> !ending.isSecond(row, entry.getValue().handle())))
            .filter(row -> row.protocol() == BotProtocol.VEXA && !row.status().terminal())
            .toList();
    seen.stream()
        .filter(row -> row.status() == MeetingStatus.RESERVED && row.handle().isPresent())
        .filter(row -> !row.stopRequested())
        .forEach(ending::startedUnheard);
    int _ = store.seenRunning(seen.stream().map(BotRow::connectionId).toList());
  }

  /** The running bots; empty when the launcher is unreachable. */
  private Optional<List<Launcher.RunningBot>> listed() {
    try {
      return Optional.of(launcher.list());
    } catch (LauncherUnavailable e) {
      log.warn("orphan scan skipped: {}", e.getMessage());
      return Optional.empty();
    }
  }

  /** An unreachable launcher may run orphaned bots. */
  private static boolean nothingRuns(Optional<List<Launcher.RunningBot>> running) {
    return running.filter(List::isEmpty).isPresent();
  }

  /** A bot whose row has just ended may still be on its way out. */
  private static boolean over(BotRow row, Instant settled) {
    return row.status().terminal()
        && row.meeting().endTime().filter(end -> end.isBefore(settled)).isPresent();
  }

  private BotSweepResult done(BotSweepResult result) {
    meters.swept(result);
    swept.emit(result);
    return result;
  }

  private static void join(Thread thread) {
    try {
      boolean _ = thread.join(Duration.ofMinutes(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
