package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.server.launch.Await;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.RecordingRequest;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.stores.LocalStores;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * The whole server with two users: Ann's rooms are closed to Bob, on every route that reaches data
 * of a room by its name.
 */
class RoomOwnersTest {
  private static final String ADMIN = "the-admins-token";
  private static final Duration SOON = Duration.ofSeconds(30);

  @TempDir private static Path folder;
  private static String url = "";
  private static Simulator simulator;
  private static App app;
  private static ContractClient admin;
  private static long annId;
  private static long bobId;
  private static ContractClient ann;
  private static ContractClient bob;

  @BeforeAll
  static void start() {
    simulator = Simulator.start(SimulatorConfig.defaults());
    Map<String, String> settings = settings();
    url = settings.getOrDefault("CONVOKE_DATABASE_URL", "");
    app = App.start(ServerConfig.of(settings), EnumSet.allOf(NodeRole.class), folder);
    admin = ContractClient.of(app.url()).with("X-Admin-API-Key", ADMIN);
    annId = user(admin, "ann@example.org");
    bobId = user(admin, "bob@example.org");
    ann = keyOf(admin, annId);
    bob = keyOf(admin, bobId);
  }

  private static Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_PORT", "0");
    settings.put("CONVOKE_DATABASE_URL", LocalStores.forTests().freshDatabase());
    settings.put("CONVOKE_REDIS_URL", LocalStores.forTests().redis().url());
    settings.put("CONVOKE_SECRET_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    settings.put("CONVOKE_ADMIN_TOKEN", ADMIN);
    settings.put("CONVOKE_DAILY_API_URL", simulator.apiUrl().toString());
    settings.put("CONVOKE_DAILY_API_KEY", simulator.apiKey());
    settings.put("CONVOKE_BOT_COMMAND", "exec sleep 30");
    settings.put("CONVOKE_RECORDING_POLL_INTERVAL", "1s");
    settings.put("CONVOKE_PRESENCE_RECONCILE_INTERVAL", "1s");
    settings.put("CONVOKE_RATE_LIMIT", "1000");
    return settings;
  }

  @AfterAll
  static void stop() {
    app.close();
    simulator.close();
  }

  /** Review finding 1: Bob tracks Ann's room and reads who is there. */
  @Test
  void aStrangerDoesNotReadTheParticipantsOfARoomByTrackingIt() {
    String ada = join("acme-board", "Ada");
    long hers = ann.post("/meetings", daily("acme-board")).expect(201).json().path("id").asLong();
    await(() -> participants(ann, hers).toString().contains(ada));

    bob.post("/meetings", daily("acme-board")).expect(403, "room_claimed");
    bob.post("/meetings", daily("https://acme.daily.co/acme-board")).expect(403, "room_claimed");
    bob.post("/bots/start", daily("acme-board")).expect(403, "room_claimed");
    admin.post("/meetings?user_id=" + bobId, daily("acme-board")).expect(403, "room_claimed");
    assertThat(bob.get("/meetings?limit=200").expect(200).body()).doesNotContain("acme-board");

    bob.get("/meetings/" + hers).expect(404);
    bob.get("/meetings/" + hers + "/participants").expect(404);
    bob.get("/meetings/" + hers + "/timeline").expect(404);
    bob.get("/meetings/" + hers + "/recordings").expect(404);
    bob.get("/transcripts/" + hers).expect(404);
    bob.get("/sync-status?meeting_id=" + hers).expect(403);
    bob.patch("/meetings/" + hers, Map.of("data", Map.of())).expect(404);
    assertThat(bob.get("/events?subject=meeting:" + hers).expect(200).json().path("items"))
        .isEmpty();
    assertThat(bob.get("/rooms").expect(200).body()).doesNotContain("acme-board");
    ann.post("/bots/start", daily("acme-board")).expect(201);
  }

  /** Review finding 1: Bob matches a recording of Ann's room to his meeting and downloads it. */
  @Test
  void aStrangerDoesNotTakeAnUnmatchedRecordingOfARoom() {
    long his = bob.post("/meetings", daily("bobs-own-room")).expect(201).json().path("id").asLong();
    assign("acme-talks", annId);
    String id = recorded("acme-talks");
    await(() -> status(id).equals("unmatched"));

    bob.post("/meetings", daily("acme-talks")).expect(403, "room_claimed");
    bob.get("/recordings/" + id).expect(404);
    bob.get("/recordings/" + id + "/audio").expect(404);
    bob.delete("/recordings/" + id).expect(404);
    bob.post("/recordings/" + id + "/retry", Map.of()).expect(404);
    bob.post("/recordings/" + id + "/match", Map.of("meeting_id", his)).expect(403, "room_claimed");
    assertThat(bob.get("/recordings").expect(200).body()).doesNotContain(id);

    assertThat(ann.get("/recordings?status=unmatched").expect(200).body()).contains(id);
    long hers = ann.post("/meetings", daily("acme-talks")).expect(201).json().path("id").asLong();
    ann.post("/recordings/" + id + "/match", Map.of("meeting_id", hers)).expect(200);
    bob.post("/recordings/" + id + "/match", Map.of("meeting_id", his)).expect(403, "room_claimed");
  }

  @Tag("nightly")
  @Test
  void aRoomThatWasReleasedDoesNotShowItsNextOwnerWhatWasBefore() {
    String ada = join("handed-on", "Ada");
    long hers = ann.post("/meetings", daily("handed-on")).expect(201).json().path("id").asLong();
    await(() -> participants(ann, hers).toString().contains(ada));
    admin.delete("/rooms/daily/handed-on").expect(204);
    assertThat(ann.get("/meetings/" + hers).expect(200).json().path("status").asString())
        .isEqualTo("completed");
    String id = recorded("handed-on");
    await(() -> status(id).equals("unmatched"));
    ann.get("/recordings/" + id).expect(404);

    boolean _ = simulator.world().leave("handed-on", ada, LeaveReason.LEFT);
    long his = bob.post("/meetings", daily("handed-on")).expect(201).json().path("id").asLong();
    bob.get("/meetings/" + hers + "/participants").expect(404);
    bob.get("/recordings/" + id).expect(404);
    bob.post("/recordings/" + id + "/match", Map.of("meeting_id", his)).expect(404);
    ann.post("/recordings/" + id + "/match", Map.of("meeting_id", hers))
        .expect(403, "room_claimed");
    String zoe = join("handed-on", "Zoe");
    await(() -> participants(bob, his).toString().contains(zoe));
    assertThat(participants(ann, hers).toString()).contains(ada).doesNotContain(zoe);

    String next = recorded("handed-on");
    await(() -> bob.get("/recordings").expect(200).body().contains(next));
    assertThat(bob.get("/recordings/" + next).expect(200).json().path("meeting_id").asLong())
        .isEqualTo(his);
    ann.get("/recordings/" + next).expect(404);
    admin.post("/recordings/" + id + "/match", Map.of("meeting_id", hers)).expect(200);
  }

  @Test
  void anAdminMovesARoomAndTheMeetingsThereEnd() {
    simulator.world().ensure(RoomRequest.named("moved"));
    long tracked = ann.post("/meetings", daily("moved")).expect(201).json().path("id").asLong();
    long bot = ann.post("/bots/start", daily("moved")).expect(201).json().path("id").asLong();
    JsonNode claim = assign("moved", bobId);
    assertThat(claim.path("user_id").asLong()).isEqualTo(bobId);
    assertThat(ann.get("/meetings/" + tracked).expect(200).json().path("status").asString())
        .isEqualTo("completed");
    await(() -> ann.get("/workflows/post-meeting-" + tracked).status() == 200);
    assertThat(
            ann.get("/bots/status?meeting_id=" + bot).expect(200).json().path("desired").asString())
        .isEqualTo("stop");
    ann.post("/meetings", daily("moved")).expect(403, "room_claimed");
    bob.post("/meetings", daily("moved")).expect(201);
    assertThat(assign("moved", bobId)).isEqualTo(claim);
  }

  /** Others wait for the lock that the move holds. */
  @Test
  void theEndOfManyBotsTakesFewStatements() {
    JsonNode _ = assign("many-*", annId);
    int bots = 6;
    for (int i = 0; i < bots; i++) {
      ann.post("/bots/start", daily("many-" + i)).expect(201);
    }
    try (Database database = Database.open(DatabaseUrl.parse(url), 1, "test", Migrations.SCHEMAS)) {
      database.run(
          tx -> {
            for (String statement : COUNTING) {
              int _ = tx.sql(statement).update();
            }
          });
      JsonNode _ = assign("many-*", bobId);
      JsonNode items = ann.get("/bots/status?limit=200").expect(200).json().path("items");
      assertThat(items.valueStream().filter(it -> it.path("desired").asString().equals("stop")))
          .hasSizeGreaterThanOrEqualTo(bots);
      long most =
          database.read(
              tx ->
                  tx.sql(
                          "select max(n) as most from (select count(*) as n from counted group by tx)")
                      .one(resultRow -> resultRow.longAt("most")));
      assertThat(most).as("statements that write, in one transaction").isLessThan(bots);
    }
  }

  private static final List<String> COUNTING =
      List.of(
          "create table counted (tx bigint)",
          """
          create function count_statement() returns trigger language plpgsql as $$
          begin
            insert into counted values (txid_current());
            return null;
          end $$
          """,
          "create trigger counts after update on meetings for each statement"
              + " execute function count_statement()",
          "create trigger counts after insert on bot_commands for each statement"
              + " execute function count_statement()",
          "create trigger counts after insert on events for each statement"
              + " execute function count_statement()");

  @Test
  void aPrefixIsARoomOfItsUserAndAnExactNameGoesBeforeIt() {
    ann.post("/meetings", daily("team-x-1")).expect(201);
    assign("team-x-*", bobId);
    bob.post("/meetings", daily("team-x-2")).expect(201);
    bob.post("/meetings", daily("team-x-1")).expect(403, "room_claimed");
    ann.post("/meetings", daily("team-x-3")).expect(403, "room_claimed");
    ann.post("/meetings", daily("team-x")).expect(201);
    assertThat(bob.get("/rooms").expect(200).body()).contains("team-x-*");
    bob.post("/meetings", daily("team-y-*")).expect(400);
    admin.delete("/rooms/daily/team-x-*").expect(204);
    ann.post("/meetings", daily("team-x-3")).expect(201);
  }

  @Test
  void roomsAreListedToTheirOwnersAndAllToAdmins() {
    ann.post("/meetings", daily("listed-a")).expect(201);
    ann.post("/meetings", daily("listed-b")).expect(201);
    JsonNode all = ann.get("/rooms?limit=200").expect(200).json();
    JsonNode mine =
        all.path("items")
            .valueStream()
            .filter(item -> item.path("room").asString().equals("listed-a"))
            .findFirst()
            .orElseThrow();
    assertThat(mine.propertyNames())
        .containsExactlyInAnyOrder("platform", "room", "user_id", "claimed_at");
    assertThat(mine.path("platform").asString()).isEqualTo("daily");
    assertThat(mine.path("user_id").asLong()).isEqualTo(annId);
    assertThat(bob.get("/rooms?limit=200").expect(200).body()).doesNotContain("listed-");
    assertThat(admin.get("/rooms?limit=200").expect(200).body()).contains("listed-a");
    assertThat(admin.get("/rooms?limit=200&user_id=" + bobId).expect(200).body())
        .doesNotContain("listed-");
    JsonNode first = ann.get("/rooms?limit=1").expect(200).json();
    assertThat(first.path("items")).hasSize(1);
    String cursor = first.path("next_cursor").asString();
    assertThat(ann.get("/rooms?limit=1&cursor=" + cursor).expect(200).json().path("items"))
        .isNotEqualTo(first.path("items"));
    ann.get("/rooms?cursor=garbage").expect(400);
  }

  @Test
  void anOwnerOrAnAdminHasEveryVisitTracked() {
    assign("ruled-*", annId);
    ann.patch("/rooms/daily/ruled-1", Map.of("track", true)).expect(404);
    bob.patch("/rooms/daily/ruled-*", Map.of("track", true)).expect(404);
    ann.patch("/rooms/daily/ruled-*", Map.of()).expect(400);
    assertThat(assign("ruled-*", annId).has("track")).isFalse();
    for (int repeated = 0; repeated < 2; repeated++) {
      assertThat(
              ann.patch("/rooms/daily/ruled-*", Map.of("track", true))
                  .expect(200)
                  .json()
                  .path("track")
                  .asBoolean())
          .isTrue();
    }
    // The owner is the same, and so is the rule.
    assertThat(assign("ruled-*", annId).path("track").asBoolean()).isTrue();
    String ada = join("ruled-1", "Ada");
    await(() -> live(ann, "ruled-1") == 1);
    long meeting = ann.get("/meetings?status=active").expect(200).json().at("/items/0/id").asLong();
    await(() -> participants(ann, meeting).toString().contains(ada));
    assertThat(bob.get("/meetings?limit=200").expect(200).body()).doesNotContain("ruled-");

    assertThat(assign("ruled-*", bobId).has("track")).isFalse();
    assertThat(
            admin
                .put("/rooms/daily/ruled-*", Map.of("user_id", bobId, "track", true))
                .expect(200)
                .json()
                .path("track")
                .asBoolean())
        .isTrue();
    String _ = join("ruled-2", "Zoe");
    await(() -> live(bob, "ruled-2") == 1);
    long team =
        admin.post("/admin/teams", Map.of("name", "all")).expect(201).json().path("id").asLong();
    admin.put("/rooms/daily/t", Map.of("team_id", team, "track", true)).expect(400);
    admin.patch("/rooms/daily/ruled-*", Map.of("track", false)).expect(200);
    assertThat(bob.get("/rooms?limit=200").expect(200).body()).doesNotContain("track");
  }

  private static long live(ContractClient user, String room) {
    return user.get("/meetings?status=active&limit=200")
        .expect(200)
        .json()
        .path("items")
        .valueStream()
        .filter(it -> it.path("platform_specific_id").asString().equals(room))
        .count();
  }

  @Test
  void onlyAdminsChangeOwnersAndOnlyOfRoomsThatHaveThem() {
    Map<String, Object> toAnn = Map.of("user_id", annId);
    ann.put("/rooms/daily/x", toAnn).expect(403);
    ann.delete("/rooms/daily/x").expect(403);
    ContractClient.of(app.url()).get("/rooms").expect(401);
    admin.put("/rooms/zoom/123456789", toAnn).expect(400);
    admin.put("/rooms/elsewhere/x", toAnn).expect(400);
    admin.put("/rooms/daily/a*b", toAnn).expect(400);
    admin.put("/rooms/daily/x", Map.of()).expect(400);
    admin.put("/rooms/daily/x", Map.of("user_id", 999_999)).expect(404);
    admin.delete("/rooms/daily/never-claimed").expect(404);
    admin.delete("/rooms/zoom/123456789").expect(400);
    assign("x", annId);
    admin.delete("/rooms/daily/x").expect(204);
    admin.delete("/rooms/daily/x").expect(404);
  }

  @Tag("nightly")
  @Test
  void ofManyUsersWhoAskForARoomAtOnceOneGetsIt() throws Exception {
    List<ContractClient> users = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      users.add(keyOf(admin, user(admin, "racer-" + i + "@example.org")));
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int round = 0; round < 20; round++) {
        Map<String, Object> room = daily("raced-" + round);
        CyclicBarrier start = new CyclicBarrier(users.size() * 2);
        Map<ContractClient, List<Future<Integer>>> answers = new HashMap<>();
        for (ContractClient user : users) {
          for (String path : List.of("/meetings", "/bots/start")) {
            answers
                .computeIfAbsent(user, _ -> new ArrayList<>())
                .add(
                    threads.submit(
                        () -> {
                          int _ = start.await();
                          return user.post(path, room).status();
                        }));
          }
        }
        List<List<Integer>> statuses = new ArrayList<>();
        for (List<Future<Integer>> both : answers.values()) {
          statuses.add(List.of(both.get(0).get(), both.get(1).get()));
        }
        assertThat(statuses)
            .filteredOn(both -> !both.equals(List.of(403, 403)))
            .containsExactly(List.of(201, 201));
        assertThat(statuses).hasSize(users.size());
      }
    }
  }

  @Tag("nightly")
  @Test
  void aRoomThatIsMovedWhileItIsUsedHasMeetingsOfItsOwnerAlone() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int round = 0; round < 40; round++) {
        String room = "contested-" + round;
        JsonNode _ = assign(room, annId);
        CyclicBarrier start = new CyclicBarrier(4);
        List<Future<Integer>> answers = new ArrayList<>();
        for (ContractClient user : List.of(ann, bob)) {
          answers.add(
              threads.submit(
                  () -> {
                    int _ = start.await();
                    return user.post("/meetings", daily(room)).status();
                  }));
        }
        answers.add(
            threads.submit(
                () -> {
                  int _ = start.await();
                  return bob.post("/bots/start", daily(room)).status();
                }));
        Future<JsonNode> moved =
            threads.submit(
                () -> {
                  int _ = start.await();
                  return assign(room, bobId);
                });
        for (Future<Integer> answer : answers) {
          assertThat(answer.get()).isIn(201, 403, 429);
        }
        assertThat(moved.get().path("user_id").asLong()).isEqualTo(bobId);
        assertThat(ann.get("/meetings?status=active&platform=daily&limit=200").expect(200).body())
            .doesNotContain('"' + room + '"');
      }
    }
  }

  @Test
  void whereTheAddressIsTheRightToJoinRoomsHaveNoOwners() {
    Map<String, Object> call =
        Map.of("platform", "google_meet", "native_meeting_id", "abc-defg-hij");
    ann.post("/meetings", call).expect(201);
    bob.post("/meetings", call).expect(201);
  }

  @Test
  void aRefusedBotClaimsNothing() {
    admin.patch("/admin/users/" + bobId, Map.of("max_concurrent_bots", 0)).expect(200);
    bob.post("/bots/start", daily("not-bobs")).expect(429);
    admin.patch("/admin/users/" + bobId, Map.of("max_concurrent_bots", 100)).expect(200);
    ann.post("/bots/start", daily("not-bobs")).expect(201);
  }

  @Test
  void inAssignedModeOnlyAnAdminGivesRooms(@TempDir Path other) {
    Map<String, String> settings = settings();
    settings.put("CONVOKE_ROOM_CLAIMS", "assigned");
    try (App assigned = App.start(ServerConfig.of(settings), EnumSet.of(NodeRole.API), other)) {
      ContractClient operator = ContractClient.of(assigned.url()).with("X-Admin-API-Key", ADMIN);
      long user = user(operator, "carl@example.org");
      ContractClient carl = keyOf(operator, user);
      carl.post("/meetings", daily("given")).expect(403, "room_claimed");
      carl.post("/bots/start", daily("given")).expect(403, "room_claimed");
      operator.put("/rooms/daily/given", Map.of("user_id", user)).expect(200);
      carl.post("/meetings", daily("given")).expect(201);
      carl.post("/bots/start", daily("given")).expect(201);
      carl.post("/meetings", daily("not-given")).expect(403, "room_claimed");
      carl.post("/meetings", Map.of("platform", "zoom", "native_meeting_id", "123456789"))
          .expect(201);
    }
  }

  private static JsonNode assign(String room, long user) {
    return admin.put("/rooms/daily/" + room, Map.of("user_id", user)).expect(200).json();
  }

  private static JsonNode participants(ContractClient user, long meeting) {
    return user.get("/meetings/" + meeting + "/participants").expect(200).json().path("items");
  }

  private static String status(String recording) {
    for (JsonNode item : admin.get("/recordings?limit=200").expect(200).json().path("items")) {
      if (item.path("recording_id").asString().equals(recording)) {
        return item.path("status").asString();
      }
    }
    return "";
  }

  private static String join(String room, String name) {
    var _ = simulator.world().ensure(RoomRequest.named(room));
    JoinResult joined = simulator.world().join(room, Visitor.named(name));
    return ((JoinResult.JoinedMeeting) joined).session().sessionId();
  }

  /** Records a guest of a room for a moment; the platform reports lengths in whole seconds. */
  private static String recorded(String room) {
    String _ = join(room, "Guest");
    Recording recording =
        simulator.world().startRecording(RecordingRequest.cloud(room)).orElseThrow();
    var _ =
        simulator
            .time()
            .after(
                Duration.ofMillis(1500),
                () -> {
                  int _ = simulator.world().stopRecording(room, Optional.empty());
                });
    return recording.recordingId();
  }

  private static Map<String, Object> daily(String room) {
    return Map.of("platform", "daily", "native_meeting_id", room);
  }

  private static long user(ContractClient operator, String email) {
    return operator
        .post("/admin/users", Map.of("email", email, "max_concurrent_bots", 100))
        .expect(201)
        .json()
        .path("id")
        .asLong();
  }

  private static ContractClient keyOf(ContractClient operator, long user) {
    return ContractClient.of(operator.url())
        .with(
            "X-API-Key",
            operator
                .post("/admin/users/" + user + "/tokens", Map.of())
                .expect(201)
                .json()
                .path("token")
                .asString());
  }

  private static void await(BooleanSupplier condition) {
    Await.until(SOON, condition);
  }
}
