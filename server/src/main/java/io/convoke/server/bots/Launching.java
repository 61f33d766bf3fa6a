package io.convoke.server.bots;

import io.convoke.agent.BotConfig;
import io.convoke.engine.signal.Signal;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.server.bots.BotStore.Claim;
import io.convoke.server.bots.BotTransitions.Guard;
import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.meetings.MeetingStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes bots out of reserved rows. The row is the order: a wake after the commit makes it quick,
 * and {@link #pickUp} finds what no wake came for, so a crash between the commit and the launch
 * costs time and nothing else. A launch is claimed with a lease, made under one container name per
 * attempt, and noted by its handle.
 */
final class Launching implements AutoCloseable {
  /** Longer than any launch takes; after it another node may try. */
  static final Duration LEASE = Duration.ofSeconds(30);

  private static final Logger log = LoggerFactory.getLogger(Launching.class);
  private static final int AT_ONCE = 8;
  private static final int PICKED_UP_MAX = 500;

  private final BotStore store;
  private final BotTransitions transitions;
  private final Admission admission;
  private final BotEnding ending;
  private final Launcher launcher;
  private final BotTokens tokens;
  private final Secrets secrets;
  private final MeetingUrls urls;
  private final BotTerms terms;
  private final String node;
  private final BotMeters meters;
  private final LaunchPace pace;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Semaphore permits = new Semaphore(AT_ONCE);
  private final Set<Long> underWay = ConcurrentHashMap.newKeySet();
  private final Signal<Long> handled = new Signal<>();

  Launching(
      BotStore store,
      BotTransitions transitions,
      Admission admission,
      BotEnding ending,
      Launcher launcher,
      BotTokens tokens,
      Secrets secrets,
      MeetingUrls urls,
      BotTerms terms,
      BotMeters meters,
      String node) {
    this.store = store;
    this.transitions = transitions;
    this.admission = admission;
    this.ending = ending;
    this.launcher = launcher;
    this.tokens = tokens;
    this.secrets = secrets;
    this.urls = urls;
    this.terms = terms;
    this.node = node;
    this.meters = meters;
    this.pace = new LaunchPace(terms.launchRate());
  }

  /**
   * Looks at one row soon, on a thread of its own; a row that this node is at already is not looked
   * at twice.
   */
  void wake(long meetingId) {
    if (underWay.add(meetingId)) {
      var _ = Thread.ofVirtual().name("launch-" + meetingId).start(() -> handle(meetingId));
    }
  }

  /** Wakes every row that waits for its launch, or will within the given time. */
  void pickUp(Duration ahead) {
    for (BotStore.Waiting waiting : store.waiting(ahead, PICKED_UP_MAX)) {
      Duration until = Duration.between(waiting.now(), waiting.due());
      if (until.isPositive()) {
        wakeLater(waiting.meetingId(), until);
      } else {
        wake(waiting.meetingId());
      }
    }
  }

  /** Each row that was looked at, when that is done. */
  Signal<Long> handled() {
    return handled;
  }

  /** Begins no further launch; rows that wait are picked up by whoever starts next. */
  @Override
  public void close() {
    closing.countDown();
  }

  /** Waits; true once this node is closing. */
  private boolean closed(Duration wait) {
    try {
      return closing.await(wait.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private void wakeLater(long meetingId, Duration until) {
    if (underWay.add(meetingId)) {
      var _ =
          Thread.ofVirtual()
              .name("launch-" + meetingId)
              .start(
                  () -> {
                    if (!closed(until.plusMillis(5))) {
                      handle(meetingId);
                    }
                  });
    }
  }

  private void handle(long meetingId) {
    boolean permitted = false;
    Optional<Duration> later = Optional.empty();
    try {
      permits.acquire();
      permitted = true;
      Optional<Claim> claim = claim(meetingId);
      if (claim.isPresent()) {
        carryOut(claim.get());
      } else {
        later = dueSoon(meetingId);
      }
    } catch (StoreUnavailable e) {
      log.warn("meeting {} is not launched now: {}", meetingId, e.getMessage());
    } catch (LauncherUnavailable e) {
      meters.launch("unavailable");
      // Nothing is known of a bot now. The lease runs out, and the next sweep tries again.
      log.warn("meeting {} is not launched now: {}", meetingId, e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      log.error("launching meeting {} failed, it will be tried again", meetingId, e);
    } finally {
      if (permitted) {
        permits.release();
      }
      underWay.remove(meetingId);
      handled.emit(meetingId);
      later.ifPresent(wait -> wakeLater(meetingId, wait));
    }
  }

  /** When a scheduled row is due, if that is before the sweeps can be relied on to find it. */
  private Optional<Duration> dueSoon(long meetingId) {
    return store
        .find(meetingId)
        .filter(row -> row.status() == MeetingStatus.RESERVED && row.handle().isEmpty())
        .flatMap(BotRow::startAt)
        .map(at -> Duration.between(store.now(), at))
        .filter(wait -> wait.isPositive())
        .filter(wait -> wait.compareTo(terms.sweepInterval().multipliedBy(2)) < 0);
  }

  private Optional<Claim> claim(long meetingId) {
    return store
        .database()
        .transaction(
            tx -> {
              Optional<Claim> claim = BotStore.claimLaunch(tx, meetingId, node, LEASE);
              if (claim.isEmpty()) {
                return claim;
              }
              BotRow row = claim.get().row();
              boolean late = row.startAt().isPresent() && !row.stopRequested();
              if (late && !admission.dispatchable(tx, row)) {
                var _ =
                    transitions.apply(
                        tx,
                        row.id(),
                        Guard.launchOf(row),
                        new BotEvent.LaunchFailed("bot_limit_reached"),
                        "launcher");
                tx.afterCommit(() -> meters.launch("refused"));
                return Optional.empty();
              }
              return claim;
            });
  }

  private void carryOut(Claim claim) {
    BotRow row = claim.row();
    if (row.stopRequested()) {
      cancel(claim);
      return;
    }
    if (closed(pace.take())) {
      return;
    }
    try {
      String handle = launcher.launch(spec(row));
      meters.launch("launched");
      store.launched(row, handle).ifPresent(this::afterLaunch);
    } catch (LaunchException e) {
      meters.launch("failed");
      log.atWarn().addKeyValue("meeting", row.id()).log("launch failed: {}", e.getMessage());
      var _ =
          transitions.apply(
              row.id(), Guard.launchOf(row), new BotEvent.LaunchFailed("start_failed"), "launcher");
    }
  }

  /**
   * Ends a row whose stop came before its launch; a bot of an interrupted launch is ended with it.
   */
  private void cancel(Claim claim) {
    BotRow row = claim.row();
    Optional<Launcher.Running> running =
        claim.tries() == 1
            ? Optional.empty()
            : launcher.list().stream()
                .filter(bot -> bot.containerName().equals(row.containerName()))
                .findFirst();
    if (running.isPresent()) {
      store.launched(row, running.get().handle()).ifPresent(this::afterLaunch);
    } else {
      meters.launch("cancelled");
      var _ =
          transitions.apply(row.id(), Guard.launchOf(row), new BotEvent.Cancelled(), "launcher");
    }
  }

  /** What may have happened while the launch was under way: a stop, or the end of the row. */
  private void afterLaunch(BotRow row) {
    if (row.status().terminal()) {
      row.handle()
          .filter(handle -> launcher.probe(handle) instanceof Launcher.Probe.Alive)
          .ifPresent(handle -> ending.endOrphan(handle, row.containerName()));
    } else if (row.stopRequested()) {
      ending.stopBooting(row);
    }
  }

  private LaunchSpec spec(BotRow row) {
    BotWish wish = row.wish();
    String platform = row.meeting().platform();
    String nativeId = row.meeting().platformSpecificId();
    BotConfig config =
        new BotConfig(
            row.id(),
            row.connectionId(),
            row.attempt(),
            platform,
            nativeId,
            wish.meetingUrl().or(() -> urls.of(platform, nativeId)),
            wish.passcode().map(secrets::open),
            wish.botName().orElse("Convoke"),
            wish.language(),
            wish.task().orElse("transcribe"),
            tokens.of(row),
            terms.callbackUrl(),
            terms.redisUrl(),
            row.containerName(),
            terms.heartbeatInterval(),
            wish.leaveRules());
    return new LaunchSpec(
        row.id(), row.attempt(), row.connectionId(), row.containerName(), config.json());
  }
}
