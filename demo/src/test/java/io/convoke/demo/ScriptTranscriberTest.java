package io.convoke.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.simulator.audio.SpeechSynthesizer;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.SimulationEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script transcriber finds the script by the audio and prints nothing for other audio. */
class ScriptTranscriberTest {
  private static final Instant NOON = Instant.parse("2026-10-05T12:00:00Z");

  @TempDir private Path folder;

  @Test
  void theSoundOfARecordingLeadsToItsScript() throws Exception {
    Recording ours = recording("a", "Good morning.", "Until Friday.");
    ScriptTranscriber reader = new ScriptTranscriber(folder.resolve("it's a script"));
    reader.onSimulation(new SimulationEvent.RecordingSettled(ours, NOON));

    assertThat(transcribe(reader, ours)).isEqualTo("Good morning.\nUntil Friday.\n");
    assertThat(transcribe(reader, recording("b", "Something else."))).isEmpty();
  }

  /** The output of the command that the server would run; empty if it fails. */
  private String transcribe(ScriptTranscriber reader, Recording recording)
      throws IOException, InterruptedException {
    Path audio =
        Files.write(
            folder.resolve("heard.wav"), SpeechSynthesizer.wav(recording, Optional.empty()));
    String command =
        reader.setting().substring("command:".length()).replace("{audio}", "'" + audio + "'");
    Process process =
        new ProcessBuilder("sh", "-c", command)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() == 0 ? output : "";
  }

  private static Recording recording(String id, String... lines) {
    return new Recording(
        id,
        "room@1",
        id,
        Optional.empty(),
        "room",
        "meeting",
        "cloud",
        Recording.RecordingStatus.FINISHED,
        Recording.RecordingOutcome.FINISHED,
        NOON.minusSeconds(3),
        Optional.of(NOON),
        1,
        List.of(lines).stream()
            .map(line -> new Recording.SpokenLine("session", "Ada", Duration.ZERO, line))
            .toList());
  }
}
