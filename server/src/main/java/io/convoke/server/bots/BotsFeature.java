package io.convoke.server.bots;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.journal.EventFilter;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.JournalEvent;
import io.convoke.engine.journal.JournalSubscription;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.wake.Waiter;
import io.convoke.server.http.Endpoint;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.meetings.AllowedMeetingHosts;
import io.convoke.server.meetings.ChatStore;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.server.meetings.MeetingTranscriptStore;
import io.convoke.server.platform.RoomObserver;
import io.convoke.server.rooms.RoomClaims;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The feature as a whole. Its endpoints serve on every node with the role {@code api}; {@link
 * #start} begins the work of the role {@code bots}: launching, ending, sweeping. Journal events
 * from any node announce work; the sweep finds what they miss.
 */
public final class BotsFeature implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(BotsFeature.class);
  private static final Duration TAIL_WAIT = Duration.ofMinutes(1);
  private static final int EXIT_TRIES = 20;

  /** Maximum delivery time of a message to a connected bot. */
  private static final Duration DELIVERY_MAX = Duration.ofSeconds(3);

  /** Interval between sweeps while no bot lives; the next start ends it. */
  private static final Duration IDLE_SWEEP = Duration.ofMinutes(5);

  private final Journal journal;
  private final Launcher launcher;
  private final BotsConfig terms;
  private final BotStore store;
  private final BotTransitions transitions;
  private final BotService service;
  private final BotTerminator ending;
  private final CrashLogCapture crashLogCapture;
  private final LaunchWorker launchWorker;
  private final BotSweeper botSweeper;
  private final PlaceQueue placeQueue;
  private final HeartbeatWriter heartbeatWriter;
  private final CommandLongPolls waits;
  private final BotCommandQueue commands;
  private final VexaStreamReader words;
  private final BotExits exits = new BotExits();
  private final List<Endpoint> endpoints;
  private final List<JournalSubscription> tails = new ArrayList<>();
  private final Set<Long> stopsWatched = ConcurrentHashMap.newKeySet();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Waiter wanted = new Waiter();
  private volatile boolean idle;

  /**
   * Wires the feature; nothing runs yet but the writer of heartbeats. {@code node} names this
   * process.
   */
  public BotsFeature(
      Database database,
      Journal journal,
      Redis redis,
      Launcher launcher,
      BotTokens tokens,
      SecretBox secrets,
      MeetingUrlResolver urls,
      AllowedMeetingHosts hosts,
      RoomClaims rooms,
      RoomObserver witness,
      BotsConfig terms,
      MeterRegistry registry,
      String node) {
    this.journal = journal;
    this.launcher = launcher;
    this.terms = terms;
    this.store = new BotStore(database);
    BotMetrics meters = new BotMetrics(registry);
    this.transitions = new BotTransitions(database, journal, meters);
    Sealer sealer = new Sealer(secrets);
    this.crashLogCapture = new CrashLogCapture(database, journal, launcher, sealer, terms);
    BotDeadlines botDeadlines = new BotDeadlines(terms);
    AdmissionControl admissionControl = new AdmissionControl(database, journal, rooms, terms);
    this.waits = new CommandLongPolls(journal);
    this.commands = new BotCommandQueue(database, redis, journal, waits);
    this.ending = new BotTerminator(store, transitions, launcher, terms, commands, exits);
    this.heartbeatWriter = new HeartbeatWriter(database, meters);
    this.launchWorker =
        new LaunchWorker(
            store,
            transitions,
            admissionControl,
            ending,
            launcher,
            tokens,
            sealer,
            urls,
            hosts,
            terms,
            meters,
            node);
    SweepStore sweeps = new SweepStore(database, terms);
    new FleetGauges(store, sweeps, botDeadlines).register(registry);
    this.placeQueue = new PlaceQueue(store, admissionControl);
    this.botSweeper =
        new BotSweeper(
            store,
            sweeps,
            ending,
            launchWorker,
            launcher,
            terms,
            meters,
            new BotRuleWatch(database, journal, commands, terms.rules()),
            placeQueue,
            node);
    this.service =
        new BotService(
            store,
            admissionControl,
            placeQueue,
            commands,
            sealer,
            botDeadlines,
            transitions,
            terms.rules());
    MeetingTranscriptStore transcripts = new MeetingTranscriptStore(journal);
    ChatStore chat = new ChatStore(database, journal);
    CallbackService reports =
        new CallbackService(
            database, transitions, commands, waits, heartbeatWriter, transcripts, chat, witness);
    this.words =
        new VexaStreamReader(
            redis, new VexaStreamStore(database, tokens, transitions, transcripts, meters));
    this.endpoints =
        Stream.of(
                new BotEndpoints(store, service, botDeadlines, hosts, terms.rules()).endpoints(),
                new TalkEndpoints(store, new TalkService(database, commands), hosts).endpoints(),
                new CallbackEndpoints(reports).endpoints(),
                new VexaEndpoints(reports).endpoints())
            .flatMap(List::stream)
            .toList();
  }

  /** The endpoints of this feature. */
  public List<Endpoint> endpoints() {
    return endpoints;
  }

  /**
   * Ends processes of a terminal meeting: {@code none}, {@code gone}, {@code unknown} to the
   * launcher of this node, or {@code ended}.
   *
   * @throws LauncherUnavailable when the launcher is unreachable
   */
  public String remove(long meetingId) {
    return ending.remove(meetingId);
  }

  /** Asks those of these meetings that have bots to end them, in the caller's transaction. */
  public void stop(Tx tx, List<Long> meetings, String actor) {
    service.stop(tx, meetings, actor);
  }

  /** Starts launching, ending and sweeping. */
  public void start() {
    if (terms.protocol() == BotProtocol.VEXA && terms.redisUrl().isEmpty()) {
      log.warn(
          "CONVOKE_BOT_REDIS_URL is not set: Vexa's image requires a redisUrl and receives commands"
              + " nowhere else");
    }
    if (terms.protocol() == BotProtocol.VEXA) {
      words.start();
    }
    placeQueue.start();
    launcher.onExit(this::exited);
    follow("meeting.status_changed", this::statusChanged);
    follow(BotCommandQueue.SENT, this::commandSent);
    follow(BotCommandQueue.KILL_WANTED, this::killWanted);
    follow(
        "bot.rescheduled",
        journalEvent -> launchWorker.wake(journalEvent.data().path("meeting_id").asLong()));
    var _ = Thread.ofVirtual().name("bots-sweeper").start(this::sweepForEver);
  }

  /** Ends the bots' long polls for commands, so that a stopping server does not wait for them. */
  public void endWaits() {
    waits.close();
  }

  /** Stops the work of this node; the bots go on. */
  @Override
  public void close() {
    closing.countDown();
    wanted.close();
    waits.close();
    words.close();
    tails.forEach(JournalSubscription::close);
    placeQueue.close();
    heartbeatWriter.close();
    launchWorker.close();
    launcher.close();
  }

  /** How many calls wait for commands. */
  int waiting() {
    return waits.size();
  }

  BotTransitions transitions() {
    return transitions;
  }

  LaunchWorker launching() {
    return launchWorker;
  }

  BotSweeper sweeper() {
    return botSweeper;
  }

  private void sweepForEver() {
    boolean fresh = true;
    do {
      // Before the sweep reads: a bot that is started right after that must end the long wait.
      idle = true;
      boolean noneLive = false;
      try {
        if (fresh) {
          reconcile();
          fresh = false;
        }
        noneLive = botSweeper.sweep().idle();
      } catch (StoreUnavailable e) {
        log.warn("sweep skipped: {}", e.getMessage());
      } catch (RuntimeException | Error e) {
        if (closing.getCount() > 0) {
          log.error("a sweep failed", e);
        }
      }
      idle = noneLive;
    } while (idle ? untilWanted() : !closed(terms.sweepInterval()));
  }

  /** Waits for the next start, with a long bound; false once this node is closing. */
  private boolean untilWanted() {
    try {
      return wanted.await(IDLE_SWEEP);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** After a start: launches waiting rows, and settles bots that ended while no server ran. */
  private void reconcile() {
    try {
      log.info("{} bots of this launcher run", launcher.list().size());
    } catch (LauncherUnavailable e) {
      log.warn("running bots are not known yet: {}", e.getMessage());
    }
    launchWorker.pickUp(terms.sweepInterval().multipliedBy(2));
    for (MeetingStatus status : MeetingStatus.values()) {
      if (!status.terminal()) {
        reconcile(status);
      }
    }
  }

  private void reconcile(MeetingStatus status) {
    long after = 0;
    List<BotRow> rows;
    do {
      rows = store.withHandle(status, after, 500);
      for (BotRow row : rows) {
        after = row.id();
        try {
          reconcile(row);
        } catch (StoreUnavailable e) {
          throw e;
        } catch (RuntimeException e) {
          // One row must not keep this node from its sweeps.
          log.error("meeting {} is left to the sweep", row.id(), e);
        }
      }
    } while (!rows.isEmpty());
  }

  private void reconcile(BotRow row) {
    String handle = row.handle().orElseThrow();
    if (launcher.probe(handle) instanceof Launcher.Probe.Gone(var code)) {
      ended(row, code, crashLogCapture.of(row, handle, code));
    } else if (row.stopRequested()) {
      watchStop(row);
    }
  }

  private void follow(String type, Consumer<JournalEvent> listener) {
    JournalSubscription journalSubscription =
        journal.tail(
            journal.settled(),
            new EventFilter(Optional.of(type), Optional.empty(), Optional.empty()));
    tails.add(journalSubscription);
    var _ =
        Thread.ofVirtual()
            .name("bots-" + type)
            .start(
                () -> {
                  while (closing.getCount() > 0) {
                    try {
                      journalSubscription.next(TAIL_WAIT).forEach(listener);
                    } catch (StoreUnavailable e) {
                      boolean _ = closed(Duration.ofSeconds(1));
                    } catch (InterruptedException e) {
                      return;
                    } catch (RuntimeException e) {
                      log.error("an event could not be handled; the sweep will find its work", e);
                    }
                  }
                });
  }

  private void statusChanged(JournalEvent journalEvent) {
    MeetingStatus to = MeetingStatus.of(journalEvent.data().path("to").asString(""));
    if (to == MeetingStatus.RESERVED) {
      launchWorker.wake(journalEvent.data().path("meeting_id").asLong());
    }
    if (to.terminal() || (to == MeetingStatus.STOPPING && !terms.countStopping())) {
      long user = journalEvent.data().path("user_id").asLong();
      Optional<Long> whose = terms.maxLive().isPresent() ? Optional.empty() : Optional.of(user);
      placeQueue.advanceSoon(whose);
    }
    if (idle) {
      wanted.wake();
    }
  }

  private void commandSent(JournalEvent journalEvent) {
    if (journalEvent.data().path("action").asString("").equals("leave")) {
      long meetingId = journalEvent.data().path("meeting_id").asLong();
      var _ =
          Thread.ofVirtual()
              .name("stop-" + meetingId)
              .start(() -> store.find(meetingId).ifPresent(this::stopWanted));
    }
  }

  private void killWanted(JournalEvent journalEvent) {
    long meetingId = journalEvent.data().path("meeting_id").asLong();
    var _ = Thread.ofVirtual().name("kill-" + meetingId).start(() -> ending.kill(meetingId));
  }

  private void stopWanted(BotRow row) {
    if (row.status() == MeetingStatus.RESERVED) {
      if (row.handle().isPresent()) {
        ending.stopBooting(row);
      } else {
        launchWorker.wake(row.id());
      }
    }
    watchStop(row);
    if (row.protocol() == BotProtocol.VEXA) {
      tellAgain(row);
    }
  }

  /**
   * A leave that Redis could not deliver to a bot without another channel. Release 0.12 obeys a
   * signal; earlier ones never get it, so the leave is published again, with growing pauses, until
   * the stop is overdue.
   */
  private void tellAgain(BotRow row) {
    if (row.status() == MeetingStatus.RESERVED) {
      return;
    }
    Duration pause = DELIVERY_MAX;
    Instant end = store.now().plus(terms.stoppingTimeout());
    while (!closed(pause) && store.now().isBefore(end)) {
      List<BotCommandQueue.PendingCommand> untold = leavesPending(row.connectionId());
      Optional<BotRow> live = store.find(row.id()).filter(of -> !of.status().terminal());
      if (untold.isEmpty() || live.isEmpty()) {
        return;
      }
      if (terms.vexa().closedSchema()) {
        ending.stopUntold(live.get());
        return;
      }
      untold.forEach(leave -> commands.publishAgain(live.get(), leave));
      pause = pause.multipliedBy(2);
    }
  }

  private List<BotCommandQueue.PendingCommand> leavesPending(String connectionId) {
    return store.database().read(tx -> BotCommandQueue.pending(tx, connectionId)).stream()
        .filter(command -> command.action().equals("leave"))
        .toList();
  }

  /** Checks again when the deadline of the stop has passed. */
  private void watchStop(BotRow row) {
    if (row.status().terminal() || !stopsWatched.add(row.id())) {
      return;
    }
    var _ =
        Thread.ofVirtual()
            .name("stop-watch-" + row.id())
            .start(
                () -> {
                  try {
                    if (!closed(terms.stoppingTimeout().plusMillis(50))) {
                      ending.checkStop(row.id());
                    }
                  } catch (RuntimeException e) {
                    log.warn("the stop of meeting {} is left to the sweep", row.id(), e);
                  } finally {
                    stopsWatched.remove(row.id());
                  }
                });
  }

  /**
   * The launcher noticed the end of a process. If the bot reported its exit before, the row is
   * terminal already; the end of a second bot of the launch says nothing about the row's.
   */
  private void exited(Launcher.BotExit botExit) {
    exits.exited(botExit.containerName());
    Optional<Long> meetingId = ContainerNames.meetingId(botExit.containerName());
    if (meetingId.isEmpty()) {
      return;
    }
    var _ =
        Thread.ofVirtual()
            .name("exit-" + botExit.containerName())
            .start(() -> exited(meetingId.get(), botExit));
  }

  private void exited(long meetingId, Launcher.BotExit botExit) {
    for (int tries = 0; tries < EXIT_TRIES; tries++) {
      try {
        Optional<BotRow> row =
            store.find(meetingId).filter(of -> of.containerName().equals(botExit.containerName()));
        if (row.isPresent() && !ending.isSecond(row.get(), botExit.handle())) {
          Optional<String> reason =
              crashLogCapture.of(row.get(), botExit.handle(), botExit.exitCode());
          if (!row.get().status().terminal()) {
            ended(row.get(), botExit.exitCode(), reason);
          }
        }
        return;
      } catch (StoreUnavailable e) {
        if (closed(Duration.ofSeconds(1))) {
          return;
        }
      }
    }
  }

  private void ended(BotRow row, Optional<Integer> exitCode, Optional<String> reason) {
    Instant now = store.now();
    var _ =
        transitions.apply(
            row.id(),
            BotTransitions.TransitionGuard.launchOf(row),
            ending.meaningOf(row, exitCode, reason, now),
            "launcher");
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
}
