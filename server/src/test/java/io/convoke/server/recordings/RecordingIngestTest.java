package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.http.ContractClient;
import io.convoke.server.recordings.RecordingsTestKit.Gear;
import io.convoke.server.recordings.RecordingsTestKit.Node;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.RecordingRequest;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Discovery and matching of recordings, and those without a result. */
class RecordingIngestTest {
  /** Daily begins no session before. */
  private static final Duration LONG_ENOUGH_FOR_A_SESSION = Duration.ofSeconds(30);

  @TempDir private Path folder;
  private RecordingsTestKit kit;

  @BeforeEach
  void open() {
    kit = new RecordingsTestKit(folder);
  }

  @AfterEach
  void close() {
    kit.close();
  }

  @Test
  @Tag("nightly")
  void twoHundredAndFiftyRecordingsWhileWeWereDownAreAllFound() throws Exception {
    long _ = kit.meeting(kit.ann, "busy");
    List<String> ids = new ArrayList<>();
    String ada = join("busy");
    for (int i = 0; i < 250; i++) {
      ids.add(again("busy", ada));
    }
    Node node = kit.node(Gear.of(FakeTranscriber.willing()).with(RecordingsTestKit.quick()));
    assertThat(node.recordings().listing().list()).contains(250);
    assertThat(kit.number("select count(distinct recording_id) as n from recordings"))
        .isEqualTo(250);
    assertThat(kit.number("select count(*) as n from recordings where status = 'in_progress'"))
        .isZero();
    Instant cursor =
        kit.database.read(
            tx ->
                tx.sql("select seen_until from recording_listing")
                    .one(resultRow -> resultRow.instant("seen_until")));
    assertThat(cursor).isAfter(Instant.now().minus(Duration.ofHours(1)));
    assertThat(ids).hasSize(250);
  }

  @Tag("nightly")
  @Test
  void aListingThatIsCutShortMovesNoCursorAndIsDoneAgain() throws Exception {
    long _ = kit.meeting(kit.ann, "busy");
    String ada = join("busy");
    for (int i = 0; i < 120; i++) {
      String _ = again("busy", ada);
    }
    Node node = kit.node(Gear.of(FakeTranscriber.willing()));
    kit.sim.faults().set(FaultKind.API_500, FaultSetting.ALWAYS.on("/v1/recordings").times(1));
    Instant before = Instant.now().minus(Duration.ofHours(2));
    assertThat(node.recordings().listing().list()).isEmpty();
    assertThat(
            kit.database.<Instant>read(
                tx ->
                    tx.sql("select seen_until from recording_listing")
                        .one(resultRow -> resultRow.instant("seen_until"))))
        .isBefore(before);
    assertThat(node.recordings().listing().list()).contains(120);
  }

  @Test
  void whatComesToNothingEndsAndIsNotWorkedOn() throws Exception {
    Node node = kit.node(Gear.of(FakeTranscriber.willing()));
    kit.start(node);
    kit.webhooksTo(node);
    for (String room : List.of("cancelled", "broken", "short")) {
      long _ = kit.meeting(kit.ann, room);
    }
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      String cancelled =
          kit.record(
              RecordingRequest.cloud("cancelled").endingWith(Recording.RecordingOutcome.CANCELED),
              Duration.ofSeconds(90));
      String broken =
          kit.record(
              RecordingRequest.cloud("broken").endingWith(Recording.RecordingOutcome.ERROR),
              Duration.ofSeconds(90));
      RecordingRow failed = kit.await(moves, broken, RecordingStatus.FAILED);
      assertThat(failed.reason()).contains("platform_error: the recording could not be written");
      String empty = kit.record(RecordingRequest.cloud("short"), Duration.ofMillis(300));
      kit.unlist();
      Optional<Integer> _ = node.recordings().listing().list();
      assertThat(kit.row(cancelled).status()).isEqualTo(RecordingStatus.CANCELLED);
      assertThat(kit.row(empty).status()).isEqualTo(RecordingStatus.EMPTY);
    }
    assertThat(kit.number("select count(*) as n from instances")).isZero();
  }

  @Tag("nightly")
  @Test
  void aRunningRecordingIsShownAndRawTracksAreRead() throws Exception {
    Node node = kit.node(Gear.of(FakeTranscriber.willing()));
    kit.start(node);
    kit.webhooksTo(node);
    long meeting = kit.meeting(kit.ann, "call");
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      String id =
          kit.record(RecordingRequest.cloud("call").ofType("raw-tracks"), Duration.ofSeconds(90));
      RecordingRow started = kit.await(moves, id, RecordingStatus.IN_PROGRESS);
      assertThat(started.meetingId()).contains(meeting);
      RecordingRow done = kit.await(moves, id, RecordingStatus.DONE);
      assertThat(done.steps().of(StepName.DOWNLOAD).detail()).contains("1 tracks");
    }
  }

  @Test
  void aRecordingOfTwoUsersInOneRoomIsLeftToTheAdmin() throws Exception {
    Node node = kit.node(Gear.of(FakeTranscriber.willing()));
    long hers = kit.meetingWithoutClaim(kit.ann, "shared");
    long his = kit.meetingWithoutClaim(kit.bob, "shared");
    String id = kit.record("shared");
    Optional<Integer> _ = node.recordings().listing().list();
    assertThat(kit.row(id).status()).isEqualTo(RecordingStatus.UNMATCHED);
    JsonNode shown = kit.admin(node).get("/recordings?status=unmatched").expect(200).json();
    assertThat(shown.path("items").path(0).path("candidates").valueStream().map(JsonNode::asLong))
        .containsExactlyInAnyOrder(hers, his);
    assertThat(shown.path("items").path(0).path("owner").asString()).isEqualTo("people");
    for (long user : List.of(kit.ann, kit.bob)) {
      ContractClient caller = kit.as(node, user);
      caller.get("/recordings/" + id).expect(404);
      caller.post("/recordings/" + id + "/match", Map.of("meeting_id", his)).expect(404);
    }
    kit.own(kit.bob, "shared", kit.clock.instant());
    kit.as(node, kit.bob).get("/recordings/" + id).expect(404);
    kit.as(node, kit.bob)
        .post("/recordings/" + id + "/match", Map.of("meeting_id", his))
        .expect(404);
    kit.admin(node).post("/recordings/" + id + "/match", Map.of("meeting_id", hers)).expect(200);
    assertThat(kit.row(id).userId()).contains(kit.ann);
  }

  @Test
  void theOwnerOfARoomMatchesItsUnmatchedRecordings() throws Exception {
    Node node = kit.node(Gear.of(FakeTranscriber.willing()));
    kit.own(kit.bob, "his", kit.clock.instant());
    String id = kit.record("his");
    Optional<Integer> _ = node.recordings().listing().list();
    assertThat(kit.row(id).status()).isEqualTo(RecordingStatus.UNMATCHED);
    long his = kit.meeting(kit.bob, "his");
    long other = kit.meeting(kit.bob, "elsewhere");
    long hers = kit.meeting(kit.ann, "hers");
    ContractClient ann = kit.as(node, kit.ann);
    ContractClient bob = kit.as(node, kit.bob);
    assertThat(bob.get("/recordings?status=unmatched").expect(200).json().path("items")).hasSize(1);
    assertThat(ann.get("/recordings").expect(200).json().path("items")).isEmpty();
    ann.post("/recordings/" + id + "/match", Map.of("meeting_id", hers))
        .expect(403, "room_claimed");
    bob.post("/recordings/" + id + "/match", Map.of("meeting_id", hers)).expect(404);
    bob.post("/recordings/" + id + "/match", Map.of("meeting_id", other))
        .expect(422, "not_a_candidate");
    JsonNode refused =
        bob.post("/recordings/" + id + "/retry", Map.of())
            .expect(409, "recording_unmatched")
            .json();
    assertThat(refused.path("recording_status").asString()).isEqualTo("unmatched");
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      bob.post("/recordings/" + id + "/match", Map.of("meeting_id", his)).expect(200);
      RecordingRow done = kit.await(moves, id, RecordingStatus.DONE);
      assertThat(done.meetingId()).contains(his);
    }
    ann.get("/recordings/" + id).expect(404);
    bob.post("/recordings/" + id + "/match", Map.of("meeting_id", his))
        .expect(409, "recording_done");
  }

  /** A meeting that another user has there from before rooms had owners counts for nothing. */
  @Test
  void aRecordingBelongsToTheOwnerOfTheRoom() throws Exception {
    Node node = kit.node(Gear.of(FakeTranscriber.willing()));
    long his = kit.meetingWithoutClaim(kit.bob, "board");
    long hers = kit.meeting(kit.ann, "board");
    String id = kit.record("board");
    Optional<Integer> _ = node.recordings().listing().list();
    assertThat(kit.row(id).meetingId()).contains(hers);
    kit.database.run(
        tx -> {
          int _ =
              tx.sql("update meetings set status = 'completed', end_time = ? where id = ?")
                  .with(kit.clock.instant(), hers)
                  .update();
        });
    kit.clock.advance(Duration.ofMinutes(2));
    String later = kit.record("board");
    kit.unlist();
    Optional<Integer> _ = node.recordings().listing().list();
    assertThat(kit.row(later).status()).isEqualTo(RecordingStatus.UNMATCHED);
    kit.as(node, kit.bob)
        .post("/recordings/" + later + "/match", Map.of("meeting_id", his))
        .expect(403, "room_claimed");
  }

  /** Bob gets the room while Ann is recorded there, and again before a recording is found. */
  @Tag("nightly")
  @Test
  void aRecordingStaysWithTheOwnerAtItsBeginning() throws Exception {
    Node node = kit.node(Gear.of(FakeTranscriber.willing()));
    long hers = kit.meeting(kit.ann, "handed-over");
    String ada = join("handed-over");
    String id =
        kit.sim
            .world()
            .startRecording(RecordingRequest.cloud("handed-over"))
            .orElseThrow()
            .recordingId();
    boolean _ = kit.sim.world().say("handed-over", ada, "Good morning.");
    kit.clock.advance(Duration.ofSeconds(30));
    kit.database.run(
        tx -> {
          int _ =
              tx.sql(
                      "update rooms set user_id = ?, claimed_at = ?, opens_at = ? where room ="
                          + " 'handed-over'")
                  .with(kit.bob, kit.clock.instant(), kit.clock.instant())
                  .update();
          int _ =
              tx.sql("update meetings set status = 'completed', end_time = ? where id = ?")
                  .with(kit.clock.instant(), hers)
                  .update();
        });
    long _ = kit.meeting(kit.bob, "handed-over");
    kit.clock.advance(Duration.ofSeconds(90));
    int _ = kit.sim.world().stopRecording("handed-over", Optional.empty());
    kit.clock.advance(Duration.ofSeconds(8));
    Optional<Integer> _ = node.recordings().listing().list();
    assertThat(kit.row(id).meetingId()).contains(hers);
    kit.as(node, kit.bob).get("/recordings/" + id).expect(404);
  }

  /** One room, two users: one meeting may have its participants before the other. */
  @Test
  void aRecordingIsNotAssignedToTheMeetingWhosePresenceCameFirst() throws Exception {
    Node node = kit.node(Gear.of(FakeTranscriber.willing()));
    long hers = kit.meetingWithoutClaim(kit.ann, "shared");
    long his = kit.meetingWithoutClaim(kit.bob, "shared");
    String ada = join("shared");
    saw(his, ada);
    String id = again("shared", ada);
    Optional<Integer> _ = node.recordings().listing().list();
    assertThat(kit.row(id).status()).isEqualTo(RecordingStatus.UNMATCHED);
    assertThat(kit.row(id).candidates()).containsExactlyInAnyOrder(hers, his);
  }

  @Test
  void aMeetingThatIsKnownToHaveHadOthersIsNotTheOne() throws Exception {
    Node node = kit.node(Gear.of(FakeTranscriber.willing()));
    long hers = kit.meetingWithoutClaim(kit.ann, "shared");
    long his = kit.meetingWithoutClaim(kit.bob, "shared");
    String ada = join("shared");
    kit.clock.advance(LONG_ENOUGH_FOR_A_SESSION);
    saw(his, ada);
    saw(hers, "another");
    kit.database.run(
        tx -> {
          int _ =
              tx.sql("insert into presence (meeting_id, polled_at) values (?, ?)")
                  .with(hers, kit.clock.instant().plus(Duration.ofMinutes(1)))
                  .update();
        });
    String id = again("shared", ada);
    Optional<Integer> _ = node.recordings().listing().list();
    assertThat(kit.row(id).meetingId()).contains(his);
  }

  @Tag("nightly")
  @Test
  void anUntrackedRoomIsLeftToTheAdminToMatch() throws Exception {
    Node node = kit.node(Gear.of(FakeTranscriber.willing()));
    String id = kit.record("unknown");
    Optional<Integer> _ = node.recordings().listing().list();
    long meeting = kit.meeting(kit.ann, "unknown");
    kit.as(node, kit.ann).get("/recordings/" + id).expect(404);
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      kit.admin(node)
          .post("/recordings/" + id + "/match", Map.of("meeting_id", meeting))
          .expect(200);
      RecordingRow _ = kit.await(moves, id, RecordingStatus.DONE);
    }
  }

  @Test
  void whileRedisIsUnreachableWebhooksWaitInTheInbox() throws Exception {
    Node node = kit.node(Gear.of(FakeTranscriber.willing()));
    kit.webhooksTo(node);
    long meeting = kit.meeting(kit.ann, "call");
    kit.redisServer.stop();
    String id = kit.record("call");
    kit.sim.awaitQuiet(RecordingsTestKit.SOON);
    String waiting = "select count(*) as n from webhook_inbox where source = 'daily-recording'";
    assertThat(kit.number(waiting)).isEqualTo(2);
    // The listing, which would also find it, is not due.
    int _ =
        kit.database.read(
            tx ->
                tx.sql(
                        """
                        insert into recording_listing (platform, seen_until, listed_at)
                        values ('daily', now(), now())
                        """)
                    .update());
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      node.recordings().start(true);
      RecordingRow done = kit.await(moves, id, RecordingStatus.DONE);
      assertThat(done.meetingId()).contains(meeting);
    }
    assertThat(kit.number(waiting)).isZero();
  }

  @Tag("nightly")
  @Test
  void storeAndRowsAreComparedBothWaysAndADeletedRecordingLeavesNothing() throws Exception {
    Node node = kit.node(Gear.of(FakeTranscriber.willing()));
    long meeting = kit.meeting(kit.ann, "call");
    String id = kit.record("call");
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      Optional<Integer> _ = node.recordings().listing().list();
      RecordingRow _ = kit.await(moves, id, RecordingStatus.DONE);
    }
    ContractClient admin = kit.admin(node);
    JsonNode clean = admin.get("/admin/recordings/audit").expect(200).json();
    assertThat(clean.path("blobs").asInt()).isEqualTo(1);
    assertThat(clean.path("orphans")).isEmpty();
    assertThat(clean.path("missing")).isEmpty();

    Path blob = folder.resolve("blobs/blobs/recordings/" + id + "/audio");
    Path orphan = folder.resolve("blobs/blobs/recordings/nobody/audio");
    Path _ = Files.createDirectories(folder.resolve("blobs/blobs/recordings/nobody"));
    Path _ = Files.move(blob, orphan);
    boolean _ =
        orphan.toFile().setLastModified(Instant.now().minus(Duration.ofDays(1)).toEpochMilli());
    JsonNode found = admin.post("/admin/recordings/audit", Map.of()).expect(200).json();
    assertThat(found.path("orphans").path(0).asString()).isEqualTo("recordings/nobody/audio");
    assertThat(found.path("missing").path(0).path("recording_id").asString()).isEqualTo(id);
    assertThat(found.path("repaired").asInt()).isEqualTo(2);
    assertThat(orphan).doesNotExist();

    ContractClient ann = kit.as(node, kit.ann);
    assertThat(ann.get("/meetings/" + meeting + "/recordings").expect(200).json().path("items"))
        .hasSize(1);
    assertThat(ann.get("/recordings?meeting_id=" + meeting).expect(200).json().path("items"))
        .hasSize(1);
    assertThat(ann.get("/recordings?meeting_id=" + (meeting + 1)).expect(200).json().path("items"))
        .isEmpty();
    ann.get("/recordings?meeting_id=none").expect(400);
    assertThat(
            kit.as(node, kit.bob)
                .get("/recordings?meeting_id=" + meeting)
                .expect(200)
                .json()
                .path("items"))
        .isEmpty();
    kit.as(node, kit.bob).delete("/recordings/" + id).expect(404);
    ann.delete("/recordings/" + id).expect(204);
    ann.get("/recordings/" + id).expect(404);
    assertThat(kit.words(meeting)).isEmpty();
    kit.unlist();
    assertThat(node.recordings().listing().list()).contains(0);
    ann.get("/recordings/" + id).expect(404);
  }

  /** Another order would make another note of the same words. */
  @Test
  void peopleOfOneMomentHaveAnOrder() {
    long meeting = kit.meeting(kit.ann, "busy");
    kit.database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      insert into participant_sessions
                        (meeting_id, session_id, user_id, user_name, joined_at, join_source,
                         last_seen_at)
                      select ?, 's' || i, lpad(i::text, 2, '0'), 'Ada', now(), 'webhook', now()
                      from generate_series(20, 1, -1) i
                      """)
                  .with(meeting)
                  .update();
        });
    assertThat(
            kit.database.<List<String>>transaction(
                tx -> {
                  // As of a meeting with many people.
                  int _ = tx.sql("set local enable_sort = off").update();
                  return AttendanceQueries.people(tx, meeting).stream()
                      .map(person -> person.userId().orElseThrow())
                      .toList();
                }))
        .hasSize(20)
        .isSorted();
  }

  private void saw(long meeting, String session) {
    kit.database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      insert into participant_sessions
                        (meeting_id, session_id, joined_at, join_source, last_seen_at)
                      values (?, ?, now(), 'webhook', now())
                      """)
                  .with(meeting, session)
                  .update();
        });
  }

  private String join(String room) {
    var _ = kit.sim.world().ensure(RoomRequest.named(room));
    return ((JoinResult.JoinedMeeting) kit.sim.world().join(room, Visitor.named("Ada")))
        .session()
        .sessionId();
  }

  private String again(String room, String ada) {
    Recording recording =
        kit.sim.world().startRecording(RecordingRequest.cloud(room)).orElseThrow();
    boolean _ = kit.sim.world().say(room, ada, "Once more.");
    kit.clock.advance(Duration.ofSeconds(2));
    int _ = kit.sim.world().stopRecording(room, Optional.empty());
    kit.clock.advance(Duration.ofSeconds(8));
    return recording.recordingId();
  }
}
