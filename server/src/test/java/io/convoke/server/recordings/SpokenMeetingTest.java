package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.fakes.transcribe.PocketsphinxTranscriber;
import io.convoke.server.recordings.RecordingsTestKit.Gear;
import io.convoke.server.recordings.RecordingsTestKit.Node;
import io.convoke.server.transcribe.Transcriber;
import io.convoke.server.transcribe.TranscriberFactory;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.RecordingRequest;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real transcriber transcribes the simulator's speech. */
@Tag("nightly")
class SpokenMeetingTest {
  /** The 72 sentences that the transcriber may return. */
  private static final String GRAMMAR =
      """
      #JSGF V1.0;
      grammar moves;
      public <move> = (hello | goodbye) (world | people)
        | (go | come) (forward | backward) [(two | ten) (meters | miles)];
      """;

  @TempDir private Path folder;

  @BeforeAll
  static void install() {
    boolean here = PocketsphinxTranscriber.install();
    if (!here) {
      System.err.println(
          "SKIPPED: no real transcriber on this machine; install "
              + String.join(", ", PocketsphinxTranscriber.PACKAGES));
    }
    Assumptions.assumeTrue(here, "espeak-ng and pocketsphinx are not here and cannot be had");
  }

  @Test
  void theSpeechOfTheMeetingIsInItsTranscript() throws Exception {
    Path grammar = Files.writeString(folder.resolve("moves.gram"), GRAMMAR);
    Transcriber listener =
        TranscriberFactory.of(
                "command:pocketsphinx_continuous -logfn /dev/null -jsgf "
                    + grammar
                    + " -infile {audio}",
                Optional.empty())
            .orElseThrow();
    try (RecordingsTestKit kit = new RecordingsTestKit(folder)) {
      Node node = kit.node(Gear.of(listener));
      long meeting = kit.meeting(kit.ann, "yard");
      var _ = kit.sim.world().ensure(RoomRequest.named("yard"));
      JoinResult joined = kit.sim.world().join("yard", Visitor.named("Ada"));
      String ada = ((JoinResult.JoinedMeeting) joined).session().sessionId();
      Recording recording =
          kit.sim.world().startRecording(RecordingRequest.cloud("yard")).orElseThrow();
      for (String line : List.of("Hello world", "Go forward", "Come backward two miles")) {
        kit.clock.advance(Duration.ofSeconds(3));
        boolean _ = kit.sim.world().say("yard", ada, line);
      }
      kit.clock.advance(Duration.ofSeconds(5));
      int _ = kit.sim.world().stopRecording("yard", Optional.empty());
      kit.clock.advance(Duration.ofSeconds(8));
      try (SignalObservation<RecordingRow> moves = node.moves()) {
        assertThat(node.recordings().listing().list()).contains(1);
        RecordingRow _ = kit.await(moves, recording.recordingId(), RecordingStatus.DONE);
      }
      assertThat(kit.words(meeting))
          .containsExactly("hello world", "go forward", "come backward two miles");
    }
  }
}
