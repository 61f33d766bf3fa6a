package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.fakes.transcribe.PocketsphinxTranscriber;
import io.convoke.server.recordings.RecordingsTestKit.Gear;
import io.convoke.server.recordings.RecordingsTestKit.Node;
import io.convoke.server.transcribe.Transcriber;
import io.convoke.server.transcribe.Transcriber.TranscriptionListener;
import io.convoke.server.transcribe.Transcriber.TranscriptionResult;
import io.convoke.server.transcribe.TranscriberFactory;
import io.convoke.server.transcribe.TranscriptSegment;
import io.convoke.simulator.audio.MediaEncoder;
import io.convoke.simulator.audio.MediaEncoder.MediaForm;
import io.convoke.simulator.audio.SpeechSynthesizer;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.Recording.SpokenLine;
import io.convoke.simulator.state.RecordingRequest;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Speech of four voices, as MP4 with AAC and as four tracks of WebM with Opus, through the whole
 * pipeline with a real transcriber.
 */
@Tag("nightly")
class SpokenMediaTest {
  /** The 72 sentences that the transcriber may return. */
  private static final String GRAMMAR =
      """
      #JSGF V1.0;
      grammar moves;
      public <move> = (hello | goodbye) (world | people)
        | (go | come) (forward | backward) [(two | ten) (meters | miles)];
      """;

  private static final List<String> SPEAKERS = List.of("Ada", "Bob", "Cleo", "Dan");
  private static final List<String> LINES =
      List.of(
          "Hello world",
          "Go forward ten meters",
          "Come backward two miles",
          "Goodbye people",
          "Go backward",
          "Hello people",
          "Come forward ten miles",
          "Goodbye world");

  /** How much worse the encoded speech may be recognised than the clean one. */
  private static final double WORSE_MAX = 0.1;

  @TempDir private Path folder;

  @BeforeAll
  static void install() {
    boolean here = PocketsphinxTranscriber.install() && MediaEncoder.install();
    if (!here) {
      System.err.println(
          "SKIPPED: no real transcriber or no ffmpeg on this machine; install ffmpeg, "
              + String.join(", ", PocketsphinxTranscriber.PACKAGES));
    }
    Assumptions.assumeTrue(here, "espeak-ng, pocketsphinx and ffmpeg are not here");
  }

  @Test
  void whatFourVoicesSayIsInTheTranscriptUnderTheirNames() throws Exception {
    Transcriber listener = pocketsphinx();
    try (RecordingsTestKit kit = new RecordingsTestKit(folder)) {
      Node node = kit.node(Gear.of(listener));
      kit.sim.sounding(
          recording ->
              MediaEncoder.encode(
                  SpeechSynthesizer.wav(recording, Optional.empty()), MediaForm.MP4));
      Map<String, String> names = new LinkedHashMap<>();

      long whole = kit.meeting(kit.ann, "whole");
      Recording cloud = spoken(kit, whole, "whole", "cloud", names);
      process(kit, node, cloud.recordingId());
      long apart = kit.meeting(kit.ann, "apart");
      Recording tracks = spoken(kit, apart, "apart", "raw-tracks", names);
      process(kit, node, tracks.recordingId());

      double clean = errorRate(String.join(" ", LINES), clean(listener, cloud));
      double mp4 = errorRate(String.join(" ", LINES), String.join(" ", kit.words(whole)));
      Map<String, String> said = bySpeaker(kit, apart);
      int errors = 0;
      for (String speaker : SPEAKERS) {
        errors += distance(linesOf(tracks, names, speaker), said.getOrDefault(speaker, ""));
      }
      double webm = (double) errors / words(String.join(" ", LINES)).size();
      System.out.printf(
          Locale.ROOT,
          "word error rate: pocketsphinx on the clean WAV %.3f, through the pipeline as MP4 %.3f,"
              + " as four WebM tracks %.3f%n",
          clean,
          mp4,
          webm);

      assertThat(said.keySet()).containsExactlyInAnyOrderElementsOf(SPEAKERS);
      for (String speaker : SPEAKERS) {
        String lines = linesOf(tracks, names, speaker);
        assertThat(errorRate(lines, said.getOrDefault(speaker, "")))
            .as("%s said: %s; under the name is: %s", speaker, lines, said.get(speaker))
            .isLessThan(0.5);
      }
      assertThat(mp4).isLessThanOrEqualTo(clean + WORSE_MAX);
      assertThat(webm).isLessThanOrEqualTo(clean + WORSE_MAX);
    }
  }

  private Transcriber pocketsphinx() throws Exception {
    Path grammar = Files.writeString(folder.resolve("moves.gram"), GRAMMAR);
    return TranscriberFactory.of(
            "command:pocketsphinx_continuous -logfn /dev/null -jsgf "
                + grammar
                + " -infile {audio}",
            Optional.empty())
        .orElseThrow();
  }

  private static Recording spoken(
      RecordingsTestKit kit, long meeting, String room, String type, Map<String, String> names) {
    var _ = kit.sim.world().ensure(RoomRequest.named(room));
    List<String> sessions = new ArrayList<>();
    for (String speaker : SPEAKERS) {
      JoinResult joined = kit.sim.world().join(room, Visitor.named(speaker));
      String session = ((JoinResult.JoinedMeeting) joined).session().sessionId();
      sessions.add(session);
      names.put(session, speaker);
      int _ =
          kit.database.read(
              tx ->
                  tx.sql(
                          """
                          insert into participant_sessions
                            (meeting_id, session_id, user_name, joined_at, join_source, last_seen_at)
                          values (?, ?, ?, now(), 'webhook', now())
                          """)
                      .with(meeting, session, speaker)
                      .update());
    }
    Recording recording =
        kit.sim.world().startRecording(RecordingRequest.cloud(room).ofType(type)).orElseThrow();
    for (int i = 0; i < LINES.size(); i++) {
      kit.clock.advance(Duration.ofSeconds(6));
      boolean _ = kit.sim.world().say(room, sessions.get(i % sessions.size()), LINES.get(i));
    }
    kit.clock.advance(Duration.ofSeconds(6));
    int _ = kit.sim.world().stopRecording(room, Optional.empty());
    kit.clock.advance(Duration.ofSeconds(8));
    return kit.sim.world().recording(recording.recordingId()).orElseThrow();
  }

  private static void process(RecordingsTestKit kit, Node node, String id)
      throws InterruptedException {
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(node.recordings().listing().list()).contains(1);
      RecordingRow _ = kit.await(moves, id, RecordingStatus.DONE);
      kit.unlist();
    }
  }

  /** What the transcriber makes of the same speech without our pipeline. */
  private String clean(Transcriber listener, Recording recording) throws Exception {
    Path wav =
        Files.write(
            folder.resolve("clean.wav"), SpeechSynthesizer.wav(recording, Optional.empty()));
    TranscriptionResult result = listener.transcribe(wav, TranscriptionListener.NONE);
    return String.join(
        " ",
        ((TranscriptionResult.AudioTranscribed) result)
            .segments().stream().map(TranscriptSegment::text).toList());
  }

  private static Map<String, String> bySpeaker(RecordingsTestKit kit, long meeting) {
    Map<String, String> said = new LinkedHashMap<>();
    kit.database.read(
        tx ->
            tx.sql(
                    """
                    select speaker, string_agg(text, ' ' order by start_time, id) as text
                    from transcriptions where meeting_id = ? group by speaker
                    """)
                .with(meeting)
                .list(row -> said.put(row.text("speaker"), row.text("text"))));
    return said;
  }

  private static String linesOf(Recording recording, Map<String, String> names, String speaker) {
    return String.join(
        " ",
        recording.lines().stream()
            .filter(line -> speaker.equals(names.get(line.sessionId())))
            .map(SpokenLine::text)
            .toList());
  }

  private static double errorRate(String reference, String heard) {
    return (double) distance(reference, heard) / words(reference).size();
  }

  /** Words to replace, add or remove. */
  private static int distance(String reference, String heard) {
    List<String> from = words(reference);
    List<String> to = words(heard);
    int[] row = new int[to.size() + 1];
    for (int j = 0; j <= to.size(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.size(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.size(); j++) {
        int replaced = diagonal + (from.get(i - 1).equals(to.get(j - 1)) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[to.size()];
  }

  private static List<String> words(String text) {
    return Arrays.stream(text.toLowerCase(Locale.ROOT).split("[^a-z']+", -1))
        .filter(word -> !word.isEmpty())
        .toList();
  }
}
