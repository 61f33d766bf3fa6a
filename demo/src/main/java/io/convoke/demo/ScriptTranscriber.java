package io.convoke.demo;

import io.convoke.simulator.audio.SpeechSynthesizer;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.SimulationEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Replaces a transcriber on a machine without one: it replays the simulator's script. For each
 * ready recording it writes the spoken lines to a file named by the SHA-256 of the audio; the
 * command that the server calls prints that file.
 */
final class ScriptTranscriber {
  private final Path folder;

  ScriptTranscriber(Path folder) {
    this.folder = folder;
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write scripts to " + folder, e);
    }
  }

  /** The value of {@code CONVOKE_TRANSCRIBER}; it waits for a script that is not written yet. */
  String setting() {
    return "command:cat '%s'/$( (sha256sum || shasum -a 256) 2>/dev/null <{audio} | cut -d' ' -f1)"
        .formatted(folder.toString().replace("'", "'\\''"));
  }

  /** Writes the spoken lines of a ready recording. */
  void onSimulation(SimulationEvent event) {
    if (event instanceof SimulationEvent.RecordingSettled(Recording recording, var _)) {
      try {
        byte[] sound = SpeechSynthesizer.wav(recording, Optional.empty());
        Path whole = Files.createTempFile(folder, "script", ".tmp");
        Files.write(whole, recording.lines().stream().map(Recording.SpokenLine::text).toList());
        var _ = Files.move(whole, folder.resolve(sha256(sound)));
      } catch (IOException e) {
        System.err.println("the script of a recording could not be written: " + e.getMessage());
      }
    }
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every JDK has SHA-256", impossible);
    }
  }
}
