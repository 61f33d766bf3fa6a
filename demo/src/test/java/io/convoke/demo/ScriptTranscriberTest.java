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

/**
 * What stands in for a transcriber finds the script by the sound, and says nothing about others.
 */
class ScriptTranscriberTest {
  private static final Instant NOON = Instant.parse("2026-10-05T12:00:00Z");

  @TempDir private Path folder;

  @Test
  void theSoundOfARecordingLeadsToItsScript() throws Exception {
    Recording ours = recording("a", "Good morning.", "Until Friday.");
    ScriptTranscriber reader = new ScriptTranscriber(folder.resolve("it's a script"));
    reader.happened(new SimulationEvent.RecordingSettled(ours, NOON));

    assertThat(hears(reader, ours)).isEqualTo("Good morning.\nUntil Friday.\n");
    assertThat(hears(reader, recording("b", "Something else."))).isEmpty();
  }

  /** What the command prints that the server would run; nothing unless it ends well. */
  private String hears(ScriptTranscriber reader, Recording recording)
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
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() == 0 ? said : "";
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
