package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.BotConfig;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.json.Json;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.wake.PostgresListener;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.events.EventTypes;
import io.convoke.server.events.EventsEndpoints;
import io.convoke.server.http.Caller;
import io.convoke.server.http.DocumentParts;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.HealthChecks;
import io.convoke.server.http.HttpConfig;
import io.convoke.server.http.RequestPolicies;
import io.convoke.server.http.auth.Authenticator;
import io.convoke.server.http.auth.BrowserSessions;
import io.convoke.server.http.idempotency.IdempotencyStore;
import io.convoke.server.http.listener.HttpServer;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.Launcher;
import io.convoke.server.meetings.AllowedMeetingHosts;
import io.convoke.server.meetings.ChatEndpoints;
import io.convoke.server.meetings.ChatStore;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingEndpoints;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.server.meetings.MeetingStore;
import io.convoke.server.platform.BotRoomReport;
import io.convoke.server.platform.RoomAddress;
import io.convoke.server.rooms.RoomClaims;
import io.convoke.server.transcripts.CorrectionEndpoints;
import io.convoke.server.transcripts.SearchEndpoint;
import io.convoke.server.transcripts.TranscriptEndpoints;
import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.stores.LocalStores;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * A server with the bots feature on real stores: its own database, the real listener, any launcher.
 */
final class BotsTestServer implements AutoCloseable {
  /** The address of the simulated rooms. */
  private static final AllowedMeetingHosts HOSTS = AllowedMeetingHosts.listed("127.0.0.1");

  static final Duration SOON = Duration.ofSeconds(20);
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  final Database database;
  final Redis redis;
  final Journal journal;
  final BotsFeature bots;
  final BotsConfig terms;

  final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  /** The reports of bots on their rooms, oldest first. */
  final List<BotRoomReport> reports = new CopyOnWriteArrayList<>();

  /** What platforms answer to the question where a meeting is. */
  volatile MeetingUrlResolver urls = (_, _) -> RoomAddress.none();

  private final DatabaseUrl databaseUrl;
  private final BotTokens tokens;
  private final HttpServer server;
  private final List<AutoCloseable> parts = new ArrayList<>();

  /** The default settings of bots that call this address and may use this Redis. */
  static BotsConfig config(String callbackUrl, Optional<String> redisUrl) {
    return BotsConfig.of(
        ServerConfig.of(
            Map.of(
                "CONVOKE_BOT_CALLBACK_URL",
                callbackUrl,
                "CONVOKE_BOT_REDIS_URL",
                redisUrl.orElse(""))),
        0);
  }

  private BotsTestServer(
      String databaseUrl,
      String redisUrl,
      Launcher launcher,
      UnaryOperator<BotsConfig> change,
      SecretBox secrets,
      int port,
      Function<BotsTestServer, List<Endpoint>> further) {
    this.databaseUrl = DatabaseUrl.parse(databaseUrl);
    terms = change.apply(config("http://127.0.0.1:" + port, Optional.of(redisUrl)));
    database =
        keep(Database.open(DatabaseUrl.parse(databaseUrl), 8, "bots-test", Migrations.SCHEMAS));
    int _ = Migrations.apply(database);
    redis = keep(Redis.open(redisUrl));
    journal = keep(new Journal(database));
    PostgresListener _ =
        keep(
            new PostgresListener(
                DatabaseUrl.parse(databaseUrl), Map.of(Journal.CHANNEL, journal.receiver())));
    tokens = new BotTokens(secrets);
    RoomClaims rooms = new RoomClaims(database, RoomClaims.RoomClaimMode.FIRST);
    bots =
        keep(
            new BotsFeature(
                database,
                journal,
                redis,
                launcher,
                tokens,
                secrets,
                (platform, id) -> urls.of(platform, id),
                HOSTS,
                rooms,
                (meeting, platform, report) -> reports.add(report),
                terms,
                meters,
                "node-" + port));
    MeetingStore meetings = new MeetingStore(database, journal, rooms);
    server =
        keep(
            HttpServer.start(
                HttpConfig.at("127.0.0.1", port)
                    .with(new HttpConfig.RateLimitConfig(10_000, 10_000)),
                Stream.of(
                        bots.endpoints(),
                        new MeetingEndpoints(meetings, journal, HOSTS).endpoints(),
                        new TranscriptEndpoints(database, meetings).endpoints(),
                        new ChatEndpoints(new ChatStore(database, journal), meetings).endpoints(),
                        new CorrectionEndpoints(database, journal, meetings).endpoints(),
                        new SearchEndpoint(database).endpoints(),
                        new EventsEndpoints(journal).endpoints(),
                        further.apply(this))
                    .flatMap(List::stream)
                    .toList(),
                new DocumentParts(Map.of(), EventTypes.ALL, Optional.empty()),
                new Authenticator(
                    Optional.of("the-admin-key"),
                    Optional.empty(),
                    key ->
                        key.startsWith("user-")
                            ? Optional.of(new Caller.UserCaller(Long.parseLong(key.substring(5))))
                            : Optional.empty(),
                    List.of(tokens)),
                new BrowserSessions(secrets, InstantSource.system()),
                new IdempotencyStore(database, secrets),
                RequestPolicies.NONE,
                new HealthChecks(),
                meters,
                OpenTelemetry.noop()));
  }

  /** A server on a new database. */
  static BotsTestServer open(Launcher launcher, UnaryOperator<BotsConfig> change) {
    LocalStores localStores = LocalStores.forTests();
    return new BotsTestServer(
        MigratedDatabase.url(),
        localStores.redis().url(),
        launcher,
        change,
        SecretBox.of(SecretBox.newKey()),
        freePort(),
        _ -> List.of());
  }

  static BotsTestServer open(Launcher launcher) {
    return open(launcher, terms -> terms);
  }

  /** Another node of the same control plane, or its restart on the same port. */
  static BotsTestServer node(
      String databaseUrl,
      String redisUrl,
      SecretBox secrets,
      int port,
      Launcher launcher,
      UnaryOperator<BotsConfig> change) {
    return new BotsTestServer(
        databaseUrl, redisUrl, launcher, change, secrets, port, _ -> List.of());
  }

  /** A server that also has other endpoints. */
  static BotsTestServer with(
      String redisUrl,
      Launcher launcher,
      UnaryOperator<BotsConfig> change,
      Function<BotsTestServer, List<Endpoint>> further) {
    return new BotsTestServer(
        MigratedDatabase.url(),
        redisUrl,
        launcher,
        change,
        SecretBox.of(SecretBox.newKey()),
        freePort(),
        further);
  }

  /** A response. */
  record Answered(int status, String body, HttpHeaders headers) {
    Optional<String> header(String name) {
      return headers.firstValue(name);
    }

    JsonNode json() {
      return Json.read(body);
    }

    Answered expect(int wanted) {
      assertThat(status).as(body).isEqualTo(wanted);
      return this;
    }

    String code() {
      return json().path("code").asString("");
    }
  }

  /** For connections of a test's own. */
  DatabaseUrl databaseUrl() {
    return databaseUrl;
  }

  String url() {
    return server.url();
  }

  long user(Optional<Integer> maxBots) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    insert into users (email, max_concurrent_bots)
                    values (gen_random_uuid()::text, ?) returning id
                    """)
                .with(maxBots)
                .one(resultRow -> resultRow.longAt("id")));
  }

  Answered start(long user, String room) {
    return call("POST", "/bots/start", asUser(user), startBody(room));
  }

  static Map<String, Object> startBody(String room) {
    return Map.of("platform", "daily", "native_meeting_id", room);
  }

  Answered user(long user, String method, String path, Object body) {
    return call(method, path, asUser(user), body);
  }

  Answered get(long user, String path) {
    return call("GET", path, asUser(user), Map.of());
  }

  /** A callback as the launched bot makes it. */
  Answered callback(BotConfig bot, String name, Map<String, Object> more) {
    Map<String, Object> body = new java.util.LinkedHashMap<>(more);
    body.putIfAbsent("connection_id", bot.connectionId());
    return call(
        name.equals("status") ? "PATCH" : "POST",
        "/callback/" + name,
        List.of("Authorization", "Bearer " + bot.token()),
        body);
  }

  Answered started(BotConfig bot) {
    return callback(bot, "started", Map.of("meeting_id", bot.meetingId()));
  }

  Answered call(String method, String path, List<String> header, Object body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url() + path))
            .headers(header.toArray(String[]::new))
            .timeout(SOON);
    if (method.equals("GET")) {
      request.GET();
    } else {
      request
          .header("Content-Type", "application/json")
          .method(method, HttpRequest.BodyPublishers.ofByteArray(Json.bytes(body)));
    }
    try {
      HttpResponse<String> response =
          HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
      return new Answered(response.statusCode(), response.body(), response.headers());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  static List<String> asUser(long user) {
    return List.of("X-API-Key", "user-" + user);
  }

  /** The configuration that the launcher gives to the bot of this row. */
  BotConfig configOf(long meetingId) {
    BotRow row = row(meetingId);
    return config(
        Json.write(
            Map.of(
                "meeting_id", meetingId,
                "connection_id", row.connectionId(),
                "attempt", row.attempt(),
                "platform", "daily",
                "native_meeting_id", row.meeting().platformSpecificId(),
                "token", tokens.of(row),
                "callback_url", url())));
  }

  static BotConfig config(LaunchSpec spec) {
    return config(spec.botConfig());
  }

  private static BotConfig config(String json) {
    return BotConfig.parse(json);
  }

  BotRow row(long meetingId) {
    return new BotStore(database).find(meetingId).orElseThrow();
  }

  MeetingStatus status(long meetingId) {
    return row(meetingId).status();
  }

  JsonNode outcome(long meetingId) {
    return row(meetingId).meeting().data().path("outcome");
  }

  /** Ages one row: moves its times into the past. */
  void age(long meetingId, Duration by) {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        update meetings set state_entered_at = state_entered_at - ? * interval '1 ms',
                          updated_at = updated_at - ? * interval '1 ms',
                          stop_requested_at = stop_requested_at - ? * interval '1 ms'
                        where id = ?
                        """)
                    .with(by, by, by, meetingId)
                    .update());
  }

  /** Sets the control plane's start far into the past. */
  void upForEver() {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        insert into bot_sweep (node, lease_until, swept_at, up_since)
                        values ('before', now() - interval '1 s', now(), now() - interval '1 day')
                        on conflict (only_row) do update set up_since = excluded.up_since
                        """)
                    .update());
  }

  TestSignal.SignalObservation<Meeting> moves() {
    return bots.transitions().moved().observe();
  }

  /** Locks a user's row, as a server that hangs during a reservation does. */
  void hold(long user, CountDownLatch locked, CountDownLatch over) {
    database.run(
        tx -> {
          long _ =
              tx.sql("select id from users where id = ? for update")
                  .with(user)
                  .one(resultRow -> resultRow.longAt("id"));
          locked.countDown();
          try {
            over.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  /** Transactions that wait for the row of a user. */
  long waitingForUsers() {
    return database.read(
        tx ->
            tx.sql(
                    "select count(*) as n from pg_stat_activity where datname = current_database()"
                        + " and wait_event_type = 'Lock' and query like '%from users%'")
                .one(resultRow -> resultRow.longAt("n")));
  }

  @Override
  public void close() {
    requireOneOrderForEachEnd();
    bots.endWaits();
    for (AutoCloseable part : parts.reversed()) {
      try {
        part.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** After each test: a meeting has a post-meeting workflow if and only if it is over. */
  private void requireOneOrderForEachEnd() {
    int wrong =
        database.read(
            tx ->
                tx.sql(
                        """
                        select count(*)::int as wrong from meetings m
                        full join post_meeting p on p.meeting_id = m.id
                        where (p.meeting_id is not null)
                          is distinct from (m.status in ('completed', 'failed', 'error'))
                        """)
                    .one(resultRow -> resultRow.intAt("wrong")));
    if (wrong > 0) {
      throw new AssertionError(wrong + " meetings whose end and order differ");
    }
  }

  <T extends AutoCloseable> T keep(T part) {
    parts.add(part);
    return part;
  }

  /** A port outside of those that connections take. */
  static int freePort() {
    return InstalledPrograms.freePort();
  }
}
