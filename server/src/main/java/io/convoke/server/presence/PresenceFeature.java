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
import io.convoke.server.platform.RoomObserver;
import io.convoke.server.platform.janus.JanusEventPassword;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Wires presence of one platform: its endpoints belong to role {@code api}; {@link #start} runs the
 * background work of role {@code presence}.
 */
public final class PresenceFeature implements AutoCloseable {

  /** The NOTIFY channel for new rows in the inbox. */
  public static final String INBOX_CHANNEL = "convoke_inbox";

  /** Inbox source of presence webhooks. */
  static final String DAILY_INBOX = "daily";

  /** Inbox source of the posts of Janus. */
  static final String JANUS_INBOX = "janus";

  /** Inbox source of recording webhooks. */
  public static final String RECORDING_INBOX = "daily-recording";

  private final List<Endpoint> endpoints;
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
   * @param tracking begins meetings in rooms with a rule
   */
  public PresenceFeature(
      Redis redis,
      Database database,
      Journal journal,
      LeaseRenewer leases,
      PolledPlatform platform,
      RoomTracking tracking,
      PresenceConfig terms,
      String node,
      MeterRegistry registry,
      InstantSource time) {
    this.redis = redis;
    PlatformClient platformClient = platform.client();
    String name = platformClient.name();
    PlatformKeys keys = platform.keys();
    PresenceMetrics meters = new PresenceMetrics(registry);
    this.presenceHealth = new PresenceHealth(redis, keys, platform.budget(), terms, registry);
    MeetingQueries meetings = new MeetingQueries(database);
    PresenceRepository repository =
        new PresenceRepository(database, journal, terms.reconcileInterval(), time);
    this.bots = new BotPresenceSource(meetings, repository, meters, signals, platform);
    RoomMap rooms = new RoomMap(redis, keys);
    ReadyQueue queue = new ReadyQueue(redis, keys, node, terms.minPollInterval());
    WebhookBuffer buffer = new WebhookBuffer(redis, keys, terms);
    WebhookDeadLetterStore deadLetterStore =
        new WebhookDeadLetterStore(database, name, meters, signals);
    UnroutedEventResolver resolver =
        new UnroutedEventResolver(redis, meetings, tracking, rooms, buffer, deadLetterStore, keys);
    WebhookInbox webhookInbox =
        switch (platform.intake()) {
          case EventIntake.DailyWebhooks _ ->
              new WebhookInbox(
                  database,
                  DAILY_INBOX,
                  InboxParser::daily,
                  resolver,
                  deadLetterStore,
                  repository,
                  meters,
                  signals);
          case EventIntake.JanusEvents _ ->
              new WebhookInbox(
                  database,
                  JANUS_INBOX,
                  InboxParser::janus,
                  resolver,
                  deadLetterStore,
                  repository,
                  meters,
                  signals);
        };
    this.endpoints = new ArrayList<>();
    boolean eventsExpected;
    switch (platform.intake()) {
      case EventIntake.DailyWebhooks(var signature, var recordings, var _) -> {
        eventsExpected = signature.isPresent();
        endpoints.add(
            new DailyWebhookEndpoint(signature, buffer, webhookInbox, recordings, meters, time)
                .endpoint());
      }
      case EventIntake.JanusEvents(Optional<String> secret) -> {
        eventsExpected = secret.isPresent();
        endpoints.add(
            new JanusEventsEndpoint(
                    secret.map(JanusEventPassword::new), buffer, webhookInbox, meters, time)
                .endpoint());
      }
    }
    if (platform.first()) {
      endpoints.add(new WebhookDeadLetters(deadLetterStore).endpoint());
      endpoints.add(new ParticipantsEndpoint(database, redis).endpoint());
    }
    RedisRecovery redisRecovery =
        new RedisRecovery(
            redis, rooms, queue, meetings, repository, webhookInbox, signals, keys, terms.mode());
    WebhookHealth health =
        new WebhookHealth(
            redis, database, journal, meters, signals, platform.budget(), keys, eventsExpected);
    this.reconciler =
        new Reconciler(
            database,
            meetings,
            tracking,
            rooms,
            queue,
            repository,
            bots,
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
        new PresenceScheduler(
            redisRecovery, reconciler, processing, terms.processInterval(), platform.first());
    this.watch =
        switch (platform.intake()) {
          case EventIntake.DailyWebhooks(var _, var _, var remote) ->
              remote.map(
                  webhook ->
                      new WebhookRegistrar(
                          redis,
                          keys,
                          webhook,
                          health,
                          meters,
                          presenceScheduler::hasLiveMeetings));
          case EventIntake.JanusEvents _ -> Optional.empty();
        };
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
            platform);
  }

  /**
   * The webhooks of the platform; of the first platform also dead letters and {@code GET
   * /meetings/{id}/participants}.
   */
  public List<Endpoint> endpoints() {
    return List.copyOf(endpoints);
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
