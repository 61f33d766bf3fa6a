package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.json.Json;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.fakes.transcribe.FakeOpenAi;
import io.convoke.fakes.transcribe.TranscriptLine;
import io.convoke.server.launch.Await;
import io.convoke.server.meetings.MeetingTranscriptStore;
import io.convoke.server.meetings.MeetingTranscriptStore.StoredSegment;
import io.convoke.server.meetings.Segment.SegmentToken;
import io.convoke.server.recordings.RecordingsTestKit.Gear;
import io.convoke.server.recordings.RecordingsTestKit.Node;
import io.convoke.server.transcribe.Transcriber;
import io.convoke.server.transcribe.TranscriberFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * The transcript of a recording: journaled when stored, deleted from the journal with the
 * recording.
 */
class RecordedWordsTest {
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
  void segmentsAreJournaledOnceAndDeletedWithTheRecording() throws Exception {
    Node node = kit.node(Gear.of(FakeTranscriber.willing()));
    long meeting = kit.meeting(kit.ann, "call");
    String id = kit.record("call");
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(node.recordings().listing().list()).contains(1);
      RecordingRow _ = kit.await(moves, id, RecordingStatus.DONE);
      assertThat(told(meeting)).containsExactly("Good morning.", "Shall we begin?");
      kit.as(node, kit.ann)
          .post("/recordings/" + id + "/retry", Map.of("step", "transcribe"))
          .expect(202);
      RecordingRow _ = kit.await(moves, id, RecordingStatus.DONE);
    }
    assertThat(told(meeting)).containsExactly("Good morning.", "Shall we begin?");
    assertThat(events(meeting).getFirst().path("session_uid").asString())
        .isEqualTo("recording:" + id);
    assertThat(events(meeting).getFirst().path("segments").path(0).path("said_at").isString())
        .isTrue();

    kit.as(node, kit.ann).delete("/recordings/" + id).expect(204);
    assertThat(told(meeting)).isEmpty();
    JsonNode last = events(meeting).getLast();
    assertThat(last.path("replaces").asBoolean()).isTrue();
    assertThat(last.path("segments")).isEmpty();
    assertThat(kit.number("select count(*) as n from events where data::text like '%morning%'"))
        .isZero();
  }

  @Test
  void changedSegmentsReplaceTheOthersAndNewOnesAreAdded() {
    MeetingTranscriptStore meetingTranscriptStore = new MeetingTranscriptStore(kit.journal);
    long meeting = kit.meeting(kit.ann, "call");
    String session = MeetingTranscriptStore.ofRecording("r1");
    replace(meetingTranscriptStore, meeting, session, heard(1, "Good"));
    replace(meetingTranscriptStore, meeting, session, heard(1, "Good"), heard(2, "morning"));
    assertThat(told(meeting)).containsExactly("Good", "morning");
    assertThat(events(meeting)).noneMatch(event -> event.path("replaces").asBoolean());

    replace(meetingTranscriptStore, meeting, session, heard(1, "Good"), heard(2, "evening"));
    assertThat(told(meeting)).containsExactly("Good", "morning", "Good", "evening");
    assertThat(events(meeting).getLast().path("replaces").asBoolean()).isTrue();
    assertThat(kit.words(meeting)).containsExactly("Good", "evening");
  }

  @Tag("nightly")
  @Test
  void whisperTellsWordsWithTheirTimesAndLanguage() throws Exception {
    try (FakeOpenAi whisper =
        new FakeOpenAi("sk-1", List.of(new TranscriptLine(1, 2, "Good morning.")))) {
      Transcriber openAi =
          TranscriberFactory.of("openai:" + whisper.url() + "?model=whisper-1", Optional.of("sk-1"))
              .orElseThrow();
      JsonNode first = transcribed(openAi, "whispered");
      assertThat(first.path("language").asString()).isEqualTo("en");
      assertThat(first.path("confidence").asDouble()).isEqualTo(0.741);
      assertThat(Json.write(first.path("words")))
          .isEqualTo(
              """
              [{"text":"Good","start":1.0,"end":1.5,"confidence":null},\
              {"text":"morning","start":1.5,"end":2.0,"confidence":null}]""");
    }
  }

  /** A refusal of one track would end the transcription of all. */
  @Test
  void whatIsTooShortForTheServiceIsNotSent() throws Exception {
    String moment = RecordingUploadsTest.wav("\0".repeat(1600));
    kit.sim.sounding(_ -> moment.getBytes(StandardCharsets.ISO_8859_1));
    try (FakeOpenAi whisper = new FakeOpenAi("sk-1", List.of())) {
      Transcriber openAi =
          TranscriberFactory.of("openai:" + whisper.url() + "?model=whisper-1", Optional.of("sk-1"))
              .orElseThrow();
      Node node = kit.node(Gear.of(openAi));
      long meeting = kit.meeting(kit.ann, "short");
      String id = kit.record("short");
      try (SignalObservation<RecordingRow> moves = node.moves()) {
        assertThat(node.recordings().listing().list()).isPresent();
        RecordingRow _ = kit.await(moves, id, RecordingStatus.DONE);
      }
      assertThat(kit.words(meeting)).isEmpty();
      assertThat(whisper.files()).isEmpty();
      assertThat(whisper.complaints()).isEmpty();
    }
  }

  @Test
  void aCommandTellsWordsWithTheirTimesAndConfidence() throws Exception {
    String line =
        """
        {"start": 1, "end": 2, "text": "Bonjour Ada", "language": "fr", "confidence": 0.9, "words": [\
        {"word": "Bonjour", "start": 1, "end": 1.40001, "probability": 0.98765},\
        {"text": "Ada", "start": 1.5, "end": 2}]}""";
    Path script = Files.writeString(folder.resolve("line.json"), line);
    JsonNode first =
        transcribed(
            TranscriberFactory.of("command:cat " + script + " #", Optional.empty()).orElseThrow(),
            "commanded");
    assertThat(first.path("language").asString()).isEqualTo("fr");
    assertThat(first.path("confidence").asDouble()).isEqualTo(0.9);
    assertThat(Json.write(first.path("words")))
        .isEqualTo(
            """
            [{"text":"Bonjour","start":1.0,"end":1.4,"confidence":0.988},\
            {"text":"Ada","start":1.5,"end":2.0,"confidence":null}]""");
  }

  /** The first segment of a recording, asked for with and without words, and corrected. */
  private JsonNode transcribed(Transcriber transcriber, String room) throws Exception {
    Node node = kit.node(Gear.of(transcriber));
    long meeting = kit.meeting(kit.ann, room);
    String id = kit.record(room);
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(node.recordings().listing().list()).isPresent();
      RecordingRow _ = kit.await(moves, id, RecordingStatus.DONE);
    }
    String path = "/transcripts/" + meeting;
    assertThat(segments(node, path).path(0).path("words").isNull()).isTrue();
    assertThat(segments(node, path + "?words=false").path(0).path("words").isNull()).isTrue();
    JsonNode first = segments(node, path + "?words=true").path(0);
    kit.as(node, kit.ann)
        .patch(path + "/segments/" + first.path("id").asLong(), Map.of("text", "Hello"))
        .expect(200);
    JsonNode corrected = segments(node, path + "?words=true").path(0);
    assertThat(corrected.path("words").isNull()).isTrue();
    assertThat(corrected.path("confidence").isNull()).isTrue();
    return first;
  }

  private JsonNode segments(Node node, String path) {
    return kit.as(node, kit.ann).get(path).expect(200).json().path("segments");
  }

  /** A repeated transcription by a transcriber that tells more keeps segments and corrections. */
  @Test
  void wordsAreAddedToSegmentsThatAreThere() {
    MeetingTranscriptStore meetingTranscriptStore = new MeetingTranscriptStore(kit.journal);
    long meeting = kit.meeting(kit.ann, "call");
    String session = MeetingTranscriptStore.ofRecording("r1");
    replace(meetingTranscriptStore, meeting, session, heard(1, "Good"), heard(2, "morning"));
    List<Long> ids = ids(meeting);
    replace(meetingTranscriptStore, meeting, session, heard(1, "Good"), morning(), heard(4, "Ada"));
    assertThat(ids(meeting)).hasSize(3).containsAll(ids);
    assertThat(
            kit.number(
                """
                select count(*) as n from transcriptions
                where confidence = 0.5 and words @> '[{"text": "morning", "confidence": 0.25}]'
                  and text = 'morning'
                """))
        .isEqualTo(1);
    assertThat(kit.number("select count(*) as n from transcriptions where words is not null"))
        .isEqualTo(1);
    assertThat(events(meeting)).noneMatch(event -> event.path("replaces").asBoolean());
  }

  /** A client that names a speaker may send the text along; a text may also be put back. */
  @Test
  void wordsAreHiddenOnlyWhileTheTextIsAnotherOne() {
    Node node = kit.node(Gear.of(FakeTranscriber.willing()));
    long meeting = kit.meeting(kit.ann, "call");
    String session = MeetingTranscriptStore.ofRecording("r1");
    replace(new MeetingTranscriptStore(kit.journal), meeting, session, morning());
    String path = "/transcripts/" + meeting;
    String segment = path + "/segments/" + ids(meeting).getFirst();

    kit.as(node, kit.ann).patch(segment, Map.of("text", "morning", "speaker", "Ada")).expect(200);
    JsonNode named = segments(node, path + "?words=true").path(0);
    assertThat(named.path("speaker").asString()).isEqualTo("Ada");
    assertThat(named.path("words")).hasSize(1);
    assertThat(named.path("confidence").asDouble()).isEqualTo(0.5);

    kit.as(node, kit.ann).patch(segment, Map.of("text", "evening")).expect(200);
    assertThat(segments(node, path + "?words=true").path(0).path("words").isNull()).isTrue();
    JsonNode back =
        kit.as(node, kit.ann).patch(segment, Map.of("text", "morning")).expect(200).json();
    assertThat(back.path("confidence").asDouble()).isEqualTo(0.5);
    assertThat(segments(node, path + "?words=true").path(0).path("words")).hasSize(1);
  }

  /** Who reads until it is not partial would otherwise miss the last words. */
  @Test
  void aTranscriptThatIsCompletedWhileItIsReadIsPartialOnceMore() throws Exception {
    Node node = kit.node(Gear.of(FakeTranscriber.willing()));
    long meeting = kit.meeting(kit.ann, "call");
    MeetingTranscriptStore meetingTranscriptStore = new MeetingTranscriptStore(kit.journal);
    kit.database.run(
        tx ->
            tx.run(
                List.of(
                    tx.sql("update meetings set status = 'completed' where id = ?").with(meeting),
                    tx.sql(
                            """
                            insert into recordings
                              (recording_id, user_id, room_name, status, meeting_id)
                            values ('r1', ?, 'call', 'done', ?)
                            """)
                        .with(kit.ann, meeting))));
    CompletableFuture<Boolean> partial =
        kit.database.transaction(
            tx -> {
              tx.run(List.of(tx.sql("lock table transcriptions in access exclusive mode")));
              CompletableFuture<Boolean> reader =
                  CompletableFuture.supplyAsync(
                      () -> isPartial(node, meeting), Thread::startVirtualThread);
              Await.until("the reader", () -> readerWaits() || reader.isDone());
              String session = MeetingTranscriptStore.ofRecording("r1");
              meetingTranscriptStore.replace(tx, meeting, session, List.of(heard(1, "Good")));
              tx.run(List.of(tx.sql("update recordings set transcript_open = false")));
              return reader;
            });
    assertThat(partial.get(20, TimeUnit.SECONDS)).isTrue();
    assertThat(isPartial(node, meeting)).isFalse();
  }

  private boolean isPartial(Node node, long meeting) {
    return kit.as(node, kit.ann)
        .get("/transcripts/" + meeting)
        .expect(200)
        .json()
        .path("partial")
        .asBoolean();
  }

  private boolean readerWaits() {
    return kit.number(
            """
            select count(*) as n from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'
              and query like 'select coalesce(s.session_start_time, r.start_time) as began%'
            """)
        > 0;
  }

  private List<Long> ids(long meeting) {
    return kit.database.read(
        tx ->
            tx.sql("select id from transcriptions where meeting_id = ? order by id")
                .with(meeting)
                .list(resultRow -> resultRow.longAt("id")));
  }

  private void replace(
      MeetingTranscriptStore meetingTranscriptStore,
      long meeting,
      String session,
      StoredSegment... segments) {
    kit.database.run(tx -> meetingTranscriptStore.replace(tx, meeting, session, List.of(segments)));
  }

  private static StoredSegment heard(double start, String text) {
    return new StoredSegment(start, start + 1, text, Optional.empty(), Optional.empty(), true);
  }

  /** With its words and how sure the transcriber is. */
  private static StoredSegment morning() {
    return new StoredSegment(
        2,
        3,
        "morning",
        Optional.empty(),
        Optional.empty(),
        true,
        Optional.of(0.5),
        List.of(new SegmentToken("morning", 2, 3, Optional.of(0.25))),
        Optional.empty());
  }

  private List<String> told(long meeting) {
    return events(meeting).stream()
        .flatMap(event -> event.path("segments").findValuesAsString("text").stream())
        .toList();
  }

  private List<JsonNode> events(long meeting) {
    return kit.database.read(
        tx ->
            tx.sql(
                    """
                    select data from events
                    where type = 'transcript.segments' and subject = ? order by seq
                    """)
                .with("meeting:" + meeting)
                .list(resultRow -> resultRow.json("data")));
  }
}
