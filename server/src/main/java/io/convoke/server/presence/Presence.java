package io.convoke.server.presence;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.lease.LeaseKeeper;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.wake.Listener;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Health;
import io.convoke.server.platform.Platform;
import io.convoke.server.platform.RecordingMail;
import io.convoke.server.platform.RemoteWebhook;
import io.convoke.server.platform.RoomWitness;
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

  /** Where Postgres tells that the inbox holds something. */
  public static final String INBOX_CHANNEL = "convoke_inbox";

  /** What lies in the inbox for presence. */
  static final String DAILY_INBOX = "daily";

  /** What lies in the inbox for recordings. */
  public static final String RECORDING_INBOX = "daily-recording";

  private final DailyWebhook webhook;
  private final ParticipantsEndpoint participants;
  private final PollLoop loop;
  private final Upkeep upkeep;
  private final MeetingFollower follower;
  private final PresenceSignals signals = new PresenceSignals();
  private final Reconciler reconciler;
  private final MeetingProcessing processing;
  private final Optional<WebhookWatch> watch;
  private final Redis redis;
  private final Vitals vitals;
  private final BotPresenceSource bots;
  private boolean started;

  /**
   * Wires presence; nothing runs before {@link #start}.
   *
   * @param node this process' name, new for each start
   * @param signature empty without a webhook secret; every webhook is then refused
   * @param recordings where webhooks about recordings go
   * @param remote empty when nobody shall look after the webhook at the platform
   */
  public Presence(
      Redis redis,
      Database database,
      Journal journal,
      LeaseKeeper leases,
      Platform platform,
      Optional<DailySignature> signature,
      RecordingMail recordings,
      Optional<RemoteWebhook> remote,
      PresenceTerms terms,
      String node,
      MeterRegistry registry,
      InstantSource time) {
    this.redis = redis;
    String name = platform.name();
    PresenceMeters meters = new PresenceMeters(registry, terms);
    this.vitals = new Vitals(redis, terms, name, registry);
    MeetingRows meetings = new MeetingRows(database);
    PresenceRepository repository =
        new PresenceRepository(database, journal, terms.reconcileInterval(), time);
    this.bots = new BotPresenceSource(meetings, repository, meters, signals, name);
    RoomMap rooms = new RoomMap(redis);
    ReadyQueue queue = new ReadyQueue(redis, node, terms.minPollInterval());
    WebhookBuffer buffer = new WebhookBuffer(redis, terms);
    UnroutedEventResolver resolver =
        new UnroutedEventResolver(redis, database, meetings, rooms, buffer, meters, signals, name);
    Inbox inbox = new Inbox(database, resolver, repository, meters, signals);
    this.webhook = new DailyWebhook(signature, buffer, inbox, recordings, meters, time);
    this.participants = new ParticipantsEndpoint(database, redis);
    Recovery recovery =
        new Recovery(redis, rooms, queue, meetings, repository, inbox, signals, name, terms.mode());
    WebhookHealth health =
        new WebhookHealth(redis, database, journal, meters, signals, name, signature.isPresent());
    this.reconciler =
        new Reconciler(
            database, meetings, rooms, queue, repository, platform, terms, meters, signals, health);
    this.processing =
        new MeetingProcessing(leases, meetings, repository, rooms, platform, signals, time);
    this.upkeep = new Upkeep(recovery, reconciler, processing, terms.processInterval());
    this.watch =
        remote.map(webhook -> new WebhookWatch(redis, webhook, health, meters, upkeep::live));
    MeetingPoller poller =
        new MeetingPoller(queue, rooms, leases, repository, platform, meters, signals, time);
    this.loop =
        new PollLoop(
            redis, queue, poller, resolver, inbox, meetings, upkeep, name, terms.concurrency());
    this.follower =
        new MeetingFollower(
            journal,
            redis,
            meetings,
            rooms,
            queue,
            repository,
            bots,
            upkeep,
            signals,
            meters,
            name);
  }

  /** {@code POST /webhooks/daily} and {@code GET /meetings/{id}/participants}. */
  public List<Endpoint> endpoints() {
    return List.of(webhook.endpoint(), participants.endpoint());
  }

  /** Takes down what bots see, on the platforms that cannot be asked. */
  public RoomWitness witness() {
    return bots;
  }

  /** How presence is: degraded at worst, whatever the platform does. */
  public Health.Reading health() {
    return vitals.health();
  }

  /** Begins to serve due meetings, to reconcile and to follow meetings that begin and end. */
  public void start() {
    started = true;
    redis.onConnect(upkeep::resume);
    watch.ifPresent(it -> redis.onConnect(it::resume));
    follower.start();
    upkeep.start();
    loop.start();
    watch.ifPresent(WebhookWatch::start);
  }

  /** What a listener of {@link #INBOX_CHANNEL} calls. */
  public Listener.Receiver inboxReceiver() {
    return new Listener.Receiver() {
      @Override
      public void notified(String payload) {
        upkeep.resume();
      }

      @Override
      public void rescan() {
        upkeep.resume();
      }
    };
  }

  PresenceSignals signals() {
    return signals;
  }

  Reconciler reconciler() {
    return reconciler;
  }

  WebhookWatch watch() {
    return watch.orElseThrow();
  }

  MeetingProcessing processing() {
    return processing;
  }

  /** Stops claiming, then waits a moment for what is being served. */
  @Override
  public void close() {
    if (started) {
      started = false;
      watch.ifPresent(WebhookWatch::close);
      upkeep.close();
      follower.close();
      loop.close();
    }
  }
}
