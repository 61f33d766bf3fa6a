package io.convoke.server.presence;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.lease.LeaseKeeper;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.server.http.Endpoint;
import io.convoke.server.platform.Platform;
import io.convoke.server.platform.daily.DailySignature;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Presence as a whole: its endpoints serve role {@code api}, {@link #start} adds the work of role
 * {@code presence}.
 */
public final class Presence implements AutoCloseable {
  private final DailyWebhook webhook;
  private final ParticipantsEndpoint participants;
  private final PollLoop loop;
  private final Upkeep upkeep;
  private final MeetingFollower follower;
  private final PresenceSignals signals = new PresenceSignals();
  private final WebhookIntake intake;
  private final Reconciler reconciler;
  private final MeetingProcessing processing;
  private final Redis redis;
  private boolean started;

  /**
   * Wires presence; nothing runs before {@link #start}.
   *
   * @param node this process' name, new for each start
   * @param signature empty without a webhook secret; every webhook is then refused
   */
  public Presence(
      Redis redis,
      Database database,
      Journal journal,
      LeaseKeeper leases,
      Platform platform,
      Optional<DailySignature> signature,
      PresenceTerms terms,
      String node,
      MeterRegistry registry,
      InstantSource time) {
    this.redis = redis;
    String name = platform.name();
    PresenceMeters meters = new PresenceMeters(registry, terms);
    MeetingRows meetings = new MeetingRows(database);
    Ledger ledger = new Ledger(database, journal, terms.reconcileInterval(), time);
    RoomMap rooms = new RoomMap(redis);
    ReadyQueue queue = new ReadyQueue(redis, node, terms.minPollInterval());
    this.intake = new WebhookIntake(redis, terms);
    Routing routing = new Routing(redis, database, meetings, rooms, intake, meters, signals, name);
    Inbox inbox = new Inbox(database, routing, ledger, meters, signals);
    this.webhook = new DailyWebhook(signature, intake, inbox, meters, time);
    this.participants = new ParticipantsEndpoint(database, redis);
    Recovery recovery =
        new Recovery(redis, rooms, queue, meetings, ledger, inbox, signals, name, terms.mode());
    this.reconciler =
        new Reconciler(
            redis, database, meetings, rooms, queue, ledger, platform, terms, meters, signals);
    this.processing =
        new MeetingProcessing(leases, meetings, ledger, rooms, platform, signals, time);
    this.upkeep = new Upkeep(recovery, reconciler, processing, terms.processInterval());
    PollWork work = new PollWork(queue, rooms, leases, ledger, platform, meters, signals, time);
    this.loop =
        new PollLoop(
            redis, queue, work, routing, inbox, meetings, upkeep, name, terms.concurrency());
    this.follower =
        new MeetingFollower(
            journal, redis, meetings, rooms, queue, ledger, upkeep, signals, meters, name);
  }

  /** {@code POST /webhooks/daily} and {@code GET /meetings/{id}/participants}. */
  public List<Endpoint> endpoints() {
    return List.of(webhook.endpoint(), participants.endpoint());
  }

  /** Begins to serve due meetings, to reconcile and to follow meetings that begin and end. */
  public void start() {
    started = true;
    redis.onConnect(upkeep::resume);
    follower.start();
    upkeep.start();
    loop.start();
  }

  PresenceSignals signals() {
    return signals;
  }

  Reconciler reconciler() {
    return reconciler;
  }

  MeetingProcessing processing() {
    return processing;
  }

  /** Stops claiming, then waits a moment for what is being served. */
  @Override
  public void close() {
    if (started) {
      started = false;
      upkeep.close();
      follower.close();
      loop.close();
    }
  }
}
