package io.convoke.server;

import io.convoke.engine.dispatch.PostgresLedger;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.lease.LeaseKeeper;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.seal.SecretBox;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Listener;
import io.convoke.server.bots.BotTokens;
import io.convoke.server.bots.Bots;
import io.convoke.server.config.Config;
import io.convoke.server.config.InvalidConfig;
import io.convoke.server.config.Settings;
import io.convoke.server.config.WorkSettings;
import io.convoke.server.dispatch.TaskDispatch;
import io.convoke.server.events.EventsEndpoints;
import io.convoke.server.http.Authenticator;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Health;
import io.convoke.server.http.HttpServer;
import io.convoke.server.http.IdempotencyStore;
import io.convoke.server.http.JwtBearer;
import io.convoke.server.http.Sessions;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.docker.DockerLauncher;
import io.convoke.server.launch.kubernetes.KubernetesLauncher;
import io.convoke.server.launch.nomad.NomadLauncher;
import io.convoke.server.launch.process.BotCommand;
import io.convoke.server.launch.process.ProcessLauncher;
import io.convoke.server.meetings.MeetingEndpoints;
import io.convoke.server.meetings.MeetingStore;
import io.convoke.server.platform.Platform;
import io.convoke.server.platform.daily.DailyClient;
import io.convoke.server.platform.daily.DailyRecordings;
import io.convoke.server.presence.Presence;
import io.convoke.server.presence.RedisBudget;
import io.convoke.server.recordings.Mailbox;
import io.convoke.server.recordings.Recordings;
import io.convoke.server.simulator.SimulatorLab;
import io.convoke.server.sync.Sync;
import io.convoke.server.trace.Spans;
import io.convoke.server.users.Users;
import io.convoke.server.webhooks.Webhooks;
import io.convoke.server.workflows.Workflows;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The whole object graph, from the stores up to the listener, in reading order. */
public final class App implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(App.class);
  private static final Duration STORE_RETRY = Duration.ofSeconds(1);

  /** Sync status tries again by itself, several times within its deadline. */
  private static final Duration SYNC_CONNECT_MAX = Duration.ofMillis(1500);

  private static final int SYNC_POOL = 4;

  /** What was started, last first: the order of stopping. */
  private final Deque<AutoCloseable> started = new ArrayDeque<>();

  private final String url;

  private App(Config config, Set<Duty> duties, Path data) {
    String node = "convoke-" + UUID.randomUUID().toString().substring(0, 8);
    PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    DatabaseUrl databaseUrl = DatabaseUrl.parse(config.get(Settings.DATABASE_URL).orElseThrow());
    DatabaseUrl listenUrl =
        config.get(Settings.LISTEN_DATABASE_URL).map(DatabaseUrl::parse).orElse(databaseUrl);
    Database database =
        keep(
            Database.open(
                databaseUrl, config.get(Settings.DATABASE_POOL), node, Migrations.SCHEMAS));
    migrate(database);
    NodeCost.of(database).bindTo(meters);
    Redis redis = keep(Redis.open(config.get(Settings.REDIS_URL).orElseThrow().toString()));
    if (redis.isNodeOfCluster()) {
      throw new InvalidConfig(
          List.of(
              "CONVOKE_REDIS_URL is a node of a cluster, where presence does not work: name one"
                  + " Redis, and the cluster for tasks as CONVOKE_DISPATCH_REDIS_URL"));
    }
    LeaseKeeper leases = keep(new LeaseKeeper(redis, node, meters));
    Journal journal = keep(new Journal(database));
    SecretBox secrets = Terms.secrets(config);
    int port = Terms.port(config);
    Users users = new Users(database);

    RedisBudget dailyBudget = new RedisBudget(redis, "daily");
    Platform daily = new DailyClient(Terms.daily(config), dailyBudget, InstantSource.system());
    Presence presence =
        keep(
            new Presence(
                redis,
                database,
                journal,
                leases,
                daily,
                Terms.dailySignature(config),
                new Mailbox(redis),
                Terms.dailyWebhook(config, dailyBudget),
                Terms.presence(config),
                node,
                meters,
                InstantSource.system()));
    AtomicReference<BooleanSupplier> databaseUp = new AtomicReference<>(() -> false);
    Database syncDatabase =
        keep(
            Database.open(
                databaseUrl, SYNC_POOL, node + "-sync", Migrations.SCHEMAS, SYNC_CONNECT_MAX));
    Sync sync =
        keep(
            new Sync(
                syncDatabase,
                journal,
                redis,
                () -> databaseUp.get().getAsBoolean(),
                Terms.sync(config),
                meters,
                InstantSource.system()));
    Recordings recordings =
        keep(
            new Recordings(
                redis,
                database,
                journal,
                leases,
                new DailyRecordings(Terms.daily(config), dailyBudget, dailyBudget.slow()),
                RecordingTools.of(config, data),
                new SyncReports(sync),
                Terms.recordings(config),
                Presence.RECORDING_INBOX,
                node,
                meters,
                InstantSource.system()));
    TaskDispatch tasks =
        keep(
            new TaskDispatch(
                taskRedis(config, redis),
                database,
                journal,
                secrets,
                Terms.dispatch(config),
                meters));
    Listener listener =
        keep(
            new Listener(
                listenUrl,
                Map.of(
                    Journal.CHANNEL,
                    journal.receiver(),
                    PostgresLedger.CHANNEL,
                    tasks.receiver(),
                    Presence.INBOX_CHANNEL,
                    both(presence.inboxReceiver(), recordings.inboxReceiver()))));

    databaseUp.set(listener::listening);
    sync.onRetry(SyncReports.retrying(recordings));

    BotTokens botTokens = new BotTokens(secrets);
    Bots bots =
        keep(
            new Bots(
                database,
                journal,
                redis,
                launcher(config, data),
                botTokens,
                Terms.sealing(secrets),
                (platform, meeting) ->
                    platform.equals("daily") ? daily.roomUrl(meeting) : Optional.empty(),
                config.get(Settings.MEETING_HOSTS),
                presence.witness(),
                Terms.bots(config, port),
                meters,
                node));
    MeetingStore meetings = new MeetingStore(database, journal);
    OpenTelemetry telemetry = keep(Spans.to(config.get(Settings.TRACES_URL), node)).telemetry();
    Webhooks webhooks =
        keep(
            new Webhooks(
                database,
                journal,
                Terms.webhookSecrets(secrets),
                config.get(WorkSettings.WEBHOOKS_ALLOW_PRIVATE),
                config.get(WorkSettings.DURABLE_WORKERS) == 0
                    ? 0
                    : config.get(WorkSettings.WEBHOOKS_CONCURRENCY),
                meters,
                InstantSource.system()));
    Workflows workflows =
        keep(
            new Workflows(
                databaseUrl,
                listenUrl,
                database,
                meetings,
                bots::remove,
                List.of(recordings::register, webhooks::register),
                Terms.workflows(config, duties.contains(Duty.DURABLE)),
                meters,
                telemetry));

    Health health = new Health();
    health.register("database", () -> databaseHealth(listener));
    health.register("redis", () -> redisHealth(redis));
    health.register("presence", presence::health);
    health.register("workflows", workflows::health);
    health.register("dispatch", tasks::health);
    health.register("sync", sync::health);

    List<Endpoint> endpoints = new ArrayList<>();
    endpoints.addAll(users.endpoints());
    endpoints.addAll(
        new MeetingEndpoints(meetings, journal, config.get(Settings.MEETING_HOSTS)).endpoints());
    endpoints.addAll(presence.endpoints());
    endpoints.addAll(bots.endpoints());
    endpoints.addAll(recordings.endpoints());
    endpoints.addAll(tasks.endpoints());
    endpoints.addAll(workflows.endpoints());
    endpoints.addAll(sync.endpoints());
    endpoints.addAll(webhooks.endpoints());
    endpoints.addAll(new EventsEndpoints(journal).endpoints());
    config
        .get(Settings.SIM_URL)
        .map(url -> simulator(url, config, database))
        .ifPresent(
            lab -> {
              endpoints.addAll(lab.endpoints());
              // How it is known that there is one, and that this is no place for real meetings.
              health.register("simulator", Health.Reading::ok);
            });
    Authenticator authenticator =
        new Authenticator(
            config.get(Settings.ADMIN_TOKEN),
            config.get(Settings.INTERNAL_TOKEN),
            users.apiKeys(),
            List.of(
                botTokens,
                new JwtBearer(Terms.jwt(config), users::exists, InstantSource.system())));
    HttpServer http =
        keep(
            HttpServer.start(
                Terms.http(config, port),
                endpoints,
                authenticator,
                new Sessions(secrets, InstantSource.system()),
                new IdempotencyStore(database, secrets),
                health,
                meters,
                telemetry));
    AutoCloseable _ = keep(bots::endWaits);
    url = http.url();
    if (duties.contains(Duty.PRESENCE)) {
      presence.start();
    }
    if (duties.contains(Duty.BOTS)) {
      bots.start();
    }
    if (duties.contains(Duty.RECORDINGS)) {
      recordings.start(config.get(Settings.DAILY_API_KEY).isPresent());
    }
    if (duties.contains(Duty.DURABLE)) {
      webhooks.start();
    }
    if (duties.contains(Duty.DISPATCH)) {
      tasks.start();
    }
    if (duties.contains(Duty.SYNC)) {
      sync.start();
    }
    log.info("node {} serves with duties {}", node, duties);
  }

  /** Starts everything that the duties ask for and answers once it serves. */
  public static App start(Config config, Set<Duty> duties, Path data) {
    return new App(config, duties, data);
  }

  /** Where the listener is. */
  public String url() {
    return url;
  }

  @Override
  public void close() {
    while (!started.isEmpty()) {
      AutoCloseable part = started.pop();
      try {
        part.close();
      } catch (Exception e) {
        log.warn("stopping {} failed", part.getClass().getSimpleName(), e);
      }
    }
  }

  /** Tasks may lie elsewhere, on a cluster; everything else needs one Redis. */
  private Redis taskRedis(Config config, Redis redis) {
    return config
        .get(WorkSettings.DISPATCH_REDIS_URL)
        .map(url -> keep(Redis.open(url.toString())))
        .orElse(redis);
  }

  private <T extends AutoCloseable> T keep(T part) {
    started.push(part);
    return part;
  }

  /** One channel for two who drain what came in. */
  private static Listener.Receiver both(Listener.Receiver one, Listener.Receiver other) {
    return new Listener.Receiver() {
      @Override
      public void notified(String payload) {
        one.notified(payload);
        other.notified(payload);
      }

      @Override
      public void rescan() {
        one.rescan();
        other.rescan();
      }
    };
  }

  private static SimulatorLab simulator(URI url, Config config, Database database) {
    return new SimulatorLab(
        url,
        database,
        Terms.presence(config).freshnessBound(),
        config.get(Settings.RECORDING_POLL_INTERVAL),
        InstantSource.system());
  }

  private static Launcher launcher(Config config, Path data) {
    return switch (config.get(Settings.BOT_LAUNCHER)) {
      case PROCESS -> processLauncher(config, data);
      case DOCKER -> new DockerLauncher(Terms.docker(config), InstantSource.system());
      case NOMAD -> new NomadLauncher(Terms.nomad(config));
      case KUBERNETES ->
          new KubernetesLauncher(KubernetesAccess.terms(config), InstantSource.system());
    };
  }

  private static Launcher processLauncher(Config config, Path data) {
    BotCommand command =
        config.get(Settings.BOT_COMMAND).map(BotCommand::shell).orElseGet(BotCommand::reference);
    try {
      return new ProcessLauncher(data.resolve("bots"), command);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot keep records of bots in " + data, e);
    }
  }

  private static Health.Reading databaseHealth(Listener listener) {
    return listener.listening()
        ? Health.Reading.ok()
        : Health.Reading.degraded("no notifications; the database may be out of reach");
  }

  private static Health.Reading redisHealth(Redis redis) {
    return redis.available()
        ? Health.Reading.ok()
        : Health.Reading.degraded("out of reach; webhooks go to the inbox, presence is slower");
  }

  /** Brings the schema up to date, waiting for a database that is still away. */
  private static void migrate(Database database) {
    while (true) {
      try {
        int _ = database.read(tx -> tx.sql("select 1 as alive").one(row -> row.intAt("alive")));
        int applied = Migrations.apply(database);
        log.info("schema up to date, {} migrations applied now", applied);
        return;
      } catch (StoreUnavailable e) {
        log.warn("waiting for the database: {}", e.getMessage());
        LockSupport.parkNanos(STORE_RETRY.toNanos());
      }
    }
  }
}
