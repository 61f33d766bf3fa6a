package io.convoke.server.presence;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.lease.LeaseRenewer;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.wake.PostgresListener;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.HealthChecks;
import io.convoke.server.meetings.RoomTracking;
import io.convoke.server.platform.PlatformClient;
import io.convoke.server.platform.RecordingEventSink;
import io.convoke.server.platform.RoomObserver;
import io.convoke.server.platform.WebhookRegistration;
import io.convoke.server.platform.daily.DailySignature;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Wires presence: its endpoints belong to role {@code api}; {@link #start} runs the background work
 * of role {@code presence}.
 */
public final class PresenceFeature implements AutoCloseable {

  /** The NOTIFY channel for new rows in the inbox. */
  public static final String INBOX_CHANNEL = "convoke_inbox";

  /** Inbox source of presence webhooks. */
  static final String DAILY_INBOX = "daily";

  /** Inbox source of recording webhooks. */
  public static final String RECORDING_INBOX = "daily-recording";

  private final DailyWebhookEndpoint webhook;
  private final ParticipantsEndpoint participants;
  private final WebhookDeadLetters deadLetters;
  private final PollLoop loop;
  private final PresenceScheduler presenceScheduler;
  private final MeetingJournalFollower follower;
  private final PresenceTestSignals signals = new PresenceTestSignals();
  private final Reconciler reconciler;
  private final TrackedMeetingMonitor processing;
  private final Optional<WebhookRegistrar> watch;
  private final Redis redis;
  private final PresenceHealth presenceHealth;
  private final BotPresenceSource bots;
  private boolean started;

  /**
   * Wires presence; nothing runs before {@link #start}.
   *
   * @param node id of this process, new for each start
   * @param signature empty without a webhook secret; every webhook is then refused
   * @param tracking begins meetings in rooms with a rule
   * @param recordings receives recording webhooks
   * @param remote empty when the webhook registration is not managed
   */
  public PresenceFeature(
      Redis redis,
      Database database,
      Journal journal,
      LeaseRenewer leases,
      PlatformClient platformClient,
      Optional<DailySignature> signature,
      RoomTracking tracking,
      RecordingEventSink recordings,
      Optional<WebhookRegistration> remote,
      PresenceConfig terms,
      String node,
      MeterRegistry registry,
      InstantSource time) {
    this.redis = redis;
    String name = platformClient.name();
    PresenceMetrics meters = new PresenceMetrics(registry, terms);
    this.presenceHealth = new PresenceHealth(redis, terms, name, registry);
    MeetingQueries meetings = new MeetingQueries(database);
    PresenceRepository repository =
        new PresenceRepository(database, journal, terms.reconcileInterval(), time);
    this.bots = new BotPresenceSource(meetings, repository, meters, signals, name);
    RoomMap rooms = new RoomMap(redis);
    ReadyQueue queue = new ReadyQueue(redis, node, terms.minPollInterval());
    WebhookBuffer buffer = new WebhookBuffer(redis, terms);
    WebhookDeadLetterStore deadLetterStore = new WebhookDeadLetterStore(database, meters, signals);
    this.deadLetters = new WebhookDeadLetters(deadLetterStore);
    UnroutedEventResolver resolver =
        new UnroutedEventResolver(redis, meetings, tracking, rooms, buffer, deadLetterStore, name);
    WebhookInbox webhookInbox =
        new WebhookInbox(database, resolver, deadLetterStore, repository, meters, signals);
    this.webhook =
        new DailyWebhookEndpoint(signature, buffer, webhookInbox, recordings, meters, time);
    this.participants = new ParticipantsEndpoint(database, redis);
    RedisRecovery redisRecovery =
        new RedisRecovery(
            redis, rooms, queue, meetings, repository, webhookInbox, signals, name, terms.mode());
    WebhookHealth health =
        new WebhookHealth(redis, database, journal, meters, signals, name, signature.isPresent());
    this.reconciler =
        new Reconciler(
            database,
            meetings,
            tracking,
            rooms,
            queue,
            repository,
            deadLetterStore,
            platformClient,
            terms,
            meters,
            signals,
            health);
    this.processing =
        new TrackedMeetingMonitor(
            leases, meetings, repository, rooms, platformClient, signals, terms, time);
    this.presenceScheduler =
        new PresenceScheduler(redisRecovery, reconciler, processing, terms.processInterval());
    this.watch =
        remote.map(
            webhook ->
                new WebhookRegistrar(
                    redis, webhook, health, meters, presenceScheduler::hasLiveMeetings));
    MeetingPoller poller =
        new MeetingPoller(queue, rooms, leases, repository, platformClient, meters, signals, time);
    this.loop =
        new PollLoop(
            redis,
            queue,
            poller,
            resolver,
            webhookInbox,
            meetings,
            presenceScheduler,
            name,
            terms.concurrency());
    this.follower =
        new MeetingJournalFollower(
            journal,
            redis,
            meetings,
            rooms,
            queue,
            repository,
            redisRecovery,
            terms.mode(),
            bots,
            presenceScheduler,
            signals,
            meters,
            name);
  }

  /** Webhooks of the platform, its dead letters, and {@code GET /meetings/{id}/participants}. */
  public List<Endpoint> endpoints() {
    return List.of(webhook.endpoint(), deadLetters.endpoint(), participants.endpoint());
  }

  /** Receives the reports of bots on platforms that are not polled. */
  public RoomObserver witness() {
    return bots;
  }

  /** Health of presence; at worst degraded. */
  public HealthChecks.HealthReading health() {
    return presenceHealth.health();
  }

  /** Starts polling, reconciliation and the journal subscription. */
  public void start() {
    started = true;
    redis.onConnect(presenceScheduler::resume);
    watch.ifPresent(it -> redis.onConnect(it::resume));
    follower.start();
    presenceScheduler.start();
    loop.start();
    watch.ifPresent(WebhookRegistrar::start);
  }

  /** Receiver for notifications on {@link #INBOX_CHANNEL}. */
  public PostgresListener.NotificationReceiver inboxReceiver() {
    return new PostgresListener.NotificationReceiver() {
      @Override
      public void notified(String payload) {
        presenceScheduler.resume();
      }

      @Override
      public void rescan() {
        presenceScheduler.resume();
      }
    };
  }

  PresenceTestSignals signals() {
    return signals;
  }

  Reconciler reconciler() {
    return reconciler;
  }

  WebhookRegistrar watch() {
    return watch.orElseThrow();
  }

  TrackedMeetingMonitor processing() {
    return processing;
  }

  /** Stops claiming, then waits for running work, within a bound. */
  @Override
  public void close() {
    if (started) {
      started = false;
      watch.ifPresent(WebhookRegistrar::close);
      presenceScheduler.close();
      follower.close();
      loop.close();
    }
  }
}
