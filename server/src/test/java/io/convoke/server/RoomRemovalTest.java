package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.fakes.janus.FakeJanus;
import io.convoke.fakes.janus.JanusServer;
import io.convoke.fakes.janus.JanusServer.JanusJoin;
import io.convoke.fakes.orchestrator.RequestFaults.RequestFault.DelayRequest;
import io.convoke.fakes.orchestrator.RequestFaults.RequestFault.RefuseRequest;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.server.join.RoomRemoval;
import io.convoke.server.launch.Await;
import io.convoke.server.platform.RateLimiter;
import io.convoke.server.platform.janus.JanusAdmin;
import io.convoke.server.platform.janus.JanusAdmin.JanusReply;
import io.convoke.server.platform.janus.JanusConfig;
import io.convoke.simulator.stores.LocalStores;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Rooms of ours at Janus: unused ones are removed, and a user has a limited number of them. */
class RoomRemovalTest {
  private static final String ADMIN = "the-admins-token";
  private static final String SECRET_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  private static final Map<String, Object> JOIN =
      Map.of(
          "janus", "message",
          "transaction", "t",
          "body", Map.of("request", "join", "ptype", "publisher", "display", "Ada"));
  private static final Map<String, String> settings = new HashMap<>();
  private static final FakeJanus janus = new FakeJanus();
  private static final JanusAdmin janusAdmin =
      new JanusAdmin(
          new JanusConfig(
              janus.adminUrl(),
              JanusServer.ADMIN_SECRET,
              JanusServer.ADMIN_KEY,
              JanusConfig.DEFAULT_TIMEOUT),
          RateLimiter.unlimited());
  @TempDir private static Path folder;
  private static JanusClientApi clients;
  private static Database database;
  private static App app;
  private static ContractClient admin;

  @BeforeAll
  static void start() throws Exception {
    clients = JanusClientApi.start();
    String url = MigratedDatabase.url();
    database = Database.open(DatabaseUrl.parse(url), 4, "test", Migrations.SCHEMAS);
    settings.put("CONVOKE_PORT", "0");
    settings.put("CONVOKE_DATABASE_URL", url);
    settings.put("CONVOKE_REDIS_URL", LocalStores.forTests().redis().url());
    settings.put("CONVOKE_SECRET_KEY", SECRET_KEY);
    settings.put("CONVOKE_ADMIN_TOKEN", ADMIN);
    settings.put("CONVOKE_RATE_LIMIT", "100000");
    settings.put("CONVOKE_QUOTA_ROOMS", "2");
    settings.put("CONVOKE_DAILY_API_URL", "http://127.0.0.1:1");
    settings.put("CONVOKE_JANUS_ADMIN_URL", janus.adminUrl().toString());
    settings.put("CONVOKE_JANUS_ADMIN_SECRET", JanusServer.ADMIN_SECRET);
    settings.put("CONVOKE_JANUS_ADMIN_KEY", JanusServer.ADMIN_KEY);
    settings.put("CONVOKE_JANUS_URL", clients.url());
    app = App.start(ServerConfig.of(settings), EnumSet.of(NodeRole.API), folder);
    admin = ContractClient.of(app.url()).with("X-Admin-API-Key", ADMIN);
  }

  @AfterAll
  static void stop() {
    app.close();
    database.close();
    clients.close();
    janus.close();
  }

  private static ContractClient user(String name) {
    long id =
        admin
            .post("/admin/users", Map.of("email", name + "@example.org"))
            .expect(201)
            .json()
            .path("id")
            .asLong();
    String key =
        admin
            .post("/admin/users/" + id + "/tokens", Map.of())
            .expect(201)
            .json()
            .path("token")
            .asString();
    return ContractClient.of(app.url()).with("X-API-Key", key);
  }

  private static JsonNode make(ContractClient user, String room) {
    return user.post("/rooms", Map.of("name", room)).expect(201).json();
  }

  private static ContractClient guestOf(JsonNode room) {
    String link = room.path("links").path("guest").asString();
    return ContractClient.of(app.url()).with("X-Join-Token", link.substring(link.indexOf('#') + 1));
  }

  /** What Janus says to what it is sent when a guest enters. */
  private static JanusJoin enter(ContractClient guest) {
    guest.post("/join/janus/11/22", JOIN).expect(200);
    JsonNode sent = clients.last().path("body");
    return janus.join(
        sent.path("room").asString(),
        sent.path("pin").asString(),
        Optional.empty(),
        Optional.empty());
  }

  /** As if these rooms had not been used for eleven minutes. */
  private static void age(String... rooms) {
    database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      update janus_rooms set used_at = used_at - interval '11 minutes'
                      where room = any(?)
                      """)
                  .with((Object) rooms)
                  .update();
        });
  }

  private static RoomRemoval removal(String keys) {
    return new RoomRemoval(janusAdmin, SecretBox.parse(keys), database);
  }

  private static boolean atJanus(String room) {
    return janusAdmin.send("exists", Map.of("room", room))
            instanceof JanusReply.JanusAnswer(JsonNode answer)
        && answer.path("exists").asBoolean();
  }

  private static String usage(ContractClient user) {
    for (JsonNode item : user.get("/usage").expect(200).json().path("items")) {
      if (item.path("name").asString().equals("rooms")) {
        return item.path("used") + " of " + item.path("limit");
      }
    }
    return "none";
  }

  private static void visit(long meeting) {
    database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      insert into participant_sessions
                        (meeting_id, session_id, joined_at, left_at, join_source, last_seen_at)
                      values (?, 'x', now(), now(), 'poll', now())
                      """)
                  .with(meeting)
                  .update();
        });
  }

  @Test
  void aRoomThatIsNotUsedIsRemovedAndALinkMakesItAgain() {
    ContractClient ann = user("ann");
    JsonNode idle = make(ann, "idle");
    assertThat(enter(guestOf(make(ann, "busy")))).isInstanceOf(JanusJoin.JanusJoined.class);
    ContractClient bob = user("bob");
    JsonNode filmed = make(bob, "filmed");
    bob.post(
            "/tasks",
            Map.of(
                "request_id",
                "film",
                "type",
                "egress",
                "action",
                "start",
                "channel",
                "filmed",
                "payload",
                Map.of("kind", "record", "access_token", filmed.path("egress_token").asString())))
        .expect(202);
    JsonNode _ = make(bob, "visited");
    visit(
        bob.post("/meetings", Map.of("platform", "janus", "native_meeting_id", "visited"))
            .expect(201)
            .json()
            .path("id")
            .asLong());
    JsonNode _ = make(user("cid"), "young");

    age("idle", "busy", "filmed", "visited");
    boolean _ =
        removal(Base64.getEncoder().encodeToString(SecretBox.newKey()) + "," + SECRET_KEY).run();
    assertThat(
            Stream.of("idle", "busy", "filmed", "visited", "young")
                .filter(RoomRemovalTest::atJanus))
        .containsExactly("busy", "filmed", "visited", "young");
    assertThat(enter(guestOf(idle))).isInstanceOf(JanusJoin.JanusJoined.class);
    assertThat(janus.complaints()).isEmpty();
  }

  @Test
  void whoJoinsWhileTwoServersRemoveTheRoomIsInIt() throws Exception {
    ContractClient guest = guestOf(make(user("dan"), "doorway"));
    age("doorway");
    CountDownLatch removing = new CountDownLatch(1);
    janus
        .faults()
        .next(
            request -> {
              boolean fits = request.text().contains("\"destroy\"");
              if (fits) {
                removing.countDown();
              }
              return fits;
            },
            new DelayRequest(Duration.ofMillis(500)));
    CompletableFuture<Void> one = CompletableFuture.runAsync(removal(SECRET_KEY)::run);
    assertThat(removing.await(20, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Void> other = CompletableFuture.runAsync(removal(SECRET_KEY)::run);
    JanusJoin joined = enter(guest);
    one.get(20, TimeUnit.SECONDS);
    other.get(20, TimeUnit.SECONDS);
    assertThat(joined).isInstanceOf(JanusJoin.JanusJoined.class);
    assertThat(atJanus("doorway")).isTrue();
    assertThat(janus.requests().stream().filter("destroy doorway"::equals)).hasSize(1);
  }

  /** Each look inserts a row with its number; only the last one commits. */
  @Test
  void aRoomThatIsBeingRemovedIsLookedAtLessAndLessOftenAndNothingIsCommittedMeanwhile() {
    ContractClient ida = user("ida");
    JsonNode _ = make(ida, "closing");
    for (String sql :
        List.of(
            "create table looks (number bigserial)",
            """
            create function look() returns trigger language plpgsql as $$
            begin
              insert into looks default values;
              return new;
            end $$
            """,
            """
            create trigger look before insert on janus_rooms
            for each row when (new.room = 'closing') execute function look()
            """,
            """
            update janus_rooms set closed_until = clock_timestamp() + interval '1500 ms'
            where room = 'closing'
            """)) {
      int _ = database.read(tx -> tx.sql(sql).update());
    }
    JsonNode _ = make(ida, "closing");
    List<Long> looks =
        database.read(tx -> tx.sql("select number from looks").list(row -> row.longAt("number")));
    assertThat(looks).hasSize(1).allMatch(number -> number <= 10);
  }

  @Test
  void aRoomThatOthersMadeAtJanusStays() {
    for (Map<String, String> made :
        List.of(Map.of("room", "open"), Map.of("room", "locked", "secret", "of-others"))) {
      Map<String, String> fields = new HashMap<>(made);
      fields.put("admin_key", JanusServer.ADMIN_KEY);
      assertThat(janusAdmin.send("create", fields)).isInstanceOf(JanusReply.JanusAnswer.class);
    }
    ContractClient eve = user("eve");
    JsonNode _ = make(eve, "open");
    JsonNode _ = make(eve, "locked");
    assertThat(usage(eve)).isEqualTo("2 of 2");
    age("open", "locked");
    boolean _ = removal(SECRET_KEY).run();
    assertThat(atJanus("open")).isTrue();
    assertThat(atJanus("locked")).isTrue();
    assertThat(usage(eve)).isEqualTo("0 of 2");
  }

  @Test
  void aJanusThatDoesNotAnswerIsAskedAgain() {
    JsonNode _ = make(user("hal"), "stuck");
    age("stuck");
    janus.faults().next(request -> request.text().contains("\"destroy\""), new RefuseRequest(500));
    boolean _ = removal(SECRET_KEY).run();
    assertThat(atJanus("stuck")).isTrue();
    age("stuck");
    boolean _ = removal(SECRET_KEY).run();
    assertThat(atJanus("stuck")).isFalse();
  }

  @Test
  void aUserHasALimitedNumberOfRoomsAtJanus() {
    ContractClient fay = user("fay");
    ContractClient guest = guestOf(make(fay, "one"));
    JsonNode _ = make(fay, "two");
    JsonNode problem = fay.post("/rooms", Map.of()).expect(429, "quota_exceeded").json();
    assertThat(problem.path("quota").asString()).isEqualTo("rooms");
    assertThat(problem.path("used").asLong()).isEqualTo(2);
    assertThat(problem.path("limit").asLong()).isEqualTo(2);
    JsonNode _ = make(fay, "two");
    assertThat(usage(fay)).isEqualTo("2 of 2");

    age("one");
    boolean _ = removal(SECRET_KEY).run();
    JsonNode _ = make(fay, "three");
    guest.post("/join/janus/11/22", JOIN).expect(429, "quota_exceeded");
    age("two");
    boolean _ = removal(SECRET_KEY).run();
    assertThat(enter(guest)).isInstanceOf(JanusJoin.JanusJoined.class);
  }

  @Test
  void aServerOfRolePresenceRemovesRooms() {
    JsonNode _ = make(user("gil"), "left");
    age("left");
    try (App _ =
        App.start(
            ServerConfig.of(settings), EnumSet.of(NodeRole.PRESENCE), folder.resolve("presence"))) {
      Await.until("the removal", () -> !atJanus("left"));
    }
  }
}
