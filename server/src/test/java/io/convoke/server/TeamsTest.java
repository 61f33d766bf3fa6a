package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.ContractClient.Answered;
import io.convoke.server.http.EventReader;
import io.convoke.server.launch.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * Ann and Bob are a team, Zoe is a stranger: what Ann has, Bob reads and Zoe does not. Members join
 * and leave by one node, and read by the other.
 */
class TeamsTest {
  private static final Duration BOUND = Duration.ofSeconds(5);
  private static final String INTERNAL = "the-internal-token-of-32-characters";

  /** Routes about one meeting, with the status for a stranger. M is the meeting, B a bot's. */
  private static final Map<String, Integer> OF_A_MEETING =
      Map.ofEntries(
          Map.entry("/meetings/M", 404),
          Map.entry("/meetings/M/participants", 404),
          Map.entry("/meetings/M/timeline", 404),
          Map.entry("/meetings/M/recordings", 404),
          Map.entry("/meetings/M/summary", 404),
          Map.entry("/meetings/M/egress", 404),
          Map.entry("/meetings/M/chat", 404),
          Map.entry("/egress/E", 404),
          Map.entry("/egress/E/files", 404),
          Map.entry("/egress/E/files/recording.mp4", 404),
          Map.entry("/egress/E/files/001-001/picture-000001.png", 404),
          Map.entry("/transcripts/M", 404),
          Map.entry("/transcripts/M/changes", 404),
          Map.entry("/recordings/R", 404),
          Map.entry("/recordings/R/audio", 404),
          Map.entry("/recordings/R/waveform", 404),
          Map.entry("/bots/status?meeting_id=B", 404),
          Map.entry("/bots/status?platform=zoom&native_meeting_id=123456789", 404),
          Map.entry("/sync-status?meeting_id=M", 403));

  /** Lists, with what is Ann's in them. */
  private static final Map<String, String> LISTS =
      Map.ofEntries(
          Map.entry("/meetings", "\"id\":M,"),
          Map.entry("/meetings?status=active&platform=zoom", "\"id\":M,"),
          Map.entry("/recordings", "\"R\""),
          Map.entry("/bots/active", "\"id\":B,"),
          Map.entry("/bots/status?live=true", "\"meeting_id\":B,"),
          Map.entry("/events", "\"meeting:M\""),
          Map.entry("/events?order=newest", "\"meeting:M\""),
          Map.entry("/events?subject=meeting:M", "\"meeting:M\""),
          Map.entry("/sync-status?meeting_id=M&meeting_id=none", "\"meeting_id\":\"M\""),
          Map.entry("/search?q=budget", "\"meeting_id\":M,"));

  /** What teams do not share, and what shows the caller alone. */
  private static final Set<String> APART =
      Set.of(
          "/crm/connection",
          "/dead-letters/tasks",
          "/regions",
          "/rooms",
          "/session",
          "/tasks",
          "/tasks/{id}",
          "/tasks/{id}/timeline",
          "/usage",
          "/webhook-endpoints",
          "/webhook-endpoints/{id}",
          "/webhook-endpoints/{id}/deliveries",
          "/workflows",
          "/workflows/{id}");

  @TempDir private static Path folder;
  private static TwoNodes nodes;
  private static ContractClient admin;
  private static int teams;

  private final Member ann;
  private final Member bob;
  private final Member zoe;
  private final long team;

  /** A user with a client of the other node. */
  private record Member(long id, ContractClient client) {}

  @BeforeAll
  static void start() {
    nodes = TwoNodes.start(folder, Map.of("CONVOKE_INTERNAL_TOKEN", INTERNAL));
    admin = nodes.admin();
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  TeamsTest() {
    teams++;
    ann = member("ann");
    bob = member("bob");
    zoe = member("zoe");
    team = team("team " + teams);
    JsonNode _ = join(ann);
    JsonNode _ = join(bob);
  }

  @Test
  void teamMatesReadWhatBelongsToAMeetingOnEveryRoute() {
    Map<String, String> hers = meetingWithEverything();
    List<String> wrong = new ArrayList<>();
    OF_A_MEETING.forEach(
        (route, refused) -> {
          String path = filled(route, hers);
          Answered owner = ann.client.get(path);
          Answered mate = bob.client.get(path);
          if (owner.status() != mate.status() || !same(owner, mate)) {
            wrong.add(path + " for a team-mate: " + mate);
          }
          Answered stranger = zoe.client.get(path);
          if (stranger.status() != refused || same(owner, stranger)) {
            wrong.add(path + " for a stranger: " + stranger);
          }
        });
    LISTS.forEach(
        (route, needle) -> {
          String path = filled(route, hers);
          String part = filled(needle, hers);
          for (Member reader : List.of(ann, bob)) {
            if (!reader.client.get(path).expect(200).body().contains(part)) {
              wrong.add(path + " lacks " + part);
            }
          }
          if (zoe.client.get(path).expect(200).body().contains(part)) {
            wrong.add(path + " shows " + part + " to a stranger");
          }
        });
    assertThat(wrong).isEmpty();
  }

  /** A new route is in one of the tables above, so that someone has decided who reads it. */
  @Test
  void everyRouteForUsersIsInTheTables() {
    Set<String> routes = new TreeSet<>();
    JsonNode document = YAMLMapper.shared().readTree(admin.get("/openapi.yaml").expect(200).body());
    document
        .path("paths")
        .properties()
        .forEach(
            path -> {
              boolean forUsers =
                  path.getValue()
                      .at("/get/security")
                      .valueStream()
                      .anyMatch(it -> it.has("userKey"));
              if (forUsers) {
                routes.add(path.getKey());
              }
            });
    Set<String> known = new TreeSet<>(APART);
    OF_A_MEETING.keySet().forEach(route -> known.add(declared(route)));
    LISTS.keySet().forEach(route -> known.add(declared(route)));
    assertThat(routes).isEqualTo(known);
  }

  private static String declared(String route) {
    String path = route.replaceAll("\\?.*", "");
    return path.startsWith("/transcripts")
        ? path.replace("/M", "/{meeting_id}")
        : path.replaceAll("/[MRBE](?=/|$)", "/{id}")
            .replace("/001-001/", "/{part}/")
            .replaceAll("/[^/]+\\.(mp4|png)$", "/{name}");
  }

  @Test
  void whatIsNotOfAMeetingIsNotShared() {
    String endpoint =
        ann.client
            .post("/webhook-endpoints", Map.of("url", "http://127.0.0.1:9/hooks"))
            .expect(201)
            .json()
            .path("id")
            .asString();
    String task =
        ann.client
            .post(
                "/tasks",
                Map.of(
                    "request_id",
                    "apart",
                    "type",
                    "snapshot",
                    "action",
                    "start",
                    "channel",
                    "c",
                    "payload",
                    Map.of()))
            .expect(202)
            .json()
            .path("id")
            .asString();
    Await.until("her event", () -> ann.client.get("/events").body().contains(task));
    bob.client.get("/webhook-endpoints/" + endpoint).expect(404);
    bob.client.get("/tasks/" + task).expect(404);
    assertThat(bob.client.get("/webhook-endpoints").expect(200).json().path("items")).isEmpty();
    assertThat(bob.client.get("/events").expect(200).body()).doesNotContain(task);
    assertThat(bob.client.get("/events?subject=task:" + task).expect(200).body())
        .doesNotContain(task);
  }

  @Test
  void onlyTheOwnerChangesAMeeting() {
    Map<String, String> hers = meetingWithEverything();
    long meeting = Long.parseLong(hers.get("M"));
    String recording = "/recordings/" + hers.get("R");
    long bot = Long.parseLong(hers.get("B"));
    Map<String, Object> data = Map.of("data", Map.of());
    bob.client.patch("/meetings/" + meeting, data).expect(403, "not_owner");
    bob.client
        .patch("/transcripts/" + meeting + "/speakers", Map.of("from", "A", "to", "B"))
        .expect(403, "not_owner");
    bob.client
        .patch("/transcripts/" + meeting + "/segments/1", Map.of("text", "x"))
        .expect(403, "not_owner");
    bob.client.post("/bots/stop", Map.of("meeting_id", bot)).expect(403, "not_owner");
    bob.client
        .put("/bots/config", Map.of("meeting_id", bot, "language", "de"))
        .expect(403, "not_owner");
    bob.client
        .post("/bots/stop", Map.of("platform", "zoom", "native_meeting_id", "123456789"))
        .expect(404);
    bob.client.post("/bots/zoom/123456789/speak", Map.of("text", "x")).expect(404);
    bob.client.post("/bots/zoom/123456789/chat", Map.of("text", "x")).expect(404);
    bob.client.delete(recording).expect(403, "not_owner");
    bob.client.delete("/egress/" + hers.get("E")).expect(403, "not_owner");
    bob.client.post(recording + "/retry").expect(403, "not_owner");
    bob.client.post(recording + "/match", Map.of("meeting_id", meeting)).expect(403);
    bob.client.post("/sync-status/" + meeting + "/retry").expect(403, "not_owner");
    zoe.client.patch("/meetings/" + meeting, data).expect(404);
    ann.client.patch("/meetings/" + meeting, data).expect(200);
    ann.client.post("/bots/stop", Map.of("meeting_id", bot)).expect(202);
  }

  @Test
  void leavingTheTeamClosesAccessOnEveryNode() throws Exception {
    long hers = track(ann, "leaving");
    long his = track(bob, "leaving");
    bob.client.get("/meetings/" + hers).expect(200);
    ann.client.get("/meetings/" + his).expect(200);
    try (EventReader bobs = bob.client.events("/events?subject=meeting:" + hers);
        EventReader anns = ann.client.events("/events");
        EventReader zoes = zoe.client.events("/events")) {
      long began = System.nanoTime();
      admin.delete("/admin/teams/" + team + "/members/" + bob.id).expect(204);
      assertThat(bobs.ends(BOUND)).isTrue();
      assertThat(anns.ends(BOUND)).isTrue();
      Await.until("404 to him", () -> bob.client.get("/meetings/" + hers).status() == 404);
      Await.until("404 to her", () -> ann.client.get("/meetings/" + his).status() == 404);
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(BOUND);
      assertThat(zoes.ends(Duration.ZERO)).isFalse();
    }
    assertThat(bob.client.get("/events").expect(200).body()).doesNotContain("meeting:" + hers);
  }

  @Test
  void aStreamThatIsOpenedByAMemberShowsTheMeetingsOfTheOthers() throws Exception {
    try (EventReader bobs = bob.client.events("/events");
        EventReader zoes = zoe.client.events("/events")) {
      long hers = track(ann, "streamed");
      assertThat(bobs.next(BOUND).data().path("subject").asString()).isEqualTo("meeting:" + hers);
      assertThat(zoes.quiet()).isTrue();
      join(zoe);
      assertThat(zoes.ends(BOUND)).isTrue();
    }
    try (EventReader zoes = zoe.client.events("/events")) {
      long his = track(bob, "streamed");
      assertThat(zoes.next(BOUND).data().path("subject").asString()).isEqualTo("meeting:" + his);
    }
  }

  @Test
  void aRoomOfTheTeamIsEachMembersAndAStrangersIsNot() {
    String prefix = "team-" + teams + "-";
    JsonNode claim =
        admin.put("/rooms/daily/" + prefix + "*", Map.of("team_id", team)).expect(200).json();
    assertThat(claim.propertyNames())
        .containsExactlyInAnyOrder("platform", "room", "user_id", "team_id", "claimed_at");
    assertThat(claim.path("user_id").isNull()).isTrue();
    assertThat(claim.path("team_id").asLong()).isEqualTo(team);
    assertThat(admin.put("/rooms/daily/" + prefix + "*", Map.of("team_id", team)).json())
        .isEqualTo(claim);

    ann.client.post("/meetings", daily(prefix + "1")).expect(201);
    long his =
        bob.client.post("/meetings", daily(prefix + "1")).expect(201).json().path("id").asLong();
    bob.client.post("/bots/start", daily(prefix + "2")).expect(201);
    zoe.client.post("/meetings", daily(prefix + "1")).expect(403, "room_claimed");
    zoe.client.post("/bots/start", daily(prefix + "3")).expect(403, "room_claimed");
    for (Member member : List.of(ann, bob)) {
      assertThat(member.client.get("/rooms").expect(200).json().path("items").path(0))
          .isEqualTo(claim);
    }
    assertThat(zoe.client.get("/rooms").expect(200).json().path("items")).isEmpty();

    admin.delete("/admin/teams/" + team + "/members/" + bob.id).expect(204);
    assertThat(admin.get("/meetings/" + his).json().path("status").asString())
        .isEqualTo("completed");
    bob.client.post("/meetings", daily(prefix + "1")).expect(403, "room_claimed");
    assertThat(active(ann)).isEqualTo(1);

    admin.delete("/admin/teams/" + team).expect(204);
    assertThat(active(ann)).isZero();
    zoe.client.post("/meetings", daily(prefix + "1")).expect(201);
  }

  @Test
  void aRoomMovesBetweenUsersAndTeams() {
    String room = "moving-" + teams;
    long zoes = zoe.client.post("/meetings", daily(room)).expect(201).json().path("id").asLong();
    String path = "/rooms/daily/" + room;
    admin.put(path, Map.of("team_id", team, "user_id", ann.id)).expect(400);
    admin.put(path, Map.of()).expect(400);
    admin.put(path, Map.of("team_id", 987_654_321)).expect(404);
    admin.put(path, Map.of("team_id", team)).expect(200);
    assertThat(admin.get("/meetings/" + zoes).json().path("status").asString())
        .isEqualTo("completed");
    ann.client.post("/meetings", daily(room)).expect(201);
    bob.client.post("/meetings", daily(room)).expect(201);
    JsonNode hers = admin.put(path, Map.of("user_id", ann.id)).expect(200).json();
    assertThat(hers.propertyNames())
        .containsExactlyInAnyOrder("platform", "room", "user_id", "claimed_at");
    assertThat(active(ann)).isEqualTo(1);
    assertThat(active(bob)).isZero();
    bob.client.post("/meetings", daily(room)).expect(403, "room_claimed");
    long other = team("other " + teams);
    admin.put(path, Map.of("team_id", team)).expect(200);
    admin.put(path, Map.of("team_id", other)).expect(200);
    ann.client.post("/meetings", daily(room)).expect(403, "room_claimed");
    admin.delete(path).expect(204);
    zoe.client.post("/meetings", daily(room)).expect(201);
  }

  @Test
  void membersMatchUnmatchedRecordingsOfTheTeamsRooms() {
    String room = "recorded-" + teams;
    admin.put("/rooms/daily/" + room, Map.of("team_id", team)).expect(200);
    String id = "unmatched-" + teams;
    insertRecording(id, room);
    for (Member member : List.of(ann, bob)) {
      member.client.get("/recordings/" + id).expect(200);
      assertThat(member.client.get("/recordings").expect(200).body()).contains(id);
    }
    zoe.client.get("/recordings/" + id).expect(404);
    zoe.client.post("/recordings/" + id + "/match", Map.of("meeting_id", 1)).expect(403);
    long his = bob.client.post("/meetings", daily(room)).expect(201).json().path("id").asLong();
    ann.client.post("/recordings/" + id + "/match", Map.of("meeting_id", his)).expect(403);
    bob.client.post("/recordings/" + id + "/match", Map.of("meeting_id", his)).expect(200);
    assertThat(ann.client.get("/recordings/" + id).expect(200).json().path("meeting_id").asLong())
        .isEqualTo(his);
  }

  @Test
  void operatorsKeepTeamsAndTheJournalTells() {
    String path = "/admin/teams/" + team;
    assertThat(admin.get(path).expect(200).json().path("members").asInt()).isEqualTo(2);
    JsonNode first = admin.get(path + "/members?limit=1").expect(200).json();
    assertThat(first.at("/items/0/user_id").asLong()).isEqualTo(ann.id);
    JsonNode next =
        admin
            .get(path + "/members?limit=1&cursor=" + first.path("next_cursor").asString())
            .expect(200)
            .json();
    assertThat(next.at("/items/0/user_id").asLong()).isEqualTo(bob.id);
    JsonNode again = join(bob);
    assertThat(again).isEqualTo(next.at("/items/0"));
    admin.patch(path, Map.of("name", "renamed " + teams)).expect(200);
    admin.post("/admin/teams", Map.of("name", "renamed " + teams)).expect(409, "name_taken");
    admin
        .patch("/admin/teams/" + team("more " + teams), Map.of("name", "renamed " + teams))
        .expect(409, "name_taken");
    admin.put(path + "/members/987654321", Map.of()).expect(404);
    admin.delete(path + "/members/" + zoe.id).expect(404);
    admin.delete(path + "/members/" + bob.id).expect(204);
    admin.delete(path).expect(204);
    admin.get(path).expect(404);
    admin.get(path + "/members").expect(404);
    admin.delete(path).expect(404);
    admin.put(path + "/members/" + bob.id, Map.of()).expect(404);
    assertThat(admin.get("/admin/teams?limit=200").expect(200).body())
        .doesNotContain("renamed " + teams);
    ann.client.get("/admin/teams").expect(403);
    assertThat(
            admin
                .get("/admin/audit?limit=30")
                .expect(200)
                .json()
                .path("items")
                .valueStream()
                .filter(it -> it.path("target").asString().equals("team:" + team))
                .map(it -> it.path("action").asString() + " " + it.path("after").path("user_id")))
        .contains(
            "createTeam ",
            "addTeamMember " + bob.id,
            "changeTeam ",
            "removeTeamMember ",
            "deleteTeam ");
  }

  private static Member member(String name) {
    long id =
        admin
            .post(
                "/admin/users",
                Map.of("email", name + teams + "@example.org", "max_concurrent_bots", 10))
            .expect(201)
            .json()
            .path("id")
            .asLong();
    JsonNode issued = admin.post("/admin/users/" + id + "/tokens").expect(201).json();
    return new Member(id, nodes.other().with("X-API-Key", issued.path("token").asString()));
  }

  private static long team(String name) {
    return admin.post("/admin/teams", Map.of("name", name)).expect(201).json().path("id").asLong();
  }

  private JsonNode join(Member member) {
    return admin.put("/admin/teams/" + team + "/members/" + member.id, Map.of()).expect(200).json();
  }

  private static long track(Member member, String name) {
    return member
        .client
        .post(
            "/meetings", Map.of("platform", "google_meet", "native_meeting_id", name + "-" + teams))
        .expect(201)
        .json()
        .path("id")
        .asLong();
  }

  private static long active(Member member) {
    return admin
        .get("/meetings?status=active&user_id=" + member.id)
        .expect(200)
        .json()
        .path("items")
        .size();
  }

  /** A tracked meeting of Ann's with a recording and a sync, and a bot of hers. */
  private Map<String, String> meetingWithEverything() {
    Map<String, Object> call = Map.of("platform", "zoom", "native_meeting_id", "123456789");
    String meeting = ann.client.post("/meetings", call).expect(201).json().path("id").asString();
    String bot = ann.client.post("/bots/start", call).expect(201).json().path("id").asString();
    String recording = "recording-" + teams;
    insertRecording(recording, "elsewhere");
    try (Database database = database()) {
      database.run(
          tx -> {
            int _ =
                tx.sql(
                        "update recordings set meeting_id = ?, user_id = ?, status = 'ready' where"
                            + " recording_id = ?")
                    .with(Long.valueOf(meeting), ann.id, recording)
                    .update();
            int _ =
                tx.sql(
                        "insert into transcriptions (meeting_id, start_time, end_time, text)"
                            + " values (?, 0, 1, 'The budget')")
                    .with(Long.valueOf(meeting))
                    .update();
            int _ =
                tx.sql(
                        "insert into meeting_summaries (meeting_id, status, text)"
                            + " values (?, 'done', 'About the budget.')")
                    .with(Long.valueOf(meeting))
                    .update();
            int _ =
                tx.sql(
                        "insert into recording_peaks (recording_id, sha256, seconds, video, peaks)"
                            + " values (?, '', 1, false, '\\x07')")
                    .with(recording)
                    .update();
            int _ =
                tx.sql(
                        """
                        insert into egresses (task_id, user_id, room, kind, state, created_at)
                        values (?, ?, 'stage', 'record', 'PROCESSING', now())
                        """)
                    .with("film-" + teams, ann.id)
                    .update();
          });
    }
    nodes
        .one()
        .with("Authorization", "Bearer " + INTERNAL)
        .post("/sync-status", Map.of("meeting_id", meeting, "status", "failure"))
        .expect(200);
    Await.until(
        "her events", () -> ann.client.get("/events").body().contains("\"meeting:" + meeting));
    return Map.of("M", meeting, "B", bot, "R", recording, "E", "film-" + teams);
  }

  private static void insertRecording(String id, String room) {
    try (Database database = database()) {
      database.run(
          tx -> {
            int _ =
                tx.sql(
                        """
                        insert into recordings
                          (recording_id, room_name, status, start_time, duration_s)
                        values (?, ?, 'unmatched', now() + interval '2 seconds', 60)
                        """)
                    .with(id, room)
                    .update();
          });
    }
  }

  private static Database database() {
    return Database.open(DatabaseUrl.parse(nodes.database()), 1, "test", Migrations.SCHEMAS);
  }

  private static String filled(String text, Map<String, String> ids) {
    String filled = text;
    for (Map.Entry<String, String> id : ids.entrySet()) {
      filled = filled.replaceAll("\\b" + id.getKey() + "\\b", id.getValue());
    }
    return filled;
  }

  /** Problems hold the number of their trace. */
  private static boolean same(Answered one, Answered other) {
    return one.json().has("detail")
        ? one.json().path("detail").equals(other.json().path("detail"))
        : Json.write(one.json()).equals(Json.write(other.json()));
  }

  private static Map<String, Object> daily(String room) {
    return Map.of("platform", "daily", "native_meeting_id", room);
  }
}
