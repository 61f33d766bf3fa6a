package io.convoke.server.recordings;

import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.FolderBlobStore;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.RetryPolicy;
import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.lease.LeaseRenewer;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.bots.BotTokens;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.crm.CrmConnector;
import io.convoke.server.http.Caller;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.DocumentParts;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.HealthChecks;
import io.convoke.server.http.HttpConfig;
import io.convoke.server.http.QuotaCheck;
import io.convoke.server.http.RequestPolicies;
import io.convoke.server.http.auth.Authenticator;
import io.convoke.server.http.auth.BrowserSessions;
import io.convoke.server.http.idempotency.IdempotencyStore;
import io.convoke.server.http.listener.HttpServer;
import io.convoke.server.media.MediaTool;
import io.convoke.server.meetings.MeetingStore;
import io.convoke.server.meetings.RoomTracking;
import io.convoke.server.platform.daily.DailyClient;
import io.convoke.server.platform.daily.DailyConfig;
import io.convoke.server.platform.daily.DailyRecordingSource;
import io.convoke.server.platform.daily.DailySignature;
import io.convoke.server.presence.ApiBudget;
import io.convoke.server.presence.EventIntake;
import io.convoke.server.presence.PolledPlatform;
import io.convoke.server.presence.PresenceConfig;
import io.convoke.server.presence.PresenceFeature;
import io.convoke.server.presence.RedisRateLimiter;
import io.convoke.server.rooms.RoomClaims;
import io.convoke.server.rooms.RoomClaims.RoomClaimMode;
import io.convoke.server.transcribe.Transcriber;
import io.convoke.server.transcripts.CorrectionEndpoints;
import io.convoke.server.transcripts.TranscriptEndpoints;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.RecordingRequest;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import io.convoke.simulator.time.ManualClock;
import io.convoke.simulator.webhook.WebhookEndpointRequest;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

/** A database, a Redis, a simulator with a settable clock, and any number of nodes. */
final class RecordingsTestKit implements AutoCloseable {
  static final Duration SOON = Duration.ofSeconds(30);
  private static final String SECRET = "Y29udm9rZS10ZXN0LXNlY3JldA==";
  private static final String ADMIN = "admin-token";

  final EmbeddedRedis redisServer = LocalStores.forTests().ownRedis();
  final DatabaseUrl url = DatabaseUrl.parse(MigratedDatabase.url());
  final Database database = Database.open(url, 10, "recordings-test", Migrations.SCHEMAS);
  final Redis redis = Redis.open(redisServer.url());
  final Journal journal;
  final BotTokens tokens = new BotTokens(SecretBox.of(SecretBox.newKey()));
  final ManualClock clock = new ManualClock(Instant.now());
  final Simulator sim;
  final long ann;
  final long bob;
  final List<SyncStepListener.SyncStepReport> reports = new CopyOnWriteArrayList<>();
  private final Path folder;
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  RecordingsTestKit(Path folder) {
    this.folder = folder;
    journal = new Journal(database);
    sim = Simulator.start(SimulatorConfig.defaults().withTime(clock));
    ann = user("ann");
    bob = user("bob");
  }

  /** The dependencies of a node. */
  record Gear(
      Optional<Transcriber> transcriber,
      Optional<CrmConnector> crm,
      RecordingConfig terms,
      MediaTool mediaTool,
      Optional<RecordingPlatform> folder) {
    static Gear of(Transcriber transcriber) {
      return new Gear(
          Optional.of(transcriber),
          Optional.empty(),
          quick(),
          new MediaTool("ffmpeg"),
          Optional.empty());
    }

    Gear with(CrmConnector target) {
      return new Gear(transcriber, Optional.of(target), terms, mediaTool, folder);
    }

    Gear with(RecordingConfig other) {
      return new Gear(transcriber, crm, other, mediaTool, folder);
    }

    Gear with(MediaTool other) {
      return new Gear(transcriber, crm, terms, other, folder);
    }

    Gear with(RecordingPlatform other) {
      return new Gear(transcriber, crm, terms, mediaTool, Optional.of(other));
    }
  }

  /** No timers: tests start each action; retries are immediate. */
  static RecordingConfig quick() {
    return quick(Optional.empty());
  }

  /** The same with a retention. */
  static RecordingConfig quick(Optional<Duration> retention) {
    return quick(retention, 40);
  }

  /** The same with so many attempts of each step. */
  static RecordingConfig quick(Optional<Duration> retention, int attempts) {
    return new RecordingConfig(
        Duration.ofDays(1),
        Duration.ofHours(1),
        Duration.ofDays(1),
        Duration.ofHours(1),
        Duration.ofDays(7),
        retention,
        new RetryPolicy(attempts, Duration.ofMillis(50), 1, Duration.ofMillis(50)));
  }

  /** One server process. */
  record Node(
      RecordingsFeature recordings,
      HttpServer http,
      Durable engine,
      PrometheusMeterRegistry meters) {
    /** Subscribes to recording events from now on. */
    SignalObservation<RecordingRow> moves() {
      return recordings.transitions().moved().observe();
    }
  }

  /** A node that serves webhooks and runs workflows, without sources of events yet. */
  Node node(Gear gear) {
    return node(gear, blobs(), builder -> {});
  }

  /** The same with a store of audio, and with more workflows. */
  Node node(Gear gear, BlobStore store, Consumer<Durable.Builder> more) {
    PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    String name = "node-" + UUID.randomUUID().toString().substring(0, 8);
    Redis own = keep(Redis.open(redisServer.url()));
    LeaseRenewer leases = keep(new LeaseRenewer(own, name, meters));
    DailyConfig daily = new DailyConfig(sim.apiUrl(), sim.apiKey(), DailyConfig.DEFAULT_TIMEOUT);
    RedisRateLimiter budget = new RedisRateLimiter(own, ApiBudget.DAILY);
    PresenceFeature presenceFeature =
        keep(
            new PresenceFeature(
                own,
                database,
                journal,
                leases,
                new PolledPlatform(
                    new DailyClient(daily, budget, InstantSource.system()),
                    new EventIntake.DailyWebhooks(
                        Optional.of(DailySignature.of(SECRET)),
                        new RecordingStream(own),
                        Optional.empty()),
                    ApiBudget.DAILY,
                    Set.of(),
                    true),
                new RoomTracking(database, journal, QuotaCheck.NONE),
                PresenceConfig.of(ServerConfig.of(Map.of())),
                name,
                meters,
                InstantSource.system()));
    RecordingsFeature recordingsFeature =
        keep(
            new RecordingsFeature(
                own,
                database,
                journal,
                leases,
                new DailyRecordingSource(daily, budget, budget.slow()),
                new RecordingsFeature.RecordingDependencies(
                    store,
                    gear.mediaTool(),
                    Optional.of(new TrackBucket.HttpBucket(bucket())),
                    gear.transcriber(),
                    gear.crm(),
                    gear.folder()),
                (tx, syncStepReport) -> reports.add(syncStepReport),
                gear.terms(),
                PresenceFeature.RECORDING_INBOX,
                name,
                meters,
                InstantSource.system()));
    LongPollConfig waiting = LongPollConfig.defaults().on();
    Durable.Builder builder = Durable.over(PostgresProvider.open(url, "durable", waiting), waiting);
    recordingsFeature.register(builder);
    more.accept(builder);
    Durable engine = keep(builder.start());
    List<Endpoint> endpoints = new ArrayList<>(presenceFeature.endpoints());
    endpoints.addAll(recordingsFeature.endpoints());
    MeetingStore meetings =
        new MeetingStore(database, journal, new RoomClaims(database, RoomClaimMode.FIRST));
    endpoints.addAll(new TranscriptEndpoints(database, meetings).endpoints());
    endpoints.addAll(new CorrectionEndpoints(database, journal, meetings).endpoints());
    HttpServer http =
        keep(
            HttpServer.start(
                HttpConfig.at("127.0.0.1", 0),
                endpoints,
                DocumentParts.NONE,
                new Authenticator(
                    Optional.of(ADMIN),
                    Optional.empty(),
                    key -> Optional.of(new Caller.UserCaller(Long.parseLong(key))),
                    List.of(tokens)),
                new BrowserSessions(SecretBox.of(SecretBox.newKey()), InstantSource.system()),
                new IdempotencyStore(database, SecretBox.of(SecretBox.newKey())),
                RequestPolicies.NONE,
                new HealthChecks(),
                meters,
                OpenTelemetry.noop()));
    return new Node(recordingsFeature, http, engine, meters);
  }

  /** A node that also reads webhooks; its first listing is done. */
  void start(Node node) {
    try (SignalObservation<Integer> listed = node.recordings().listing().listed().observe()) {
      node.recordings().start(true);
      int _ = listed.await(SOON);
    }
  }

  /** Makes the next listing due. */
  void unlist() {
    int _ = database.read(tx -> tx.sql("update recording_listing set listed_at = null").update());
  }

  /** The simulator's bucket of raw tracks. */
  private URI bucket() {
    return sim.apiUrl().resolve("/bucket");
  }

  FolderBlobStore blobs() {
    try {
      return new FolderBlobStore(folder.resolve("blobs"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Points the simulator's webhooks at a node. */
  void webhooksTo(Node node) {
    var _ =
        sim.webhooks()
            .preset(
                WebhookEndpointRequest.to(
                    URI.create(node.http().url() + "/webhooks/daily"), SECRET));
  }

  /** A tracked meeting in a room that exists on the platform, and the user's if it is free. */
  long meeting(long user, String room) {
    own(user, room, clock.instant());
    return meetingWithoutClaim(user, room);
  }

  /** A tracked meeting from before rooms had owners. */
  long meetingWithoutClaim(long user, String room) {
    var _ = sim.world().ensure(RoomRequest.named(room));
    return database.read(
        tx ->
            tx.sql(
                    """
                    insert into meetings
                      (user_id, platform, platform_specific_id, status, tracked, start_time)
                    values (?, 'daily', ?, 'active', true, ?) returning id
                    """)
                .with(user, room, clock.instant())
                .one(resultRow -> resultRow.longAt("id")));
  }

  /** Gives a room without an owner to a user. */
  void own(long user, String room, Instant since) {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        insert into rooms (platform, room, user_id, claimed_at, opens_at)
                        values ('daily', ?, ?, ?, date_trunc('second', ?::timestamptz))
                        on conflict do nothing
                        """)
                    .with(room, user, since, since)
                    .update());
  }

  /** Records a meeting of a minute and a half; returns the recording's id. */
  String record(String room) {
    return record(RecordingRequest.cloud(room), Duration.ofSeconds(90));
  }

  String record(RecordingRequest request, Duration length) {
    String room = request.room();
    var _ = sim.world().ensure(RoomRequest.named(room));
    JoinResult joined = sim.world().join(room, Visitor.named("Ada"));
    String ada = ((JoinResult.JoinedMeeting) joined).session().sessionId();
    Recording recording = sim.world().startRecording(request).orElseThrow();
    boolean _ = sim.world().say(room, ada, "Good morning.");
    clock.advance(length);
    int _ = sim.world().stopRecording(room, Optional.empty());
    clock.advance(Duration.ofSeconds(8));
    return recording.recordingId();
  }

  RecordingRow row(String id) {
    return new RecordingStore(database).find(id).orElseThrow();
  }

  /** Waits until a recording is in a status. */
  RecordingRow await(SignalObservation<RecordingRow> moves, String id, RecordingStatus status) {
    return moves.await(row -> row.id().equals(id) && row.status() == status, SOON);
  }

  List<String> words(long meeting) {
    return database.read(
        tx ->
            tx.sql("select text from transcriptions where meeting_id = ? order by id")
                .with(meeting)
                .list(resultRow -> resultRow.text("text")));
  }

  /** Data of a recording's events, oldest first. */
  List<JsonNode> events(String id) {
    return database.read(
        tx ->
            tx.sql("select data from events where subject = ? order by seq")
                .with("recording:" + id)
                .list(resultRow -> resultRow.json("data")));
  }

  long number(String sql) {
    return database.read(tx -> tx.sql(sql).one(resultRow -> resultRow.longAt("n")));
  }

  ContractClient as(Node node, long user) {
    return ContractClient.of(node.http().url()).with("X-API-Key", Long.toString(user));
  }

  ContractClient admin(Node node) {
    return ContractClient.of(node.http().url()).with("X-Admin-API-Key", ADMIN);
  }

  private long user(String name) {
    return database.read(
        tx ->
            tx.sql("insert into users (email) values (?) returning id")
                .with(name + "@example.org")
                .one(resultRow -> resultRow.longAt("id")));
  }

  <T extends AutoCloseable> T keep(T part) {
    parts.push(part);
    return part;
  }

  @Override
  public void close() {
    try {
      while (!parts.isEmpty()) {
        parts.pop().close();
      }
    } catch (Exception failed) {
      throw new AssertionError(failed);
    }
    sim.close();
    journal.close();
    redis.close();
    database.close();
    redisServer.close();
  }
}
