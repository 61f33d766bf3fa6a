package io.convoke.server.presence;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.json.Json;
import io.convoke.engine.lease.LeaseRenewer;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.http.DocumentParts;
import io.convoke.server.http.HealthChecks;
import io.convoke.server.http.HttpConfig;
import io.convoke.server.http.QuotaCheck;
import io.convoke.server.http.RequestPolicies;
import io.convoke.server.http.auth.Authenticator;
import io.convoke.server.http.auth.BrowserSessions;
import io.convoke.server.http.idempotency.IdempotencyKeys;
import io.convoke.server.http.listener.HttpServer;
import io.convoke.server.meetings.RoomTracking;
import io.convoke.server.platform.RateLimiter;
import io.convoke.server.platform.daily.DailyClient;
import io.convoke.server.platform.daily.DailyConfig;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;

/** A database, a Redis, a simulator and any number of presence nodes. */
final class PresenceTestKit implements AutoCloseable {
  static final String SECRET = "Y29udm9rZS10ZXN0LXNlY3JldA==";
  static final Duration SOON = Duration.ofSeconds(20);
  private static final String ADMIN = "admin-token";

  final EmbeddedRedis redisServer;
  final DatabaseUrl databaseUrl = DatabaseUrl.parse(MigratedDatabase.url());
  final Database database = Database.open(databaseUrl, 10, "presence-test", Migrations.SCHEMAS);
  private final String redisUrl;
  final Redis redis;
  final Journal journal;
  final Simulator sim;
  final TestPlatform platform;
  final long user;
  private final HttpClient httpClient = HttpClient.newHttpClient();
  private final Deque<AutoCloseable> nodes = new ArrayDeque<>();

  PresenceTestKit() {
    this(SimulatorConfig.defaults());
  }

  /** With Janus in the place of the simulator's Daily. */
  static PresenceTestKit onJanus() {
    EmbeddedRedis server = LocalStores.forTests().ownRedis();
    return new PresenceTestKit(
        SimulatorConfig.defaults(), server, server.url(), Optional.of(new JanusTestPlatform()));
  }

  PresenceTestKit(SimulatorConfig options) {
    this(options, LocalStores.forTests().ownRedis());
  }

  private PresenceTestKit(SimulatorConfig options, EmbeddedRedis server) {
    this(options, server, server.url());
  }

  /** Nodes that reach Redis by another address. */
  PresenceTestKit(SimulatorConfig options, EmbeddedRedis server, String url) {
    this(options, server, url, Optional.empty());
  }

  private PresenceTestKit(
      SimulatorConfig options,
      EmbeddedRedis server,
      String url,
      Optional<TestPlatform> otherPlatform) {
    redisServer = server;
    redisUrl = url;
    redis = Redis.open(redisUrl);
    journal = new Journal(database);
    sim = Simulator.start(options);
    platform = otherPlatform.orElseGet(() -> new DailyTestPlatform(sim));
    user =
        database.read(
            tx ->
                tx.sql("insert into users (email) values (?) returning id")
                    .with(UUID.randomUUID() + "@example.org")
                    .one(resultRow -> resultRow.longAt("id")));
  }

  /** Short windows, no timers: tests start each action. */
  static PresenceConfig quick() {
    return new PresenceConfig(
        Duration.ofMillis(100),
        Duration.ofMillis(50),
        Duration.ofMinutes(10),
        PresenceConfig.ReconcileMode.BULK,
        Duration.ofMinutes(10),
        Duration.ofDays(7),
        8);
  }

  /** One server process. */
  record Node(PresenceFeature presence, HttpServer http, Redis redis, LeaseRenewer leases)
      implements AutoCloseable {
    @Override
    public void close() {
      presence.close();
      http.close();
      leases.close();
      redis.close();
    }
  }

  /** A node that serves HTTP and runs the background work. */
  Node node(PresenceConfig terms) {
    Node node = api(terms);
    awaitRedis();
    boolean first =
        !exists(platform.polled(redis, Optional.empty()).keys().of(PresenceKeys.GENERATION));
    try (SignalObservation<String> recovered = node.presence().signals().recovered().observe();
        SignalObservation<String> ticked = node.presence().signals().ticked().observe()) {
      node.presence().start();
      if (first) {
        String _ = recovered.await(SOON);
        String _ = ticked.await(SOON);
      }
    }
    return node;
  }

  /** A node that serves HTTP alone: role {@code api}. */
  Node api(PresenceConfig terms) {
    return api(terms, database);
  }

  Node api(PresenceConfig terms, Database itsDatabase) {
    return api(terms, itsDatabase, 0);
  }

  /** A node that serves HTTP and, once started, manages the webhook at the platform. */
  Node watching(PresenceConfig terms) throws IOException {
    return api(terms, database, InstalledPrograms.freePort());
  }

  private Node api(PresenceConfig terms, Database itsDatabase, int watchedPort) {
    PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    Redis own = Redis.open(redisUrl);
    String name = "node-" + UUID.randomUUID().toString().substring(0, 8);
    LeaseRenewer leases = new LeaseRenewer(own, name, meters);
    PresenceFeature presenceFeature =
        new PresenceFeature(
            own,
            itsDatabase,
            journal,
            leases,
            platform.polled(
                own,
                watchedPort == 0 ? Optional.empty() : Optional.of(webhookAddress(watchedPort))),
            new RoomTracking(itsDatabase, journal, QuotaCheck.NONE),
            terms,
            name,
            meters,
            InstantSource.system());
    HttpServer http =
        HttpServer.start(
            HttpConfig.at("127.0.0.1", watchedPort),
            presenceFeature.endpoints(),
            DocumentParts.NONE,
            new Authenticator(
                Optional.of(ADMIN), Optional.empty(), key -> Optional.empty(), List.of()),
            new BrowserSessions(SecretBox.of(SecretBox.newKey()), InstantSource.system()),
            new NoIdempotency(),
            RequestPolicies.NONE,
            new HealthChecks(),
            meters,
            OpenTelemetry.noop());
    Node node = new Node(presenceFeature, http, own, leases);
    nodes.push(node);
    return node;
  }

  private static URI webhookAddress(int port) {
    return URI.create("http://127.0.0.1:" + port + "/webhooks/daily");
  }

  /** A client of the simulator, without a budget. */
  DailyClient client() {
    return new DailyClient(
        new DailyConfig(sim.apiUrl(), sim.apiKey(), DailyConfig.DEFAULT_TIMEOUT),
        RateLimiter.unlimited(),
        InstantSource.system());
  }

  /** Sends the platform's events to a node. */
  void webhooksTo(Node node) {
    platform.eventsTo(node);
  }

  /** An active tracked meeting in a room that exists on the platform. */
  long meeting(String room) {
    platform.ensure(room);
    return row(room, "active", true);
  }

  long row(String room, String status, boolean tracked) {
    return row(platform.name(), room, status, tracked);
  }

  long row(String platform, String room, String status, boolean tracked) {
    return database.transaction(
        tx -> {
          long id =
              tx.sql(
                      """
                      insert into meetings (user_id, platform, platform_specific_id, status, tracked)
                      values (?, ?, ?, ?, ?) returning id
                      """)
                  .with(user, platform, room, status, tracked)
                  .one(resultRow -> resultRow.longAt("id"));
          moved(tx, id, status);
          return id;
        });
  }

  /** Changes a meeting's status as its reducer would. */
  void move(long meeting, String status) {
    database.run(
        tx -> {
          int _ =
              tx.sql("update meetings set status = ?, end_time = now() where id = ?")
                  .with(status, meeting)
                  .update();
          moved(tx, meeting, status);
        });
  }

  private void moved(io.convoke.engine.sql.Tx tx, long meeting, String status) {
    journal.append(
        tx,
        List.of(
            NewJournalEvent.of(
                "meeting.status_changed",
                "meeting:" + meeting,
                Optional.of(user),
                Map.of("meeting_id", meeting, "to", status))));
  }

  /** A participant joins; returns the session id. */
  String join(String room, String name) {
    return platform.join(room, name);
  }

  String join(String room, Visitor visitor) {
    return daily().join(room, visitor);
  }

  void leave(String room, String session) {
    platform.leave(room, session);
  }

  /** Waits until a poll of the meeting was committed or failed, and its claim ended. */
  static PresenceTestSignals.ClaimEnded polled(
      SignalObservation<PresenceTestSignals.ClaimEnded> ended, long meeting) {
    return ended.await(it -> it.meeting() == meeting && it.poll(), SOON);
  }

  JsonNode participants(Node node, long meeting) throws IOException, InterruptedException {
    return Json.read(get(node, "/meetings/" + meeting + "/participants?active=true").body());
  }

  List<String> names(Node node, long meeting) throws IOException, InterruptedException {
    return participants(node, meeting)
        .path("items")
        .valueStream()
        .map(item -> item.path("user_name").asString())
        .toList();
  }

  HttpResponse<String> get(Node node, String path) throws IOException, InterruptedException {
    return httpClient.send(
        HttpRequest.newBuilder(URI.create(node.http().url() + path))
            .header("X-Admin-API-Key", ADMIN)
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** Sends a signed body as Daily would. */
  int webhook(Node node, String body) throws IOException, InterruptedException {
    return daily().webhook(node, body);
  }

  private DailyTestPlatform daily() {
    return (DailyTestPlatform) platform;
  }

  HttpResponse<String> post(Node node, byte[] body, String timestamp, String signature)
      throws IOException, InterruptedException {
    return daily().post(node, body, timestamp, signature);
  }

  static String joined(String id, String room, String session, Instant at) {
    return """
    {"version":"1.0.0","type":"participant.joined","id":"%s","event_ts":%s,
     "payload":{"session_id":"%s","room":"%s","user_name":"%s","joined_at":%s}}
    """
        .formatted(id, seconds(at), session, room, session, seconds(at));
  }

  static String left(
      String id, String room, String session, Instant joined, double duration, Instant sent) {
    return """
    {"version":"1.0.0","type":"participant.left","id":"%s","event_ts":%s,
     "payload":{"session_id":"%s","room":"%s","joined_at":%s,"duration":%s}}
    """
        .formatted(id, seconds(sent), session, room, seconds(joined), duration);
  }

  private static String seconds(Instant at) {
    return "%d.%03d".formatted(at.getEpochSecond(), at.toEpochMilli() % 1000);
  }

  int numClients(long meeting) {
    return number("select num_clients from meetings where id = " + meeting);
  }

  /** One number from the database. */
  int number(String sql) {
    return database.read(
        tx -> tx.sql("select (" + sql + ") as number").one(resultRow -> resultRow.intAt("number")));
  }

  /** Data of a meeting's events so far, by type, oldest first. */
  List<JsonNode> events(long meeting, String type) {
    return events("meeting:" + meeting, type);
  }

  List<JsonNode> events(String subject, String type) {
    return database.read(
        tx ->
            tx.sql("select data from events where subject = ? and type = ? order by seq")
                .with(subject, type)
                .list(resultRow -> resultRow.json("data")));
  }

  /** Polls of one room that the platform has answered. */
  long polls(String room) {
    return platform.polls(room);
  }

  /** Requests to the platform's API so far. */
  long calls() {
    return sim.requests().recent().size();
  }

  /** All dead letters, page by page: reason, room, count, and the session or the body. */
  List<String> deadLetters(Node node, String query) throws IOException, InterruptedException {
    List<String> letters = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page = Json.read(get(node, "/dead-letters/webhooks" + query + cursor).body());
      for (JsonNode item : page.path("items")) {
        String body = item.path("body").asString();
        letters.add(
            item.path("reason").asString()
                + " "
                + item.path("room").asString("null")
                + " "
                + item.path("count").asLong()
                + " "
                + (body.startsWith("{") ? Json.read(body).path("session_id").asString() : body));
      }
      cursor =
          page.path("next_cursor").isString()
              ? "&cursor=" + page.path("next_cursor").asString()
              : "";
    } while (!cursor.isEmpty());
    return letters;
  }

  /** The first attempt to connect may fail on a busy machine; the next one follows. */
  private void awaitRedis() {
    long end = System.nanoTime() + SOON.toNanos();
    while (!redis.available() && System.nanoTime() < end) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  boolean exists(String key) {
    return redis.call(commands -> commands.exists(key)) == 1;
  }

  @Override
  public void close() {
    try {
      while (!nodes.isEmpty()) {
        nodes.pop().close();
      }
    } catch (Exception failed) {
      throw new AssertionError(failed);
    }
    platform.close();
    sim.close();
    journal.close();
    redis.close();
    database.close();
    redisServer.close();
  }

  /** No test creates users over HTTP. */
  private static final class NoIdempotency implements IdempotencyKeys {
    @Override
    public IdempotencyClaim claim(IdempotencyKey idempotencyKey, byte[] fingerprint) {
      throw new AssertionError();
    }

    @Override
    public void complete(IdempotencyKey idempotencyKey, String token, StoredResponse answer) {
      throw new AssertionError();
    }

    @Override
    public void release(IdempotencyKey idempotencyKey, String token) {
      throw new AssertionError();
    }

    @Override
    public void abandon(IdempotencyKey idempotencyKey, String token) {
      throw new AssertionError();
    }
  }
}
