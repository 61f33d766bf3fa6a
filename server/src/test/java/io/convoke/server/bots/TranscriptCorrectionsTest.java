package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.BotConfig;
import io.convoke.engine.sql.Tx;
import io.convoke.server.bots.BotsTestServer.Answered;
import io.convoke.server.meetings.MeetingTranscriptStore;
import io.convoke.server.meetings.MeetingTranscriptStore.StoredSegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** People correct transcripts and name speakers (transcripts-10 to transcripts-12). */
class TranscriptCorrectionsTest {
  private final BotsTestServer testServer = BotsTestServer.open(new FakeLauncher());
  private long ann;
  private long meeting;
  private BotConfig bot;

  @BeforeEach
  void start() {
    ann = testServer.user(Optional.of(3));
    meeting = testServer.start(ann, "standup").expect(201).json().path("id").asLong();
    bot = testServer.configOf(meeting);
    testServer.started(bot).expect(200);
    send(1, "We need a widget", "Speaker 1", true);
    send(3, "Yes", "Speaker 2", true);
  }

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void aCorrectedTextIsShownExportedAndFoundAndItsHistoryIsKept() {
    long id = segments().path(0).path("id").asLong();
    JsonNode corrected = correct(id, Map.of("text", "We need a budget")).expect(200).json();
    assertThat(corrected).isEqualTo(segments().path(0));
    assertThat(corrected.path("text").asString()).isEqualTo("We need a budget");
    assertThat(testServer.get(ann, "/transcripts/" + meeting + "?format=txt").body())
        .contains("Speaker 1: We need a budget");
    assertThat(found("budget").findValuesAsString("highlight"))
        .containsExactly("We need a <mark>budget</mark>");
    assertThat(found("widget")).isEmpty();
    correct(id, Map.of("text", "We need a budget")).expect(200);
    assertThat(changes()).hasSize(1);
    JsonNode change = changes().path(0);
    assertThat(change.path("actor").asString()).isEqualTo("user:" + ann);
    assertThat(change.path("segment_id").asLong()).isEqualTo(id);
    assertThat(change.path("field").asString()).isEqualTo("text");
    assertThat(change.path("before").asString()).isEqualTo("We need a widget");
    assertThat(change.path("after").asString()).isEqualTo("We need a budget");
    JsonNode event = events("transcript.segments").getLast().path("data");
    assertThat(event.path("replaces").asBoolean()).isFalse();
    assertThat(event.path("segments").path(0)).isEqualTo(corrected);
  }

  /** A bot sends a batch again when its answer was lost. */
  @Test
  void aRepeatedReportDoesNotUndoACorrection() {
    correct(segments().path(0).path("id").asLong(), Map.of("text", "Right", "speaker", "Ada"))
        .expect(200);
    send(1, "We need a widget", "Speaker 1", true);
    assertThat(segments().findValuesAsString("text")).containsExactly("Right", "Yes");
    assertThat(segments().findValuesAsString("speaker")).containsExactly("Ada", "Speaker 2");
  }

  @Test
  void aSpeakerIsRenamedInSegmentsOfBeforeAndAfter() {
    JsonNode renamed = rename("Speaker 1", "Ada").expect(200).json();
    assertThat(renamed.path("segments").asInt()).isEqualTo(1);
    send(5, "Good", "Speaker 1", true);
    send(7, "Fi", "Speaker 1", false);
    send(7, "Fine", "Speaker 1", true);
    assertThat(segments().findValuesAsString("speaker"))
        .containsExactly("Ada", "Speaker 2", "Ada", "Ada");
    assertThat(
            events("transcript.segments")
                .getLast()
                .path("data")
                .path("segments")
                .findValuesAsString("speaker"))
        .containsExactly("Ada");
    assertThat(events("transcript.speaker_renamed").getFirst().path("data")).isEqualTo(renamed);
    assertThat(rename("Ada", "Ada Lovelace").expect(200).json().path("segments").asInt())
        .isEqualTo(3);
    send(9, "Bye", "Speaker 1", true);
    assertThat(segments().findValuesAsString("speaker"))
        .containsExactly(
            "Ada Lovelace", "Speaker 2", "Ada Lovelace", "Ada Lovelace", "Ada Lovelace");
    assertThat(changes().findValuesAsString("after")).containsExactly("Ada Lovelace", "Ada");
    rename("Speaker 1", "Bob").expect(404);
  }

  /** A batch of words is not committed yet when its speaker gets another name. */
  @Test
  void aSpeakerIsRenamedInSegmentsThatAreBeingStored() throws Exception {
    FutureTask<Answered> renaming = new FutureTask<>(() -> rename("Speaker 1", "Ada"));
    StoredSegment segment =
        new StoredSegment(5, 6, "Good", Optional.of("Speaker 1"), Optional.empty(), true);
    testServer.database.run(
        tx -> {
          new MeetingTranscriptStore(testServer.journal)
              .hear(tx, meeting, bot.connectionId(), List.of(segment));
          Thread _ = Thread.ofVirtual().start(renaming);
          while (!renaming.isDone() && !isAwaited(tx)) {
            LockSupport.parkNanos(1_000_000);
          }
        });
    assertThat(renaming.get().expect(200).json().path("segments").asInt()).isEqualTo(2);
    assertThat(segments().findValuesAsString("speaker")).containsExactly("Ada", "Speaker 2", "Ada");
  }

  private static boolean isAwaited(Tx tx) {
    return tx.sql(
            """
            select exists (
              select from pg_locks where not granted and locktype = 'advisory' and database = (
                select oid from pg_database where datname = current_database())) as awaited
            """)
        .one(resultRow -> resultRow.booleanAt("awaited"));
  }

  @Test
  void aSpeakerMayBeRemovedFromOneSegment() {
    Map<String, Object> nobody = new HashMap<>();
    nobody.put("speaker", null);
    correct(segments().path(0).path("id").asLong(), nobody).expect(200);
    assertThat(segments().path(0).path("speaker").isNull()).isTrue();
    assertThat(segments().path(1).path("speaker").asString()).isEqualTo("Speaker 2");
  }

  /** Another meeting of the same user has the same speakers. */
  @Test
  void aCorrectionStaysInItsMeeting() {
    long second = testServer.start(ann, "retro").expect(201).json().path("id").asLong();
    BotConfig secondBot = testServer.configOf(second);
    testServer.started(secondBot).expect(200);
    send(secondBot, 1, "We need a widget", "Speaker 1", true);
    JsonNode before = segments(second);
    rename("Speaker 1", "Ada").expect(200);
    correct(before.path(0).path("id").asLong(), Map.of("text", "x")).expect(404);
    assertThat(segments(second)).isEqualTo(before);
    testServer
        .user(
            ann,
            "PATCH",
            "/transcripts/" + second + "/speakers",
            Map.of("from", "Speaker 1", "to", "Ada"))
        .expect(200);
    rename("Ada", "Grace").expect(200);
    send(secondBot, 5, "Later", "Speaker 1", true);
    assertThat(segments(second).findValuesAsString("speaker")).containsExactly("Ada", "Ada");
    assertThat(changes().findValuesAsString("after")).containsExactly("Grace", "Ada");
  }

  @Test
  void theHistoryComesInPagesAndHasNoChangeThatChangesNothing() {
    long id = segments().path(0).path("id").asLong();
    for (String text : List.of("one", "two", "two", "three")) {
      correct(id, Map.of("text", text, "speaker", "Speaker 1")).expect(200);
    }
    rename("Speaker 2", "Speaker 2").expect(200);
    JsonNode first =
        testServer.get(ann, "/transcripts/" + meeting + "/changes?limit=2").expect(200).json();
    JsonNode second =
        testServer
            .get(
                ann,
                "/transcripts/"
                    + meeting
                    + "/changes?limit=2&cursor="
                    + first.path("next_cursor").asString())
            .expect(200)
            .json();
    assertThat(first.path("items").findValuesAsString("after")).containsExactly("three", "two");
    assertThat(second.path("items").findValuesAsString("after")).containsExactly("one");
    assertThat(second.path("next_cursor").isNull()).isTrue();
    assertThat(
            testServer.database.<Long>read(
                tx ->
                    tx.sql(
                            "select count(*) as n from events where type = 'transcript.speaker_renamed'")
                        .one(resultRow -> resultRow.longAt("n"))))
        .isZero();
  }

  @Test
  void whatIsWrongIsRefused() {
    send(11, "A dra", "Speaker 1", false);
    long draft = segments().path(2).path("id").asLong();
    assertThat(correct(draft, Map.of("text", "A draft")).expect(409).code()).isEqualTo("draft");
    long id = segments().path(0).path("id").asLong();
    correct(id, Map.of()).expect(400);
    correct(id, Map.of("text", " ")).expect(400);
    correct(id, Map.of("speaker", "")).expect(400);
    correct(987_654_321, Map.of("text", "x")).expect(404);
    rename("Nobody", "Ada").expect(404);
    long other = testServer.user(Optional.of(1));
    String path = "/transcripts/" + meeting;
    testServer.user(other, "PATCH", path + "/segments/" + id, Map.of("text", "x")).expect(404);
    testServer
        .user(other, "PATCH", path + "/speakers", Map.of("from", "Speaker 1", "to", "x"))
        .expect(404);
    testServer.get(other, path + "/changes").expect(404);
    assertThat(segments().path(0).path("text").asString()).isEqualTo("We need a widget");
  }

  private void send(double start, String text, String speaker, boolean completed) {
    send(bot, start, text, speaker, completed);
  }

  private void send(BotConfig from, double start, String text, String speaker, boolean completed) {
    Map<String, Object> segment =
        Map.of(
            "start", start,
            "end", start + 1,
            "text", text,
            "speaker", speaker,
            "completed", completed);
    Answered _ =
        testServer.callback(from, "transcript", Map.of("segments", List.of(segment))).expect(200);
  }

  private Answered correct(long segment, Map<String, Object> change) {
    return testServer.user(
        ann, "PATCH", "/transcripts/" + meeting + "/segments/" + segment, change);
  }

  private Answered rename(String from, String to) {
    return testServer.user(
        ann, "PATCH", "/transcripts/" + meeting + "/speakers", Map.of("from", from, "to", to));
  }

  private JsonNode segments() {
    return segments(meeting);
  }

  private JsonNode segments(long of) {
    return testServer.get(ann, "/transcripts/" + of).expect(200).json().path("segments");
  }

  private JsonNode changes() {
    return testServer
        .get(ann, "/transcripts/" + meeting + "/changes")
        .expect(200)
        .json()
        .path("items");
  }

  private JsonNode found(String word) {
    return testServer.get(ann, "/search?q=" + word).expect(200).json().path("items");
  }

  private List<JsonNode> events(String type) {
    return testServer
        .get(ann, "/events?type=" + type)
        .expect(200)
        .json()
        .path("items")
        .valueStream()
        .toList();
  }
}
