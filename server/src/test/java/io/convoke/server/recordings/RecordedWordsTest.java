package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.meetings.MeetingTranscriptStore;
import io.convoke.server.meetings.MeetingTranscriptStore.StoredSegment;
import io.convoke.server.recordings.RecordingsTestKit.Gear;
import io.convoke.server.recordings.RecordingsTestKit.Node;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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
