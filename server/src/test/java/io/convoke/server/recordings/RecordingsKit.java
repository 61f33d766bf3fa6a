package io.convoke.server.recordings;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.RetryPolicy;
import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.lease.LeaseKeeper;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.seal.SecretBox;
import io.convoke.engine.signal.Signal.Observation;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.lab.sim.Simulator;
import io.convoke.lab.sim.SimulatorOptions;
import io.convoke.lab.sim.time.SteppedTime;
import io.convoke.lab.sim.webhook.EndpointRequest;
import io.convoke.lab.sim.world.JoinResult;
import io.convoke.lab.sim.world.Recording;
import io.convoke.lab.sim.world.RecordingRequest;
import io.convoke.lab.sim.world.RoomRequest;
import io.convoke.lab.sim.world.Visitor;
import io.convoke.lab.stores.RedisServer;
import io.convoke.lab.stores.Stores;
import io.convoke.server.Migrations;
import io.convoke.server.blobs.FolderBlobs;
import io.convoke.server.crm.Crm;
import io.convoke.server.http.Authenticator;
import io.convoke.server.http.Caller;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Health;
import io.convoke.server.http.HttpServer;
import io.convoke.server.http.HttpTerms;
import io.convoke.server.http.IdempotencyStore;
import io.convoke.server.http.Sessions;
import io.convoke.server.platform.daily.DailyClient;
import io.convoke.server.platform.daily.DailyRecordings;
import io.convoke.server.platform.daily.DailySignature;
import io.convoke.server.platform.daily.DailyTerms;
import io.convoke.server.presence.Presence;
import io.convoke.server.presence.PresenceTerms;
import io.convoke.server.presence.RedisBudget;
import io.convoke.server.transcribe.Transcriber;
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
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import tools.jackson.databind.JsonNode;

/** A database, a Redis, a simulator whose clock we move, and as many nodes as a scenario shows. */
final class RecordingsKit implements AutoCloseable {
  static final Duration SOON = Duration.ofSeconds(30);
  private static final String SECRET = "Y29udm9rZS10ZXN0LXNlY3JldA==";
  private static final String ADMIN = "admin-token";

  final RedisServer redisServer = Stores.forTests().ownRedis();
  final DatabaseUrl url = DatabaseUrl.parse(Stores.forTests().freshDatabase());
  final Database database = Database.open(url, 10, "recordings-test", Migrations.SCHEMAS);
  final Redis redis = Redis.open(redisServer.url());
  final Journal journal;
  final SteppedTime clock = new SteppedTime(Instant.now());
  final Simulator sim;
  final long ann;
  final long bob;
  final List<SyncSteps.Report> reports = new CopyOnWriteArrayList<>();
  private final Path folder;
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  RecordingsKit(Path folder) {
    this.folder = folder;
    int _ = Migrations.apply(database);
    journal = new Journal(database);
    sim = Simulator.start(SimulatorOptions.defaults().withTime(clock));
    ann = user("ann");
    bob = user("bob");
  }

  /** What a node works with. */
  record Gear(Optional<Transcriber> transcriber, Optional<Crm> crm, RecordingTerms terms) {
    static Gear of(Transcriber transcriber) {
      return new Gear(Optional.of(transcriber), Optional.empty(), quick());
    }

    Gear with(Crm target) {
      return new Gear(transcriber, Optional.of(target), terms);
    }

    Gear with(RecordingTerms other) {
      return new Gear(transcriber, crm, other);
    }
  }

  /** No timers: what a test wants to happen it starts itself; what fails is tried at once. */
  static RecordingTerms quick() {
    return new RecordingTerms(
        Duration.ofDays(1),
        Duration.ofHours(1),
        Duration.ofDays(1),
        Duration.ofHours(1),
        Duration.ofDays(7),
        Optional.empty(),
        new RetryPolicy(40, Duration.ofMillis(50), 1, Duration.ofMillis(50)));
  }

  /** One server process. */
  record Node(
      Recordings recordings, HttpServer http, Durable engine, PrometheusMeterRegistry meters) {
    /** What happens to recordings from now on. */
    Observation<RecordingRow> moves() {
      return recordings.transitions().moved().observe();
    }
  }

  /** A node that serves webhooks and works, and that nobody tells of anything yet. */
  Node node(Gear gear) {
    PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    String name = "node-" + UUID.randomUUID().toString().substring(0, 8);
    Redis own = keep(Redis.open(redisServer.url()));
    LeaseKeeper leases = keep(new LeaseKeeper(own, name, meters));
    DailyTerms daily = new DailyTerms(sim.apiUrl(), sim.apiKey(), DailyTerms.DEFAULT_TIMEOUT);
    RedisBudget budget = new RedisBudget(own, "daily");
    Presence presence =
        keep(
            new Presence(
                own,
                database,
                journal,
                leases,
                new DailyClient(daily, budget, InstantSource.system()),
                Optional.of(DailySignature.of(SECRET)),
                new Mailbox(own),
                Optional.empty(),
                PresenceTerms.defaults(),
                name,
                meters,
                InstantSource.system()));
    Recordings recordings =
        keep(
            new Recordings(
                own,
                database,
                journal,
                leases,
                new DailyRecordings(daily, budget, budget.slow()),
                new Recordings.Tools(blobs(), gear.transcriber(), gear.crm()),
                (tx, report) -> reports.add(report),
                gear.terms(),
                Presence.RECORDING_INBOX,
                name,
                meters,
                InstantSource.system()));
    LongPollConfig waiting = LongPollConfig.defaults().on();
    Durable.Builder builder = Durable.over(PostgresProvider.open(url, "durable", waiting), waiting);
    recordings.register(builder);
    Durable engine = keep(builder.start());
    List<Endpoint> endpoints = new ArrayList<>(presence.endpoints());
    endpoints.addAll(recordings.endpoints());
    HttpServer http =
        keep(
            HttpServer.start(
                HttpTerms.at("127.0.0.1", 0),
                endpoints,
                new Authenticator(
                    Optional.of(ADMIN),
                    Optional.empty(),
                    key -> Optional.of(new Caller.User(Long.parseLong(key))),
                    List.of()),
                new Sessions(SecretBox.of(SecretBox.newKey()), InstantSource.system()),
                new IdempotencyStore(database, SecretBox.of(SecretBox.newKey())),
                new Health(),
                meters,
                OpenTelemetry.noop()));
    return new Node(recordings, http, engine, meters);
  }

  /** A node that also reads webhooks; the listing that it begins with is over. */
  void start(Node node) {
    try (Observation<Integer> listed = node.recordings().listing().listed().observe()) {
      node.recordings().start(true);
      int _ = listed.await(SOON);
    }
  }

  /** The next listing is due. */
  void unlist() {
    int _ = database.read(tx -> tx.sql("update recording_listing set listed_at = null").update());
  }

  FolderBlobs blobs() {
    try {
      return new FolderBlobs(folder.resolve("blobs"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Points the simulator's webhooks at a node. */
  void webhooksTo(Node node) {
    var _ =
        sim.webhooks()
            .preset(EndpointRequest.to(URI.create(node.http().url() + "/webhooks/daily"), SECRET));
  }

  /** A tracked meeting in a room that exists on the platform. */
  long meeting(long user, String room) {
    var _ = sim.world().ensure(RoomRequest.named(room));
    return database.read(
        tx ->
            tx.sql(
                    """
                    insert into meetings
                      (user_id, platform, platform_specific_id, status, tracked, start_time)
                    values (?, 'daily', ?, 'active', true, now()) returning id
                    """)
                .with(user, room)
                .one(row -> row.longAt("id")));
  }

  /** A meeting of a minute and a half is recorded; answers the recording's id. */
  String record(String room) {
    return record(RecordingRequest.cloud(room), Duration.ofSeconds(90));
  }

  String record(RecordingRequest request, Duration length) {
    String room = request.room();
    var _ = sim.world().ensure(RoomRequest.named(room));
    JoinResult joined = sim.world().join(room, Visitor.named("Ada"));
    String ada = ((JoinResult.Joined) joined).session().sessionId();
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
  RecordingRow await(Observation<RecordingRow> moves, String id, RecordingStatus status) {
    return moves.await(row -> row.id().equals(id) && row.status() == status, SOON);
  }

  List<String> words(long meeting) {
    return database.read(
        tx ->
            tx.sql("select text from transcriptions where meeting_id = ? order by id")
                .with(meeting)
                .list(row -> row.text("text")));
  }

  /** Data of a recording's events, oldest first. */
  List<JsonNode> events(String id) {
    return database.read(
        tx ->
            tx.sql("select data from events where subject = ? order by seq")
                .with("recording:" + id)
                .list(row -> row.json("data")));
  }

  long number(String sql) {
    return database.read(tx -> tx.sql(sql).one(row -> row.longAt("n")));
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
                .one(row -> row.longAt("id")));
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
