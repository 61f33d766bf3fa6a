package io.convoke.server.bots;

import io.convoke.agent.BotConfig;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.bots.BotStore.LaunchClaim;
import io.convoke.server.bots.BotTransitions.TransitionGuard;
import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.meetings.AllowedMeetingHosts;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.RoomAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Launches bots for reserved rows. The row is the queue entry: a wake-up after the commit makes the
 * launch quick, and {@link #pickUp} finds rows whose wake-up was lost, so a crash between the
 * commit and the launch only delays it. A launch is claimed with a {@link LaunchLease}, made under
 * one container name per attempt, and stored as its handle.
 */
final class LaunchWorker implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LaunchWorker.class);
  private static final int AT_ONCE = 8;
  private static final String QUEUE_TIMEOUT = "queue_timeout";
  private static final int PICKED_UP_MAX = 500;

  private final BotStore store;
  private final BotTransitions transitions;
  private final AdmissionControl admissionControl;
  private final BotTerminator ending;
  private final Launcher launcher;
  private final BotTokens tokens;
  private final Sealer sealer;
  private final MeetingUrlResolver urls;
  private final AllowedMeetingHosts hosts;
  private final BotsConfig terms;

  /** What every bot finds in its environment besides its configuration. */
  private final Map<String, String> environment;

  private final BotDeadlines botDeadlines;
  private final String node;
  private final BotMetrics meters;
  private final LaunchRateLimiter pace;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Semaphore permits = new Semaphore(AT_ONCE);
  private final LaunchQueue wakes = new LaunchQueue(this::handle);
  private final TestSignal<Long> handled = new TestSignal<>();

  /** The platform does not tell now where the meeting is. */
  private static final class AddressUnknown extends RuntimeException {
    private AddressUnknown(PlatformError outage) {
      super("its platform does not tell its address: " + outage.cause());
    }
  }

  LaunchWorker(
      BotStore store,
      BotTransitions transitions,
      AdmissionControl admissionControl,
      BotTerminator ending,
      Launcher launcher,
      BotTokens tokens,
      Sealer sealer,
      MeetingUrlResolver urls,
      AllowedMeetingHosts hosts,
      BotsConfig terms,
      BotMetrics meters,
      String node) {
    this.store = store;
    this.transitions = transitions;
    this.admissionControl = admissionControl;
    this.ending = ending;
    this.launcher = launcher;
    this.tokens = tokens;
    this.sealer = sealer;
    this.urls = urls;
    this.hosts = hosts;
    this.terms = terms;
    Map<String, String> variables = new HashMap<>(terms.environment());
    variables.putAll(terms.vexa().environment(terms.rules()));
    this.environment = Map.copyOf(variables);
    this.botDeadlines = new BotDeadlines(terms);
    this.node = node;
    this.meters = meters;
    this.pace = new LaunchRateLimiter(terms.launchRate());
  }

  /** Queues one row. */
  void wake(long meetingId) {
    wakes.wake(meetingId);
  }

  /** Wakes every row that waits for its launch, or will within the given time. */
  void pickUp(Duration ahead) {
    for (BotStore.WaitingLaunch waitingLaunch : store.waiting(ahead, PICKED_UP_MAX)) {
      wakes.wakeIn(
          waitingLaunch.meetingId(), Duration.between(waitingLaunch.now(), waitingLaunch.due()));
    }
  }

  /** Signals each row after its check. */
  TestSignal<Long> handled() {
    return handled;
  }

  /** Starts no further launch; the next server that starts picks up waiting rows. */
  @Override
  public void close() {
    closing.countDown();
    wakes.close();
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

  /** Launches due rows, and returns when to check again. */
  private Optional<Duration> handle(long meetingId) {
    boolean permitted = false;
    try {
      permits.acquire();
      permitted = true;
      Optional<LaunchClaim> claim = claim(meetingId);
      if (claim.isEmpty()) {
        return dueSoon(meetingId);
      }
      carryOut(claim.get());
    } catch (StoreUnavailable e) {
      log.warn("meeting {} is not launched now: {}", meetingId, e.getMessage());
    } catch (LauncherUnavailable e) {
      meters.launch("unavailable");
      // Whether a bot runs is unknown. The lease expires, and the next sweep retries.
      log.warn("meeting {} is not launched now: {}", meetingId, e.getMessage());
    } catch (AddressUnknown e) {
      meters.launch("unavailable");
      log.warn("meeting {} is not launched now: {}", meetingId, e.getMessage());
      // Its lease is held until then, unless a stop comes.
      return Optional.of(LaunchLease.TERM);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      log.error("launching meeting {} failed; the next sweep retries", meetingId, e);
    } finally {
      if (permitted) {
        permits.release();
      }
      handled.emit(meetingId);
    }
    return Optional.empty();
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

  private Optional<LaunchClaim> claim(long meetingId) {
    return store
        .database()
        .transaction(
            tx -> {
              Optional<LaunchClaim> claim =
                  BotStore.claimLaunch(tx, meetingId, node, LaunchLease.TERM, tokens.signingKey());
              if (claim.isEmpty()) {
                return claim;
              }
              BotRow row = claim.get().row();
              Optional<String> full =
                  scheduledNow(claim.get()) ? admissionControl.obstacle(tx, row) : Optional.empty();
              if (full.isPresent() && waitsOn(claim.get())) {
                BotStore.requeue(tx, row);
                return Optional.empty();
              }
              if (full.isPresent()) {
                String reason = row.queueTicket().map(_ -> QUEUE_TIMEOUT).orElseGet(full::get);
                var _ =
                    transitions.apply(
                        tx,
                        row.id(),
                        TransitionGuard.launchOf(row),
                        new BotEvent.LaunchFailed(reason),
                        "launcher");
                tx.afterCommit(() -> meters.launch("refused"));
                return Optional.empty();
              }
              BotStore.speaks(tx, row.id(), terms.protocol());
              return claim;
            });
  }

  private void carryOut(LaunchClaim launchClaim) {
    long claimedAt = System.nanoTime();
    BotRow row = launchClaim.row();
    if (row.stopRequested()) {
      giveUp(launchClaim, new BotEvent.LaunchCancelled());
      return;
    }
    if (missed(launchClaim)) {
      log.atWarn().addKeyValue("meeting", row.id()).log("the time to start has passed");
      giveUp(launchClaim, new BotEvent.LaunchFailed("start_missed"));
      return;
    }
    if (row.spec().meetingUrl().filter(url -> !allowed(row, url)).isPresent()) {
      fail(row, "meeting_url_refused");
      return;
    }
    Optional<String> meetingUrl;
    try {
      meetingUrl = meetingUrl(row);
    } catch (AddressUnknown e) {
      store.rest(launchClaim);
      throw e;
    }
    Optional<String> obstacle = VexaTranslator.obstacle(terms.protocol(), row, meetingUrl);
    if (obstacle.isPresent()) {
      fail(row, obstacle.get());
      return;
    }
    if (closed(pace.acquire())) {
      return;
    }
    LaunchSpec spec = spec(row, meetingUrl);
    Optional<LaunchLease> lease = LaunchLease.renew(store, launchClaim, claimedAt);
    if (lease.isEmpty()) {
      log.atInfo()
          .addKeyValue("meeting", row.id())
          .log("another server launches this bot, or it is stopped");
      // A stop that came before the bot had a handle was left to this launch.
      store.find(row.id()).filter(BotRow::stopRequested).ifPresent(ending::stopBooting);
      return;
    }
    try (LaunchLease _ = lease.get()) {
      String handle = launcher.launch(spec);
      meters.launch("launched");
      store.launched(row, handle).ifPresent(launched -> afterLaunch(launched, handle));
    } catch (LaunchException e) {
      meters.launch("failed");
      log.atWarn().addKeyValue("meeting", row.id()).log("launch failed: {}", e.getMessage());
      // Otherwise the launch is another node's, and its bot may run.
      if (store.renewLaunch(launchClaim, LaunchLease.TERM)) {
        fail(row, "start_failed");
      }
    }
  }

  private void fail(BotRow row, String reason) {
    var _ =
        transitions.apply(
            row.id(), TransitionGuard.launchOf(row), new BotEvent.LaunchFailed(reason), "launcher");
  }

  /** Whether this is a scheduled row that is due now, and counts from now on. */
  private boolean scheduledNow(LaunchClaim launchClaim) {
    return launchClaim.row().startAt().isPresent()
        && !launchClaim.row().stopRequested()
        && !missed(launchClaim);
  }

  /** Whether a bot that waited for a place, was given one and lost it may wait on. */
  private static boolean waitsOn(LaunchClaim launchClaim) {
    return launchClaim
        .row()
        .queueTicket()
        .filter(ticket -> ticket.until().isAfter(launchClaim.now()))
        .isPresent();
  }

  /** Whether a scheduled row passed its deadline without a launch. */
  private boolean missed(LaunchClaim launchClaim) {
    return launchClaim
        .row()
        .startAt()
        .map(at -> at.plus(terms.reservedTimeout()))
        .filter(end -> end.isBefore(launchClaim.now()))
        .isPresent();
  }

  /**
   * Ends a row that must not be launched any more; a bot of an interrupted launch goes on as one
   * launched in time, and is ended if a stop was requested.
   */
  private void giveUp(LaunchClaim launchClaim, BotEvent end) {
    BotRow row = launchClaim.row();
    Optional<Launcher.RunningBot> running =
        launchClaim.tries() == 1
            ? Optional.empty()
            : launcher.list().stream()
                .filter(bot -> bot.containerName().equals(row.containerName()))
                .findFirst();
    if (running.isPresent()) {
      String handle = running.get().handle();
      store.launched(row, handle).ifPresent(launched -> afterLaunch(launched, handle));
    } else {
      meters.launch(end instanceof BotEvent.LaunchCancelled ? "cancelled" : "missed");
      var _ = transitions.apply(row.id(), TransitionGuard.launchOf(row), end, "launcher");
    }
  }

  /** Handles another bot of this launch, a stop, or the end of the row during the launch. */
  private void afterLaunch(BotRow row, String handle) {
    if (ending.isSecond(row, handle)) {
      ending.killSecond(handle, row.containerName());
    } else if (row.status().terminal()) {
      if (launcher.probe(handle) instanceof Launcher.Probe.Alive) {
        ending.endOrphan(handle, row.containerName());
      }
    } else if (row.stopRequested()) {
      ending.stopBooting(row);
    }
  }

  /** Checked again: the address may have been stored when other hosts were allowed. */
  private boolean allowed(BotRow row, String url) {
    return hosts.allows(row.meeting().platform(), url);
  }

  private Optional<String> meetingUrl(BotRow row) {
    String platform = row.meeting().platform();
    String nativeId = row.meeting().platformSpecificId();
    BotSpec botSpec = row.spec();
    return botSpec
        .meetingUrl()
        .or(() -> MeetingAddress.of(platform, nativeId, botSpec.passcode().map(sealer::open)))
        .or(() -> page(urls.of(platform, nativeId)));
  }

  private static Optional<String> page(RoomAddress roomAddress) {
    return switch (roomAddress) {
      case RoomAddress.RoomPage(String url) -> Optional.of(url);
      case RoomAddress.NoRoomAddress _ -> Optional.empty();
      case RoomAddress.RoomAddressUnknown(PlatformError outage) -> throw new AddressUnknown(outage);
    };
  }

  private LaunchSpec spec(BotRow row, Optional<String> meetingUrl) {
    BotSpec botSpec = row.spec();
    BotConfig config =
        new BotConfig(
            row.id(),
            row.connectionId(),
            row.attempt(),
            row.meeting().platform(),
            row.meeting().platformSpecificId(),
            meetingUrl,
            botSpec.passcode().map(sealer::open),
            botSpec.botName().orElse("Convoke"),
            botSpec.language(),
            botSpec.task().orElse("transcribe"),
            tokens.of(row),
            terms.callbackUrl(),
            terms.redisUrl(),
            row.containerName(),
            terms.heartbeatInterval(),
            botSpec.leaveRules(botDeadlines.defaultLobbyWait()),
            terms.vexa().records());
    return new LaunchSpec(
        row.id(),
        row.attempt(),
        row.connectionId(),
        row.containerName(),
        terms.protocol() == BotProtocol.VEXA ? terms.vexa().open(config) : config.json(),
        environment,
        terms.vexa().closedSchema()
            ? Map.of(VexaConfig.VARIABLE, terms.vexa().closed(config, row.limits()))
            : Map.of());
  }
}
