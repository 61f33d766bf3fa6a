package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.fakes.janus.FakeJanus;
import io.convoke.fakes.janus.JanusServer;
import io.convoke.fakes.janus.MjrRecording;
import io.convoke.server.media.SpeechWav;
import io.convoke.server.platform.RateLimiter;
import io.convoke.server.platform.janus.JanusAdmin;
import io.convoke.server.platform.janus.JanusClient;
import io.convoke.server.platform.janus.JanusConfig;
import io.convoke.server.platform.janus.JanusRecordingFolder;
import io.convoke.server.platform.janus.JanusRecordingSource;
import io.convoke.server.recordings.RecordingsTestKit.Gear;
import io.convoke.server.recordings.RecordingsTestKit.Node;
import io.convoke.server.transcribe.Transcriber;
import io.convoke.server.transcribe.TranscriptSegment;
import io.convoke.simulator.audio.MediaEncoder;
import io.convoke.simulator.audio.MediaEncoder.MediaForm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a Janus recorded becomes one transcript with the names of those who spoke. */
@Tag("nightly")
class JanusRecordingTest {
  @TempDir private Path folder;
  private final Instant began = Instant.now().minusSeconds(300).truncatedTo(ChronoUnit.MICROS);
  private final FakeJanus janus = new FakeJanus();
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
    janus.close();
  }

  /** Says of each file how long it is, and fails as often as it is told. */
  private static final class Measuring implements Transcriber {
    final AtomicInteger failures = new AtomicInteger();

    @Override
    public String name() {
      return "measuring";
    }

    @Override
    public TranscriptionResult transcribe(Path audio, TranscriptionListener listener)
        throws IOException {
      if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new IOException("not now");
      }
      double seconds = SpeechWav.open(audio).orElseThrow().seconds();
      return new TranscriptionResult.AudioTranscribed(
          List.of(TranscriptSegment.of(0.5, seconds, Math.round(seconds) + " seconds")));
    }
  }

  private Node node(Transcriber transcriber) {
    JanusRecordingFolder recordings = new JanusRecordingFolder(folder.resolve("janus"));
    JanusAdmin admin =
        new JanusAdmin(
            new JanusConfig(
                janus.adminUrl(),
                JanusServer.ADMIN_SECRET,
                JanusServer.ADMIN_KEY,
                JanusConfig.DEFAULT_TIMEOUT),
            RateLimiter.unlimited());
    return kit.node(
        Gear.of(transcriber)
            .with(
                new RecordingPlatform(
                    new JanusRecordingSource(
                        new JanusClient(admin, InstantSource.system()),
                        recordings,
                        InstantSource.system()),
                    Optional.of(new TrackBucket.JanusBucket(recordings)),
                    "CONVOKE_JANUS_RECORDINGS")));
  }

  /** A meeting at Janus, ended a minute ago. */
  private long meeting(String room) {
    int _ =
        kit.database.read(
            tx ->
                tx.sql(
                        """
                        insert into rooms (platform, room, user_id, claimed_at, opens_at)
                        values ('janus', ?, ?, ?, ?)
                        """)
                    .with(room, kit.ann, began, began.minusSeconds(60))
                    .update());
    return kit.database.read(
        tx ->
            tx.sql(
                    """
                    insert into meetings (user_id, platform, platform_specific_id, status, tracked,
                      start_time, end_time)
                    values (?, 'janus', ?, 'completed', true, ?, ?) returning id
                    """)
                .with(kit.ann, room, began, began.plusSeconds(60))
                .one(row -> row.longAt("id")));
  }

  private void visit(long meeting, String id, String name, int from, int to) {
    int _ =
        kit.database.read(
            tx ->
                tx.sql(
                        """
                        insert into participant_sessions (meeting_id, session_id, user_name,
                          joined_at, left_at, join_source, last_seen_at)
                        values (?, ?, ?, ?, ?, 'webhook', now())
                        """)
                    .with(meeting, id, name, began.plusSeconds(from), began.plusSeconds(to))
                    .update());
  }

  /** Records so many seconds of a tone, from a second of the meeting on. */
  private Path record(String room, String id, int from, int seconds, String suffix)
      throws IOException {
    Instant created = began.plusSeconds(from);
    byte[] ogg = MediaEncoder.encode(tone(seconds), MediaForm.OGG);
    Path path =
        Files.createDirectories(folder.resolve("janus").resolve(room))
            .resolve(MjrRecording.name(room, id, created) + suffix);
    Files.write(path, MjrRecording.ofOgg(created, created.plusMillis(500), ogg));
    return Files.setLastModifiedTime(path, FileTime.from(created.plusSeconds(seconds)));
  }

  private static byte[] tone(int seconds) {
    int samples = 16_000 * seconds;
    ByteBuffer wav = ByteBuffer.allocate(44 + 2 * samples).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer _ = wav.put("RIFF".getBytes(StandardCharsets.US_ASCII)).putInt(36 + 2 * samples);
    ByteBuffer _ = wav.put("WAVEfmt ".getBytes(StandardCharsets.US_ASCII)).putInt(16);
    ByteBuffer _ = wav.putShort((short) 1).putShort((short) 1).putInt(16_000).putInt(32_000);
    ByteBuffer _ = wav.putShort((short) 2).putShort((short) 16);
    ByteBuffer _ = wav.put("data".getBytes(StandardCharsets.US_ASCII)).putInt(2 * samples);
    for (int i = 0; i < samples; i++) {
      ByteBuffer _ = wav.putShort((short) (8000 * Math.sin(i * 2 * Math.PI * 440 / 16_000)));
    }
    return wav.array();
  }

  private record Line(String speaker, double start, String text) {}

  private List<Line> lines(long meeting) {
    return kit.database.read(
        tx ->
            tx.sql(
                    """
                    select speaker, start_time, text from transcriptions
                    where meeting_id = ? order by start_time
                    """)
                .with(meeting)
                .list(
                    row ->
                        new Line(
                            row.text("speaker"), row.doubleAt("start_time"), row.text("text"))));
  }

  private String process(Node node, RecordingStatus status) throws InterruptedException {
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(node.recordings().folderListing().list()).contains(1);
      String id =
          kit.database.read(
              tx ->
                  tx.sql("select recording_id from recordings where platform = 'janus'")
                      .one(row -> row.text("recording_id")));
      RecordingRow _ = kit.await(moves, id, status);
      kit.unlist();
      return id;
    }
  }

  @Test
  void whoSpokeIsToldByTheTracksAndTheFilesGoWhenAllIsDone() throws Exception {
    Measuring transcriber = new Measuring();
    Node node = node(transcriber);
    long meeting = meeting("yard");
    visit(meeting, "guest-1", "Ada", 0, 20);
    visit(meeting, "guest-1", "Ben", 25, 60);
    Path first = record("yard", "guest-1", 1, 3, "");
    Path second = record("yard", "guest-1", 26, 5, ".tmp");
    Path third = record("yard", "guest-2-unseen", 10, 4, "");
    transcriber.failures.set(2);

    String id = process(node, RecordingStatus.DONE);
    assertThat(lines(meeting))
        .containsExactly(
            new Line("Ada", 1.0, "3 seconds"),
            new Line("Participant 2-unseen", 10.0, "4 seconds"),
            new Line("Ben", 26.0, "5 seconds"));

    assertThat(List.of(first, second, third)).allMatch(Files::exists);
    assertThat(node.recordings().folderListing().list()).contains(0);
    assertThat(List.of(first, second, third)).noneMatch(Files::exists);
    kit.unlist();
    assertThat(node.recordings().folderListing().list()).contains(0);

    try (SignalObservation<RecordingRow> moves = node.moves()) {
      kit.as(node, kit.ann)
          .post("/recordings/" + id + "/retry", Map.of("step", "download"))
          .expect(202);
      RecordingRow _ = kit.await(moves, id, RecordingStatus.DONE);
    }
    assertThat(lines(meeting)).hasSize(3);
  }

  @Test
  void whatFailedOrHasNoMeetingKeepsItsFiles() throws Exception {
    Measuring transcriber = new Measuring();
    Node node = node(transcriber);
    Path file = record("yard", "guest-1", 1, 3, "");
    String id = process(node, RecordingStatus.UNMATCHED);
    assertThat(node.recordings().folderListing().list()).contains(0);
    assertThat(file).exists();

    int _ =
        kit.database.read(
            tx ->
                tx.sql("update recordings set deleted_at = now() where recording_id = ?")
                    .with(id)
                    .update());
    kit.unlist();
    assertThat(node.recordings().folderListing().list()).contains(0);
    assertThat(file).doesNotExist();
  }
}
