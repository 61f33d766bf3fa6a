package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.media.MediaTool;
import io.convoke.server.media.SpeechWav;
import io.convoke.server.recordings.RecordingsTestKit.Gear;
import io.convoke.server.recordings.RecordingsTestKit.Node;
import io.convoke.server.transcribe.AudioPiece.PieceLimits;
import io.convoke.server.transcribe.Transcriber;
import io.convoke.server.transcribe.TranscriptSegment;
import io.convoke.simulator.audio.MediaEncoder;
import io.convoke.simulator.audio.MediaEncoder.MediaForm;
import io.convoke.simulator.audio.SpeechSynthesizer;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.RecordingRequest;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From what platforms deliver to a transcript: MP4, tracks in WebM, long recordings in pieces. */
class MediaPipelineTest {
  @TempDir private Path folder;
  private RecordingsTestKit kit;

  @BeforeAll
  static void install() {
    boolean here = MediaEncoder.install();
    if (!here) {
      System.err.println("SKIPPED: no ffmpeg on this machine; install it");
    }
    Assumptions.assumeTrue(here, "ffmpeg is not here and cannot be had");
  }

  @BeforeEach
  void open() {
    kit = new RecordingsTestKit(folder);
  }

  @AfterEach
  void close() {
    kit.close();
  }

  /** A transcriber that notes what it gets and returns one line for it. */
  private static final class NotingTranscriber implements Transcriber {
    final List<Optional<SpeechWav>> got = new CopyOnWriteArrayList<>();
    final List<String> names = new CopyOnWriteArrayList<>();
    final List<Path> folders = new CopyOnWriteArrayList<>();
    private final Optional<PieceLimits> limits;
    private final Set<Integer> failures = new HashSet<>();

    private NotingTranscriber(Optional<PieceLimits> limits) {
      this.limits = limits;
    }

    @Override
    public String name() {
      return "noting";
    }

    @Override
    public Optional<PieceLimits> limits() {
      return limits;
    }

    @Override
    public TranscriptionResult transcribe(Path audio, TranscriptionListener listener)
        throws IOException, InterruptedException {
      Optional<SpeechWav> wav = SpeechWav.open(audio);
      got.add(wav);
      names.add(audio.getFileName().toString());
      folders.add(audio.getParent());
      if (failures.remove(got.size())) {
        throw new IOException("not now");
      }
      List<TranscriptSegment> segments =
          List.of(
              new TranscriptSegment(
                  1, 2, "file " + names.size(), Optional.empty(), Optional.of("en")));
      listener.onSegments(segments);
      return new TranscriptionResult.AudioTranscribed(segments);
    }

    List<Double> seconds() {
      return got.stream().map(wav -> wav.orElseThrow().seconds()).toList();
    }
  }

  @Tag("nightly")
  @Test
  void aTranscriberGetsSixteenKilohertzWavWhateverThePlatformGave() throws Exception {
    NotingTranscriber transcriber = new NotingTranscriber(Optional.empty());
    Node node = kit.node(Gear.of(transcriber));
    for (MediaForm form : List.of(MediaForm.MP4, MediaForm.STEREO_WAV)) {
      deliver(form);
      long _ = kit.meeting(kit.ann, "call-" + form);
      String id = kit.record("call-" + form);
      RecordingRow _ = process(node, id, RecordingStatus.DONE);
    }
    assertThat(transcriber.got).hasSize(2).allMatch(Optional::isPresent);
    assertThat(transcriber.names).allMatch(name -> name.endsWith(".wav"));
    assertThat(transcriber.seconds()).allMatch(seconds -> seconds > 89 && seconds < 93);
    assertThat(transcriber.folders).noneMatch(Files::exists);
  }

  @Tag("nightly")
  @Test
  void withoutFfmpegARecordingFailsWithItsCodeAndARetryAfterTheInstallationSucceeds()
      throws Exception {
    Path program = folder.resolve("ffmpeg");
    NotingTranscriber transcriber = new NotingTranscriber(Optional.empty());
    Node node = kit.node(Gear.of(transcriber).with(new MediaTool(program.toString())));
    deliver(MediaForm.MP4);
    long meeting = kit.meeting(kit.ann, "call");
    String id = kit.record("call");
    RecordingRow failed = process(node, id, RecordingStatus.FAILED);
    assertThat(failed.reason().orElseThrow()).startsWith("transcribe: media_tool_missing: ");
    assertThat(failed.steps().of(StepName.TRANSCRIBE).attempts()).isEqualTo(1);

    Path _ = Files.createSymbolicLink(program, new MediaTool("ffmpeg").find().orElseThrow());
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      kit.as(node, kit.ann).post("/recordings/" + id + "/retry", Map.of()).expect(202);
      RecordingRow _ = kit.await(moves, id, RecordingStatus.DONE);
    }
    assertThat(kit.words(meeting)).containsExactly("file 1");
  }

  @Tag("nightly")
  @Test
  void aLongRecordingIsTranscribedInPiecesAndGoesOnAfterTheLastGoodOne() throws Exception {
    NotingTranscriber transcriber = new NotingTranscriber(Optional.of(new PieceLimits(40, 5)));
    boolean _ = transcriber.failures.add(3);
    Node node = kit.node(Gear.of(transcriber));
    long meeting = kit.meeting(kit.ann, "call");
    String id = kit.record("call");
    RecordingRow done = process(node, id, RecordingStatus.DONE);

    assertThat(done.steps().of(StepName.TRANSCRIBE).attempts()).isEqualTo(2);
    // 90 s in pieces of 40 s; the third failed once, and the first two were not repeated.
    assertThat(transcriber.names)
        .containsExactly(
            "audio-0-piece-1.wav",
            "audio-0-piece-2.wav",
            "audio-0-piece-3.wav",
            "audio-0-piece-3.wav");
    assertThat(transcriber.seconds()).startsWith(40.0, 40.0);
    assertThat(kit.words(meeting)).containsExactly("file 1", "file 2", "file 4");
    assertThat(starts(meeting)).containsExactly(1.0, 36.0, 71.0);
    assertThat(kit.number("select count(*) as n from recording_pieces")).isZero();
    assertThat(transcriber.folders).noneMatch(Files::exists);
  }

  @Test
  void tracksBecomeOneTranscriptWithTheNamesOfTheirParticipants() throws Exception {
    NotingTranscriber transcriber = new NotingTranscriber(Optional.empty());
    Node node = kit.node(Gear.of(transcriber));
    long meeting = kit.meeting(kit.ann, "call");
    var _ = kit.sim.world().ensure(RoomRequest.named("call"));
    String ada = join("Ada");
    String bob = join("Bob");
    known(meeting, ada, "Ada Lovelace");
    known(meeting, bob, "Bob");
    Recording recording =
        kit.sim
            .world()
            .startRecording(RecordingRequest.cloud("call").ofType("raw-tracks"))
            .orElseThrow();
    kit.clock.advance(Duration.ofSeconds(10));
    boolean _ = kit.sim.world().say("call", ada, "Good morning.");
    kit.clock.advance(Duration.ofSeconds(20));
    boolean _ = kit.sim.world().say("call", bob, "Shall we begin?");
    kit.clock.advance(Duration.ofSeconds(10));
    int _ = kit.sim.world().stopRecording("call", Optional.empty());
    kit.clock.advance(Duration.ofSeconds(8));

    String id = recording.recordingId();
    RecordingRow done = process(node, id, RecordingStatus.DONE);
    assertThat(done.steps().of(StepName.DOWNLOAD).detail()).contains("2 tracks");
    assertThat(transcriber.got).hasSize(2).allMatch(Optional::isPresent);
    // Each track begins with its first word, and the line is a second later.
    assertThat(starts(meeting)).containsExactly(11.0, 31.0);
    assertThat(speakers(meeting)).containsExactly("Ada Lovelace", "Bob");

    assertThat(kit.admin(node).get("/admin/recordings/audit").json().path("orphans")).isEmpty();
    kit.as(node, kit.ann).delete("/recordings/" + id).expect(204);
    assertThat(kit.number("select count(*) as n from recording_tracks")).isZero();
    try (Stream<Path> files = Files.walk(folder.resolve("blobs"))) {
      assertThat(files.filter(Files::isRegularFile)).isEmpty();
    }
  }

  private void deliver(MediaForm form) {
    kit.sim.sounding(
        recording -> MediaEncoder.encode(SpeechSynthesizer.wav(recording, Optional.empty()), form));
  }

  private String join(String name) {
    JoinResult joined = kit.sim.world().join("call", Visitor.named(name));
    return ((JoinResult.JoinedMeeting) joined).session().sessionId();
  }

  private void known(long meeting, String session, String name) {
    int _ =
        kit.database.read(
            tx ->
                tx.sql(
                        """
                        insert into participant_sessions
                          (meeting_id, session_id, user_name, joined_at, join_source, last_seen_at)
                        values (?, ?, ?, now(), 'webhook', now())
                        """)
                    .with(meeting, session, name)
                    .update());
  }

  private List<Double> starts(long meeting) {
    return kit.database.read(
        tx ->
            tx.sql("select start_time from transcriptions where meeting_id = ? order by start_time")
                .with(meeting)
                .list(row -> row.doubleAt("start_time")));
  }

  private List<String> speakers(long meeting) {
    return kit.database.read(
        tx ->
            tx.sql("select speaker from transcriptions where meeting_id = ? order by start_time")
                .with(meeting)
                .list(row -> row.text("speaker")));
  }

  private RecordingRow process(Node node, String id, RecordingStatus end) throws Exception {
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(node.recordings().listing().list()).contains(1);
      RecordingRow row = kit.await(moves, id, end);
      kit.unlist();
      return row;
    }
  }
}
