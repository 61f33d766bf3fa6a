package io.convoke.server;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.dispatch.PostgresTaskStore;
import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.lease.LeaseRenewer;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.wake.PostgresListener;
import io.convoke.server.audit.AuditEndpoints;
import io.convoke.server.audit.AuditLog;
import io.convoke.server.bots.BotTokens;
import io.convoke.server.bots.BotsConfig;
import io.convoke.server.bots.BotsFeature;
import io.convoke.server.config.BackgroundWorkSettings;
import io.convoke.server.config.InvalidConfigException;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
import io.convoke.server.crmaccounts.CrmAccountsFeature;
import io.convoke.server.crmaccounts.HubSpotAppConfig;
import io.convoke.server.dispatch.DispatchFeature;
import io.convoke.server.dispatch.TaskRule;
import io.convoke.server.egress.EgressFeature;
import io.convoke.server.events.EventsEndpoints;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.HealthChecks;
import io.convoke.server.http.HttpConfig;
import io.convoke.server.http.RequestPolicies;
import io.convoke.server.http.auth.Authenticator;
import io.convoke.server.http.auth.BearerScheme;
import io.convoke.server.http.auth.BrowserSessions;
import io.convoke.server.http.auth.JwtBearerScheme;
import io.convoke.server.http.auth.JwtConfig;
import io.convoke.server.http.idempotency.IdempotencyStore;
import io.convoke.server.http.listener.HttpServer;
import io.convoke.server.join.RoomRemoval;
import io.convoke.server.mcp.McpEndpoint;
import io.convoke.server.meetings.ChatEndpoints;
import io.convoke.server.meetings.ChatStore;
import io.convoke.server.meetings.MeetingEndpoints;
import io.convoke.server.meetings.MeetingStore;
import io.convoke.server.meetings.RoomTracking;
import io.convoke.server.meetingsync.MeetingSyncFeature;
import io.convoke.server.oidc.OidcConfig;
import io.convoke.server.oidc.OidcFeature;
import io.convoke.server.platform.PlatformClient;
import io.convoke.server.platform.RoomAddress;
import io.convoke.server.platform.daily.DailyClient;
import io.convoke.server.platform.daily.DailyConfig;
import io.convoke.server.platform.daily.DailyRecordingSource;
import io.convoke.server.platform.janus.JanusAdmin;
import io.convoke.server.presence.ApiBudget;
import io.convoke.server.presence.EventIntake;
import io.convoke.server.presence.PolledPlatform;
import io.convoke.server.presence.PresenceConfig;
import io.convoke.server.presence.PresenceFeature;
import io.convoke.server.presence.RedisRateLimiter;
import io.convoke.server.quota.QuotaConfig;
import io.convoke.server.quota.UsageEndpoints;
import io.convoke.server.quota.UserQuotas;
import io.convoke.server.recordings.RecordingConfig;
import io.convoke.server.recordings.RecordingStream;
import io.convoke.server.recordings.RecordingsFeature;
import io.convoke.server.rooms.RoomClaims;
import io.convoke.server.rooms.RoomEndpoints;
import io.convoke.server.simulator.SimulatorEndpoints;
import io.convoke.server.summaries.SummariesFeature;
import io.convoke.server.summaries.SummarizerFactory;
import io.convoke.server.sync.SyncConfig;
import io.convoke.server.sync.SyncFeature;
import io.convoke.server.teams.TeamEndpoints;
import io.convoke.server.trace.SpanExporterFactory;
import io.convoke.server.transcripts.CorrectionEndpoints;
import io.convoke.server.transcripts.SearchBackfill;
import io.convoke.server.transcripts.SearchEndpoint;
import io.convoke.server.transcripts.TranscriptEndpoints;
import io.convoke.server.users.UsersFeature;
import io.convoke.server.webhooks.WebhooksFeature;
import io.convoke.server.workflows.WorkflowsFeature;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wires the whole server, from the stores up to the listener. */
public final class App implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(App.class);

  /**
   * Connect timeout of the sync pool: short, because sync status retries within its own deadline.
   */
  private static final Duration SYNC_CONNECT_MAX = Duration.ofMillis(1500);

  private static final int SYNC_POOL = 4;

  /** A caller may make the requests of this many seconds at once. */
  private static final int BURST_SECONDS = 4;

  private final StartedParts started;

  private final HttpServer http;

  private App(
      ServerConfig serverConfig,
      Set<NodeRole> duties,
      Path data,
      StartupPort startupPort,
      StartedParts started) {
    this.started = started;
    String node = "convoke-" + UUID.randomUUID().toString().substring(0, 8);
    PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    var _ = meters.config().meterFilter(new MetricTexts());

    DatabaseUrl databaseUrl =
        DatabaseUrl.parse(serverConfig.get(Settings.DATABASE_URL).orElseThrow());
    DatabaseUrl listenUrl = serverConfig.sessionDatabaseUrl().orElseThrow();
    Database database =
        keep(
            Database.open(
                databaseUrl, serverConfig.get(Settings.DATABASE_POOL), node, Migrations.SCHEMAS));
    SchemaAtStart.awaitPostgres(database);
    SchemaAtStart.bringUpToDate(listenUrl, serverConfig.get(Settings.MIGRATE));
    NodeMetrics.of(database).bindTo(meters);
    Redis redis = keep(Redis.open(serverConfig.get(Settings.REDIS_URL).orElseThrow().toString()));
    if (redis.isNodeOfCluster()) {
      throw new InvalidConfigException(
          List.of(
              "CONVOKE_REDIS_URL is a node of a cluster, where presence does not work: name one"
                  + " Redis, and the cluster for tasks as CONVOKE_DISPATCH_REDIS_URL"));
    }
    LeaseRenewer leases = keep(new LeaseRenewer(redis, node, meters));
    Journal journal = keep(new Journal(database));
    SecretBox secrets = SecretBox.parse(serverConfig.get(Settings.SECRET_KEY).orElseThrow());
    int port = port(serverConfig);
    Optional<OidcConfig> oidcConfig = OidcConfig.of(serverConfig);
    UsersFeature usersFeature =
        keep(
            new UsersFeature(
                database,
                oidcConfig.map(oidc -> oidc.issuer().toString()),
                InstantSource.system()));
    RoomClaims rooms = new RoomClaims(database, serverConfig.get(Settings.ROOM_CLAIMS));
    UserQuotas userQuotas =
        new UserQuotas(QuotaConfig.of(serverConfig), database, System::nanoTime);

    PresenceFactory presence =
        new PresenceFactory(
            redis,
            database,
            journal,
            leases,
            new RoomTracking(database, journal, userQuotas),
            PresenceConfig.of(serverConfig),
            meters);
    RedisRateLimiter dailyBudget = new RedisRateLimiter(redis, ApiBudget.DAILY);
    PlatformClient daily =
        new DailyClient(DailyConfig.of(serverConfig), dailyBudget, InstantSource.system());
    PolledPlatform dailyPlatform =
        new PolledPlatform(
            daily,
            new EventIntake.DailyWebhooks(
                DailyConfig.signature(serverConfig),
                new RecordingStream(redis),
                DailyConfig.webhook(serverConfig, dailyBudget)),
            ApiBudget.DAILY,
            JanusFactory.polled(serverConfig),
            true);
    PresenceFeature presenceFeature = keep(presence.on(dailyPlatform, node));
    Optional<JanusAdmin> janusAdmin = JanusFactory.admin(serverConfig, redis);
    Optional<PresenceFeature> janusPresence =
        janusAdmin
            .map(admin -> JanusFactory.platform(admin, serverConfig, daily.name()))
            .map(platform -> keep(presence.on(platform, node + "-janus")));
    AtomicReference<BooleanSupplier> databaseUp = new AtomicReference<>(() -> false);
    Database syncDatabase =
        keep(
            Database.open(
                databaseUrl, SYNC_POOL, node + "-sync", Migrations.SCHEMAS, SYNC_CONNECT_MAX));
    SyncFeature syncFeature =
        keep(
            new SyncFeature(
                syncDatabase,
                journal,
                redis,
                () -> databaseUp.get().getAsBoolean(),
                SyncConfig.of(serverConfig),
                meters,
                InstantSource.system()));
    CrmAccountsFeature crmAccounts =
        new CrmAccountsFeature(
            HubSpotAppConfig.of(serverConfig), database, secrets, InstantSource.system());
    RecordingsFeature.RecordingDependencies recordingTools =
        RecordingToolsFactory.of(serverConfig, data, redis, crmAccounts.accounts(), janusAdmin);
    RecordingConfig recordingConfig = RecordingConfig.of(serverConfig);
    RecordingsFeature recordingsFeature =
        keep(
            new RecordingsFeature(
                redis,
                database,
                journal,
                leases,
                new DailyRecordingSource(
                    DailyConfig.of(serverConfig), dailyBudget, dailyBudget.slow()),
                recordingTools,
                new RecordingSyncReporter(syncFeature),
                recordingConfig,
                PresenceFeature.RECORDING_INBOX,
                node,
                meters,
                InstantSource.system()));
    MeetingSyncFeature meetingSyncFeature =
        new MeetingSyncFeature(
            database,
            syncFeature,
            recordingsFeature::syncs,
            recordingTools.crm(),
            serverConfig.get(BackgroundWorkSettings.SYNC_RECORDING_WAIT),
            recordingConfig.retry());
    SummariesFeature summariesFeature =
        new SummariesFeature(
            database,
            journal,
            SummarizerFactory.of(
                serverConfig.get(BackgroundWorkSettings.SUMMARIZER),
                serverConfig.get(BackgroundWorkSettings.SUMMARIZER_KEY)),
            (tx, meeting) ->
                recordingsFeature.sendAgain(tx, meeting)
                    && meetingSyncFeature.sendAgain(tx, meeting),
            recordingConfig.retry());
    recordingsFeature.onTranscribed(summariesFeature::transcribed);
    recordingsFeature.onNothing(meetingSyncFeature::cameToNothing);
    EgressFeature egressFeature =
        keep(
            new EgressFeature(
                database, recordingTools.blobs(), recordingConfig.retention(), secrets));
    DispatchFeature tasks =
        keep(
            new DispatchFeature(
                taskRedis(serverConfig, redis),
                database,
                journal,
                secrets,
                DispatchFeature.DispatchFeatureConfig.of(serverConfig),
                janusAdmin
                    .map(admin -> JanusFactory.egressOfOwners(admin, rooms, secrets))
                    .orElse(TaskRule.NONE),
                janusAdmin.isPresent() ? egressFeature : (tx, moves) -> {},
                meters));
    egressFeature.onUnfinished(tasks::submit);
    PostgresListener.NotificationReceiver inbox =
        both(presenceFeature.inboxReceiver(), recordingsFeature.inboxReceiver());
    PostgresListener postgresListener =
        keep(
            new PostgresListener(
                listenUrl,
                Map.of(
                    Journal.CHANNEL,
                    journal.receiver(),
                    PostgresTaskStore.CHANNEL,
                    tasks.receiver(),
                    UsersFeature.ACCESS_CHANNEL,
                    usersFeature.receiver(),
                    PresenceFeature.INBOX_CHANNEL,
                    janusPresence
                        .map(PresenceFeature::inboxReceiver)
                        .map(janus -> both(inbox, janus))
                        .orElse(inbox))));

    databaseUp.set(postgresListener::listening);
    syncFeature.onRetry(RecordingSyncReporter.retrying(recordingsFeature, meetingSyncFeature));

    BotTokens botTokens = new BotTokens(secrets);
    BotsFeature botsFeature =
        keep(
            new BotsFeature(
                database,
                journal,
                redis,
                LauncherFactory.of(serverConfig, data),
                botTokens,
                secrets,
                (platform, meeting) ->
                    platform.equals("daily") ? daily.roomAddress(meeting) : RoomAddress.none(),
                serverConfig.get(Settings.MEETING_HOSTS),
                rooms,
                presenceFeature.witness(),
                BotsConfig.of(serverConfig, port),
                meters,
                node));
    MeetingStore meetings = new MeetingStore(database, journal, rooms);
    RoomMoves displaced =
        new RoomMoves(database, meetings, botsFeature, tasks, janusAdmin.isPresent());
    rooms.adopt(displaced);
    OpenTelemetry telemetry =
        keep(SpanExporterFactory.to(serverConfig.get(Settings.TRACES_URL), node)).telemetry();
    WebhooksFeature webhooksFeature =
        keep(
            new WebhooksFeature(
                database,
                journal,
                secrets,
                serverConfig.get(BackgroundWorkSettings.WEBHOOKS_ALLOW_PRIVATE),
                serverConfig.get(BackgroundWorkSettings.DURABLE_WORKERS) == 0
                    ? 0
                    : serverConfig.get(BackgroundWorkSettings.WEBHOOKS_CONCURRENCY),
                meters,
                InstantSource.system()));
    WorkflowsFeature workflowsFeature =
        keep(
            new WorkflowsFeature(
                databaseUrl,
                listenUrl,
                database,
                meetings,
                botsFeature::remove,
                meeting -> {
                  summariesFeature.ended(meeting);
                  meetingSyncFeature.ended(meeting);
                },
                List.of(
                    recordingsFeature::register,
                    meetingSyncFeature::register,
                    summariesFeature::register,
                    webhooksFeature::register),
                WorkflowsFeature.WorkflowConfig.of(serverConfig, duties.contains(NodeRole.DURABLE)),
                meters,
                telemetry));

    HealthChecks healthChecks = new HealthChecks();
    healthChecks.register("database", () -> databaseHealth(postgresListener));
    healthChecks.register("redis", () -> redisHealth(redis));
    healthChecks.register("presence", presenceFeature::health);
    janusPresence.ifPresent(janus -> healthChecks.register("presence.janus", janus::health));
    healthChecks.register("workflows", workflowsFeature::health);
    healthChecks.register("dispatch", tasks::health);
    healthChecks.register("sync", syncFeature::health);

    AuditLog auditLog =
        keep(
            new AuditLog(
                database,
                serverConfig.get(Settings.AUDIT_RETENTION),
                meters,
                InstantSource.system()));
    auditLog.follow(database, syncDatabase);

    List<Endpoint> endpoints = new ArrayList<>();
    endpoints.addAll(usersFeature.endpoints());
    endpoints.addAll(new AuditEndpoints(auditLog).endpoints());
    endpoints.addAll(new UsageEndpoints(userQuotas).endpoints());
    endpoints.addAll(
        new MeetingEndpoints(meetings, journal, serverConfig.get(Settings.MEETING_HOSTS))
            .endpoints());
    endpoints.addAll(new TranscriptEndpoints(database, meetings).endpoints());
    endpoints.addAll(new ChatEndpoints(new ChatStore(database, journal), meetings).endpoints());
    endpoints.addAll(new CorrectionEndpoints(database, journal, meetings).endpoints());
    endpoints.addAll(new SearchEndpoint(database).endpoints());
    endpoints.addAll(summariesFeature.endpoints(meetings));
    endpoints.addAll(new RoomEndpoints(rooms, displaced).endpoints());
    endpoints.addAll(new TeamEndpoints(database, displaced).endpoints());
    endpoints.addAll(presenceFeature.endpoints());
    janusPresence.ifPresent(janus -> endpoints.addAll(janus.endpoints()));
    janusAdmin.ifPresent(
        admin ->
            endpoints.addAll(
                JanusFactory.rooms(admin, serverConfig, database, rooms, secrets, userQuotas)));
    endpoints.addAll(botsFeature.endpoints());
    endpoints.addAll(recordingsFeature.endpoints());
    endpoints.addAll(egressFeature.endpoints());
    endpoints.addAll(tasks.endpoints());
    endpoints.addAll(workflowsFeature.endpoints());
    endpoints.addAll(syncFeature.endpoints());
    endpoints.addAll(crmAccounts.endpoints());
    endpoints.addAll(webhooksFeature.endpoints());
    endpoints.addAll(new EventsEndpoints(journal).endpoints());
    serverConfig
        .get(Settings.SIM_URL)
        .map(url -> simulator(url, serverConfig, database))
        .ifPresent(
            lab -> {
              endpoints.addAll(lab.endpoints());
              // Shows in the health report that a simulator is attached: not for production.
              healthChecks.register("simulator", HealthChecks.HealthReading::ok);
            });
    endpoints.add(new McpEndpoint(endpoints, secrets, InstantSource.system()).endpoint());
    BrowserSessions browserSessions = new BrowserSessions(secrets, InstantSource.system());
    OidcFeature oidcFeature =
        new OidcFeature(oidcConfig, usersFeature, browserSessions, secrets, InstantSource.system());
    endpoints.addAll(oidcFeature.endpoints());
    List<BearerScheme> bearerSchemes = new ArrayList<>();
    bearerSchemes.add(botTokens);
    oidcFeature.bearerScheme().ifPresent(bearerSchemes::add);
    bearerSchemes.add(
        new JwtBearerScheme(
            jwtConfig(serverConfig), usersFeature::teamMates, InstantSource.system()));
    Authenticator authenticator =
        new Authenticator(
            serverConfig.get(Settings.ADMIN_TOKEN),
            serverConfig.get(Settings.INTERNAL_TOKEN),
            usersFeature.apiKeys(),
            bearerSchemes,
            oidcFeature.personVerifier());
    startupPort.close();
    http =
        keep(
            HttpServer.start(
                httpConfig(serverConfig, port),
                endpoints,
                PublicApi.parts(),
                authenticator,
                browserSessions,
                new IdempotencyStore(database, secrets),
                new RequestPolicies(auditLog, userQuotas),
                healthChecks,
                meters,
                telemetry));
    AutoCloseable _ = keep(botsFeature::endWaits);
    usersFeature.onAccessChanged(http::recheckStreams);
    usersFeature.onEnabled(webhooksFeature::enabled);
    usersFeature.start();
    auditLog.start();
    if (duties.contains(NodeRole.PRESENCE)) {
      presenceFeature.start();
      janusPresence.ifPresent(PresenceFeature::start);
      janusAdmin.ifPresent(admin -> keep(new RoomRemoval(admin, secrets, database)).start());
    }
    if (duties.contains(NodeRole.BOTS)) {
      botsFeature.start();
    }
    if (duties.contains(NodeRole.RECORDINGS)) {
      recordingsFeature.start(serverConfig.get(Settings.DAILY_API_KEY).isPresent());
      egressFeature.start();
      keep(new SearchBackfill(database)).start();
    }
    if (duties.contains(NodeRole.DURABLE)) {
      webhooksFeature.start();
    }
    if (duties.contains(NodeRole.DISPATCH)) {
      tasks.start();
    }
    if (duties.contains(NodeRole.SYNC)) {
      syncFeature.start();
    }
    serverConfig.warnings().forEach(warning -> log.warn("{}", warning));
    log.info("Node {} started with roles {}", node, duties);
  }

  /** How many connections to Postgres a server opens at most: its pools, and one that listens. */
  public static int databaseConnections(ServerConfig serverConfig) {
    return serverConfig.get(Settings.DATABASE_POOL) + SYNC_POOL + PostgresProvider.CONNECTIONS + 1;
  }

  /**
   * Starts the components of these roles; returns once the listener serves. If that fails, what has
   * started is stopped in order: by then workflows run, which hand back the work that they took.
   */
  public static App start(ServerConfig serverConfig, Set<NodeRole> duties, Path data) {
    StartedParts started = new StartedParts();
    try (StartupPort startupPort =
        new StartupPort(
            serverConfig.get(Settings.HOST),
            serverConfig.get(Settings.PORT),
            StartupPort.OPENS_AFTER)) {
      return new App(serverConfig, duties, data, startupPort, started);
    } catch (RuntimeException | Error e) {
      started.close();
      throw e;
    }
  }

  /** The listener's URL. */
  public String url() {
    return http.url();
  }

  /**
   * Serves on while its clients and balancers find other servers: {@code /readyz} says 503, and
   * connections close after their response. {@link #close} follows.
   */
  public void announceStop() {
    http.announceStop();
    log.info("Stopping: /readyz says 503");
  }

  @Override
  public void close() {
    started.close();
  }

  /** The Redis of the task queues, which may be a cluster; everything else uses the main one. */
  private Redis taskRedis(ServerConfig serverConfig, Redis redis) {
    return serverConfig
        .get(BackgroundWorkSettings.DISPATCH_REDIS_URL)
        .map(url -> keep(Redis.open(url.toString())))
        .orElse(redis);
  }

  private <T extends AutoCloseable> T keep(T part) {
    return started.keep(part);
  }

  /** Passes notifications of one channel to two receivers. */
  private static PostgresListener.NotificationReceiver both(
      PostgresListener.NotificationReceiver one, PostgresListener.NotificationReceiver other) {
    return new PostgresListener.NotificationReceiver() {
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

  private static SimulatorEndpoints simulator(
      URI url, ServerConfig serverConfig, Database database) {
    return new SimulatorEndpoints(
        url,
        database,
        PresenceConfig.of(serverConfig).freshnessBound(),
        serverConfig.get(Settings.RECORDING_POLL_INTERVAL),
        InstantSource.system());
  }

  /**
   * The port to listen on; a free one if it is 0, because bots need it before the listener starts.
   */
  private static int port(ServerConfig serverConfig) {
    int wanted = serverConfig.get(Settings.PORT);
    if (wanted != 0) {
      return wanted;
    }
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException("No free port", e);
    }
  }

  /** The HTTP frame knows no configuration: the configuration knows its types. */
  private static HttpConfig httpConfig(ServerConfig serverConfig, int port) {
    int rate = serverConfig.get(Settings.RATE_LIMIT);
    return HttpConfig.at(serverConfig.get(Settings.HOST), port)
        .with(
            new HttpConfig.SlowClientConfig(
                serverConfig.get(Settings.HTTP_STALL_TIMEOUT),
                HttpConfig.SlowClientConfig.DEFAULT.after(),
                serverConfig.get(Settings.HTTP_STALLED_PER_ADDRESS)))
        .with(serverConfig.get(Settings.TRUSTED_PROXIES))
        .with(new HttpConfig.RateLimitConfig(rate, rate * BURST_SECONDS));
  }

  private static JwtConfig jwtConfig(ServerConfig serverConfig) {
    return new JwtConfig(
        serverConfig.get(Settings.JWT_SECRET),
        serverConfig.get(Settings.JWKS_URL),
        serverConfig.get(Settings.JWT_AUDIENCE),
        serverConfig.get(Settings.JWT_ISSUER));
  }

  private static HealthChecks.HealthReading databaseHealth(PostgresListener postgresListener) {
    return postgresListener.listening()
        ? HealthChecks.HealthReading.ok()
        : HealthChecks.HealthReading.degraded(
            "LISTEN delivers no notifications; Postgres may be unreachable");
  }

  private static HealthChecks.HealthReading redisHealth(Redis redis) {
    return redis.available()
        ? HealthChecks.HealthReading.ok()
        : HealthChecks.HealthReading.degraded(
            "Redis is unreachable; webhooks go to the inbox, presence is slower");
  }
}
