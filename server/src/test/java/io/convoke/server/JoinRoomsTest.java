package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.crypto.AccessTokenSealer;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.fakes.janus.FakeJanus;
import io.convoke.fakes.janus.JanusServer;
import io.convoke.fakes.orchestrator.RequestFaults.RequestFault;
import io.convoke.fakes.orchestrator.RequestFaults.RequestFault.DelayRequest;
import io.convoke.fakes.orchestrator.RequestFaults.RequestFault.LoseAnswer;
import io.convoke.fakes.orchestrator.RequestFaults.RequestFault.RefuseRequest;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.auth.TokenSigner;
import io.convoke.server.launch.Await;
import io.convoke.simulator.stores.LocalStores;
import java.nio.charset.StandardCharsets;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Rooms that users make, over the fake of Janus and a client API that writes down what it gets. */
class JoinRoomsTest {
  private static final String ADMIN = "the-admins-token";
  private static final String SECRET_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  private static final Map<String, Object> JOIN =
      Map.of(
          "janus", "message",
          "transaction", "t",
          "body", Map.of("request", "join", "ptype", "publisher", "display", "Ada"));
  private static final FakeJanus janus = new FakeJanus();
  @TempDir private static Path folder;
  private static String databaseUrl;
  private static JanusClientApi clients;
  private static App app;
  private static ContractClient admin;
  private static ContractClient ann;
  private static ContractClient bob;

  @BeforeAll
  static void start() throws Exception {
    clients = JanusClientApi.start();
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_PORT", "0");
    databaseUrl = LocalStores.forTests().freshDatabase();
    settings.put("CONVOKE_DATABASE_URL", databaseUrl);
    settings.put("CONVOKE_REDIS_URL", LocalStores.forTests().redis().url());
    settings.put("CONVOKE_SECRET_KEY", SECRET_KEY);
    settings.put("CONVOKE_ADMIN_TOKEN", ADMIN);
    settings.put("CONVOKE_RATE_LIMIT", "100000");
    settings.put("CONVOKE_JANUS_ADMIN_URL", janus.adminUrl().toString());
    settings.put("CONVOKE_JANUS_ADMIN_SECRET", JanusServer.ADMIN_SECRET);
    settings.put("CONVOKE_JANUS_ADMIN_KEY", JanusServer.ADMIN_KEY);
    settings.put("CONVOKE_JANUS_URL", clients.url());
    settings.put("CONVOKE_JANUS_API_SECRET", "the-api-secret");
    settings.put("CONVOKE_JANUS_RECORDINGS", "/srv/janus");
    settings.put("CONVOKE_PUBLIC_URL", "https://convoke.example.org/");
    app = App.start(ServerConfig.of(settings), EnumSet.of(NodeRole.API), folder);
    admin = ContractClient.of(app.url()).with("X-Admin-API-Key", ADMIN);
    ann = user("ann@example.org");
    bob = user("bob@example.org");
  }

  private static ContractClient user(String email) {
    long id =
        admin.post("/admin/users", Map.of("email", email)).expect(201).json().path("id").asLong();
    String key =
        admin
            .post("/admin/users/" + id + "/tokens", Map.of())
            .expect(201)
            .json()
            .path("token")
            .asString();
    return ContractClient.of(app.url()).with("X-API-Key", key);
  }

  private static long id(ContractClient user) {
    return user.get("/session").expect(200).json().path("user_id").asLong();
  }

  @AfterAll
  static void stop() {
    app.close();
    clients.close();
    janus.close();
  }

  private static ContractClient by(String link) {
    assertThat(link).startsWith("https://convoke.example.org/join.html#cvj_");
    return ContractClient.of(app.url()).with("X-Join-Token", link.substring(link.indexOf('#') + 1));
  }

  private static ContractClient guestOf(JsonNode room) {
    return by(room.path("links").path("guest").asString());
  }

  private static boolean saysRecorded(ContractClient guest) {
    return guest.get("/join/room").expect(200).json().path("recorded").asBoolean();
  }

  private static void failNextRecordingCall() {
    janus
        .faults()
        .next(request -> request.text().contains("enable_recording"), new RefuseRequest(500));
  }

  private static void failNextMaking(RequestFault fault) {
    janus.faults().next(request -> request.text().contains("\"create\""), fault);
  }

  private static JsonNode last() {
    return clients.last();
  }

  @Test
  void aRoomIsItsUsersAndItsLinksJoinIt() {
    JsonNode room = ann.post("/rooms", Map.of("name", "board")).expect(201).json();
    bob.post("/rooms", Map.of("name", "board")).expect(403, "room_claimed");
    bob.post("/meetings", Map.of("platform", "janus", "native_meeting_id", "board"))
        .expect(403, "room_claimed");
    ann.post("/meetings", Map.of("platform", "janus", "native_meeting_id", "board")).expect(201);

    ContractClient guest = by(room.path("links").path("guest").asString());
    assertThat(guest.get("/join/room").expect(200).json().path("role").asString())
        .isEqualTo("guest");
    guest.post("/join/janus/11/22", JOIN).expect(200);
    JsonNode body = last().path("body");
    assertThat(last().path("apisecret").asString()).isEqualTo("the-api-secret");
    assertThat(body.path("room").asString()).isEqualTo("board");
    assertThat(body.path("id").asString()).startsWith("guest-");
    assertThat(janus.join("board", body.path("pin").asString(), Optional.of("x"), Optional.empty()))
        .isEqualTo(new JanusServer.JanusJoin.JanusJoined("x"));
    assertThat(janus.join("board", "", Optional.of("y"), Optional.empty()))
        .isEqualTo(new JanusServer.JanusJoin.JanusJoinRefused(433));

    guest.post("/join/remove", Map.of("id", "x")).expect(403, "host_needed");
    ContractClient host = by(room.path("links").path("host").asString());
    host.post("/join/remove", Map.of("id", "x")).expect(204);
    host.post("/join/remove", Map.of("id", "x")).expect(404);
  }

  @Test
  void aRoomThatJanusForgotIsMadeAgainAndALinkOfAReleasedRoomIsWorthNothing() {
    JsonNode room = ann.post("/rooms", Map.of()).expect(201).json();
    String name = room.path("room").asString();
    assertThat(name).matches("room-[0-9a-f]{20}");
    ContractClient guest = by(room.path("links").path("guest").asString());
    janus.restart();
    guest.post("/join/janus/11/22", JOIN).expect(200);
    assertThat(
            janus.join(
                name,
                last().path("body").path("pin").asString(),
                Optional.of("z"),
                Optional.empty()))
        .isEqualTo(new JanusServer.JanusJoin.JanusJoined("z"));

    guest.get("/join/room").expect(200);
    admin.delete("/rooms/janus/" + name).expect(204);
    guest.get("/join/room").expect(403, "room_moved");
    guest.post("/join/janus/11/22", JOIN).expect(403, "room_moved");
    by(room.path("links").path("host").asString())
        .post("/join/remove", Map.of("id", "z"))
        .expect(403, "room_moved");
  }

  /** Who has a link of Ann's for this room that expired long ago. */
  private static ContractClient late(String room) {
    String claim =
        "guest_%d_1700000000_%s"
            .formatted(
                id(ann),
                Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(room.getBytes(StandardCharsets.UTF_8)));
    SecretBox secrets = SecretBox.of(Base64.getDecoder().decode(SECRET_KEY));
    return ContractClient.of(app.url())
        .with(
            "X-Join-Token",
            "cvj_" + claim + "_" + new TokenSigner(secrets, "join-token").sign(claim));
  }

  private static Map<String, Object> toHandle(Map<String, Object> body) {
    return Map.of("janus", "message", "transaction", "t", "body", body);
  }

  @Test
  void aLinkThatHasExpiredLetsNoOneInAndWhoIsInStays() {
    ann.post("/rooms", Map.of("name", "late")).expect(201);
    ContractClient guest = late("late");
    int before = clients.count();
    guest.get("/join/room").expect(401);
    guest.post("/join/janus", Map.of("janus", "create")).expect(401);
    guest.post("/join/janus/11/22", JOIN).expect(401);
    guest.post("/join/janus/11/22", toHandle(Map.of("request", "join"))).expect(401);
    assertThat(clients.count()).isEqualTo(before);

    guest.get("/join/janus/11").expect(200);
    guest.post("/join/janus/11", Map.of("janus", "keepalive")).expect(200);
    guest.post("/join/janus/11", Map.of("janus", "attach")).expect(200);
    Map<String, Object> hears =
        Map.of("request", "join", "ptype", "subscriber", "streams", List.of(Map.of("feed", "x")));
    guest.post("/join/janus/11/23", toHandle(hears)).expect(200);
    guest.post("/join/janus/11/23", toHandle(Map.of("request", "start"))).expect(200);
    guest.post("/join/janus/11", Map.of("janus", "destroy")).expect(200);
    assertThat(clients.count()).isEqualTo(before + 5);

    admin.delete("/rooms/janus/late").expect(204);
    guest.post("/join/janus/11/24", toHandle(hears)).expect(403, "room_moved");
  }

  @Test
  void aRoomIsRecordedIfItsUserWantsItAlsoAfterJanusForgotIt() {
    JsonNode made = ann.post("/rooms", Map.of("name", "talk", "record", true)).expect(201).json();
    assertThat(made.path("recorded").asBoolean()).isTrue();
    assertThat(janus.recordedIn("talk")).contains("/srv/janus/talk");
    ContractClient guest = guestOf(made);
    assertThat(saysRecorded(guest)).isTrue();

    janus.restart();
    guest.post("/join/janus/11/22", JOIN).expect(200);
    assertThat(janus.recordedIn("talk")).contains("/srv/janus/talk");

    assertThat(
            ann.post("/rooms", Map.of("name", "talk"))
                .expect(201)
                .json()
                .path("recorded")
                .asBoolean())
        .as("as it is")
        .isTrue();
    ann.post("/rooms", Map.of("name", "talk", "record", false)).expect(201);
    assertThat(janus.recordedIn("talk")).isEmpty();
    assertThat(saysRecorded(guest)).isFalse();
    ann.post("/rooms", Map.of("name", "talk", "record", true)).expect(201);
    assertThat(janus.recordedIn("talk")).contains("/srv/janus/talk");
    assertThat(janus.complaints()).isEmpty();
  }

  @Test
  void aRoomThatChangesHandsIsNotRecordedForItsNewOwner() {
    ContractClient hers =
        guestOf(ann.post("/rooms", Map.of("name", "relay", "record", true)).expect(201).json());
    admin.delete("/rooms/janus/relay").expect(204);
    JsonNode room = bob.post("/rooms", Map.of("name", "relay")).expect(201).json();
    ContractClient his = guestOf(room);
    assertThat(room.path("recorded").asBoolean()).isFalse();
    assertThat(janus.recordedIn("relay")).isEmpty();
    assertThat(saysRecorded(his)).isFalse();

    admin.put("/rooms/janus/relay", Map.of("user_id", id(ann))).expect(200);
    ann.post("/rooms", Map.of("name", "relay", "record", true)).expect(201);
    admin.put("/rooms/janus/relay", Map.of("user_id", id(bob))).expect(200);
    assertThat(saysRecorded(his)).as("as long as Janus records").isTrue();
    // It is not hers to know.
    hers.get("/join/room").expect(403, "room_moved");
    his.post("/join/janus/11/22", JOIN).expect(200);
    assertThat(janus.recordedIn("relay")).isEmpty();
    assertThat(saysRecorded(his)).isFalse();
    assertThat(janus.complaints()).isEmpty();
  }

  @Test
  void aRoomCountsAsRecordedUntilJanusWasToldToStop() {
    ContractClient guest =
        guestOf(ann.post("/rooms", Map.of("name", "vault", "record", true)).expect(201).json());
    failNextRecordingCall();
    ann.post("/rooms", Map.of("name", "vault", "record", false)).expect(503);
    failNextRecordingCall();
    assertThat(
            ann.post("/rooms", Map.of("name", "vault"))
                .expect(201)
                .json()
                .path("recorded")
                .asBoolean())
        .isTrue();
    assertThat(janus.recordedIn("vault")).isPresent();
    assertThat(saysRecorded(guest)).isTrue();

    guest.post("/join/janus/11/22", JOIN).expect(200);
    assertThat(janus.recordedIn("vault")).isEmpty();
    assertThat(saysRecorded(guest)).isFalse();
  }

  @Test
  void aWishToRecordWhileAnotherRequestEndsTheFormerRuleHolds() throws Exception {
    ContractClient his = guestOf(bob.post("/rooms", Map.of("name", "relief")).expect(201).json());
    admin.put("/rooms/janus/relief", Map.of("user_id", id(ann))).expect(200);
    ann.post("/rooms", Map.of("name", "relief", "record", true)).expect(201);
    admin.put("/rooms/janus/relief", Map.of("user_id", id(bob))).expect(200);

    CountDownLatch ending = new CountDownLatch(1);
    janus
        .faults()
        .next(
            request -> {
              boolean fits = request.text().contains("enable_recording");
              if (fits) {
                ending.countDown();
              }
              return fits;
            },
            new DelayRequest(Duration.ofMillis(500)));
    CompletableFuture<Void> joined =
        CompletableFuture.runAsync(() -> his.post("/join/janus/11/22", JOIN).expect(200));
    assertThat(ending.await(20, TimeUnit.SECONDS)).isTrue();
    bob.post("/rooms", Map.of("name", "relief", "record", true)).expect(201);
    joined.get(20, TimeUnit.SECONDS);
    assertThat(janus.recordedIn("relief")).contains("/srv/janus/relief");
    assertThat(saysRecorded(his)).isTrue();
  }

  @Test
  void aRoomOfATeamIsRecordedForAllItsMembersWhileWhoWantedItIsOne() {
    ContractClient cid = user("cid@example.org");
    ContractClient dan = user("dan@example.org");
    long team =
        admin.post("/admin/teams", Map.of("name", "Hosts")).expect(201).json().path("id").asLong();
    String members = "/admin/teams/" + team + "/members/";
    admin.put(members + id(cid), Map.of()).expect(200);
    admin.put(members + id(dan), Map.of()).expect(200);
    admin.put("/rooms/janus/forum", Map.of("team_id", team)).expect(200);

    cid.post("/rooms", Map.of("name", "forum", "record", true)).expect(201);
    JsonNode room = dan.post("/rooms", Map.of("name", "forum")).expect(201).json();
    ContractClient guest = guestOf(room);
    assertThat(room.path("recorded").asBoolean()).isTrue();
    assertThat(saysRecorded(guest)).isTrue();
    janus.restart();
    guest.post("/join/janus/11/22", JOIN).expect(200);
    assertThat(janus.recordedIn("forum")).contains("/srv/janus/forum");

    admin.delete(members + id(cid)).expect(204);
    guest.post("/join/janus/11/22", JOIN).expect(200);
    assertThat(janus.recordedIn("forum")).isEmpty();
    assertThat(saysRecorded(guest)).isFalse();
  }

  /** The rooms whose names we chose. */
  private static List<String> chosenNames() {
    try (Database database =
        Database.open(DatabaseUrl.parse(databaseUrl), 1, "test", Migrations.SCHEMAS)) {
      return database.read(
          tx ->
              tx.sql(
                      """
                      select room from (
                        select room from rooms union all select room from recorded_rooms) named
                      where room like 'room-%' order by room
                      """)
                  .list(row -> row.text("room")));
    }
  }

  @Test
  void ofARoomWithoutANameThatJanusDoesNotMakeNothingIsLeft() {
    List<String> before = chosenNames();
    for (RequestFault fault : List.<RequestFault>of(new RefuseRequest(500), new LoseAnswer())) {
      failNextMaking(fault);
      ann.post("/rooms", Map.of("record", true)).expect(503);
      assertThat(chosenNames()).isEqualTo(before);
    }
  }

  @Test
  void whoseARoomIsAndWhetherItIsRecordedIsInTheAuditJournalWhateverJanusSays() {
    failNextMaking(new RefuseRequest(500));
    ann.post("/rooms", Map.of("name", "standup", "record", true)).expect(503);
    JsonNode entry = newestAction();
    assertThat(entry.path("action").asString()).isEqualTo("createRoom");
    assertThat(entry.path("actor").asString()).isEqualTo("user:" + id(ann));
    assertThat(entry.path("target").asString()).isEqualTo("room:janus/standup");
    assertThat(entry.at("/after/record").asBoolean()).isTrue();

    bob.post("/rooms", Map.of("name", "standup")).expect(403, "room_claimed");
    assertThat(newestAction()).as("no claim, no row").isEqualTo(entry);
  }

  private static JsonNode newestAction() {
    return admin.get("/admin/audit?limit=1").expect(200).json().at("/items/0");
  }

  @Test
  void anEgressTokenIsWorthNothingToWhoseTheRoomIsNot() {
    String token =
        ann.post("/rooms", Map.of("name", "stage"))
            .expect(201)
            .json()
            .path("egress_token")
            .asString();
    Map<String, Object> task =
        Map.of(
            "request_id", "film",
            "type", "egress",
            "action", "start",
            "channel", "stage",
            "payload", Map.of("kind", "record", "access_token", token));
    bob.post("/tasks", task).expect(403, "room_claimed");
    ann.post("/tasks", task).expect(202);
    admin.delete("/rooms/janus/stage").expect(204);
    ann.post("/tasks", task).expect(403, "room_claimed");
  }

  private static Map<String, Object> film(String request, String room, String token) {
    return Map.of(
        "request_id",
        request,
        "type",
        "egress",
        "action",
        "start",
        "channel",
        room,
        "payload",
        Map.of("kind", "record", "access_token", token));
  }

  private static String egressToken(ContractClient user, String room) {
    return user.post("/rooms", Map.of("name", room))
        .expect(201)
        .json()
        .path("egress_token")
        .asString();
  }

  @Test
  void anEgressTokenIsItsUsersForItsRoomAndOpensNothingAtJanus() {
    String hers = egressToken(ann, "arena");
    String elsewhere = egressToken(ann, "annex");
    String secret =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(
                SecretBox.of(Base64.getDecoder().decode(SECRET_KEY))
                    .deriveAll("janus-room-secret", "arena")
                    .getFirst());
    assertThat(hers).doesNotContain(secret);
    ann.post("/tasks", film("given-before", "arena", secret)).expect(403, "egress_token_refused");
    ann.post("/tasks", film("other-room", "arena", elsewhere)).expect(403, "egress_token_refused");
    ann.post("/tasks", film("forged", "arena", hers + "x")).expect(403, "egress_token_refused");
    JsonNode made = ann.post("/tasks", film("hers", "arena", hers)).expect(202).json();
    assertThat(secretOf(made.path("id").asString())).isEqualTo(secret);
  }

  @Test
  void aRoomThatMovesTakesNothingOfItsFormerOwnersEgressWithIt() throws Exception {
    String hers = egressToken(ann, "hall");
    String running =
        ann.post("/tasks", film("hall", "hall", hers)).expect(202).json().path("id").asString();
    String failed = "dead-" + running.substring(0, 8);
    try (Database database =
        Database.open(DatabaseUrl.parse(databaseUrl), 1, "test", Migrations.SCHEMAS)) {
      database.run(
          tx -> {
            int _ =
                tx.sql(
                        """
                        insert into tasks
                          (id, request_id, state, channel, spec, user_id, error, completed_at)
                        select ?, ?, 'FAILED', channel, jsonb_set(spec, '{id}', to_jsonb(?::text)),
                          user_id, 'x', now()
                        from tasks where id = ?
                        """)
                    .with(failed, failed, failed, running)
                    .update();
          });
    }
    admin.put("/rooms/janus/hall", Map.of("user_id", id(bob))).expect(200);

    Await.until(
        "the end of her task",
        () ->
            !List.of("PENDING", "PROCESSING")
                .contains(
                    ann.get("/tasks/" + running).expect(200).json().path("state").asString()));
    ann.post("/tasks", film("again", "hall", hers)).expect(403, "room_claimed");
    bob.post("/tasks", film("with-hers", "hall", hers)).expect(403, "egress_token_refused");
    ann.post("/tasks/" + failed + "/requeue").expect(403, "room_claimed");
    assertThat(
            ann.post("/dead-letters/tasks/requeue", Map.of("ids", List.of(failed)))
                .expect(202)
                .json()
                .path("items")
                .get(0)
                .path("outcome")
                .asString())
        .isEqualTo("refused");
    bob.post("/tasks", film("his", "hall", egressToken(bob, "hall"))).expect(202);
  }

  /** The access token as the pod gets it. */
  private static String secretOf(String task) {
    try (Database database =
        Database.open(DatabaseUrl.parse(databaseUrl), 1, "test", Migrations.SCHEMAS)) {
      String spec =
          database.read(
              tx ->
                  tx.sql("select spec -> 'payload' as payload from tasks where id = ?")
                      .with(task)
                      .one(row -> row.json("payload").toString()));
      return new AccessTokenSealer(SecretBox.of(Base64.getDecoder().decode(SECRET_KEY)))
          .open((ObjectNode) Json.read(spec))
          .path("access_token")
          .asString();
    }
  }

  @Test
  void withoutATokenThereIsNoWayToJanus() {
    int before = clients.count();
    ContractClient nobody = ContractClient.of(app.url());
    nobody.get("/join/room").expect(401);
    nobody.post("/join/janus", Map.of("janus", "create")).expect(401);
    ContractClient liar = nobody.with("X-Join-Token", "cvj_host_1_9999999999_Ym9hcmQ_x");
    liar.post("/join/janus", Map.of("janus", "create")).expect(401);
    liar.get("/join/janus/11").expect(401);
    liar.post("/join/remove", Map.of("id", "x")).expect(401);
    assertThat(clients.count()).isEqualTo(before);
  }

  @Test
  void theAdminApiIsNotForThePage() {
    int before = clients.count();
    JsonNode room = ann.post("/rooms", Map.of()).expect(201).json();
    ContractClient host = by(room.path("links").path("host").asString());
    host.post("/join/janus", Map.of("janus", "info")).expect(400);
    host.post(
            "/join/janus/11/22",
            Map.of("janus", "message", "body", Map.of("request", "rtp_forward")))
        .expect(400);
    assertThat(clients.count()).isEqualTo(before);
  }
}
