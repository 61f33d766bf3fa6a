package io.convoke.chaos.recordings;

import io.convoke.chaos.recordings.rules.RecordingHistory.OutsideEffect;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * A fake transcriber: a small program that reads the lines out of the audio, fails as planned, and
 * appends a line to a file when it starts and when it has finished.
 */
final class FakeTranscriber {
  private static final String PROGRAM = "transcriber.sh";
  private static final String CALLS_FILE = "heard";

  private final Path folder;

  FakeTranscriber(Path folder) throws IOException {
    this.folder = Files.createDirectories(folder);
    var _ = Files.createDirectories(folder.resolve("used"));
    try (InputStream program = FakeTranscriber.class.getResourceAsStream(PROGRAM)) {
      var _ = Files.copy(Objects.requireNonNull(program), folder.resolve(PROGRAM));
    }
    var _ = Files.createFile(folder.resolve(CALLS_FILE));
  }

  /** Command with which servers run it. */
  String command() {
    return "sh %s %s {audio}".formatted(folder.resolve(PROGRAM), folder);
  }

  /** Sets the planned faults of a recording; {@code blob} is where its audio will be stored. */
  void expect(String label, RecordingFaultPlan faultPlan, Path blob) {
    try {
      if (faultPlan.unavailable()) {
        var _ = Files.createFile(folder.resolve(label + ".deaf"));
      }
      int number = 0;
      for (String fault : faultPlan.transcriberFaults()) {
        var _ =
            Files.writeString(
                folder.resolve(label + "." + ++number + "." + fault), blob.toString());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Each start of the transcriber.
   *
   * @param id of the recording with this label
   */
  List<OutsideEffect> effects(UnaryOperator<String> id) throws IOException {
    List<OutsideEffect> transcribed = new ArrayList<>();
    for (String line : Files.readAllLines(folder.resolve(CALLS_FILE))) {
      String[] parts = line.split(" ", -1);
      if (parts.length == 4 && parts[0].equals("begin")) {
        Instant at = Instant.ofEpochMilli(Math.round(Double.parseDouble(parts[3]) * 1000));
        transcribed.add(new OutsideEffect(id.apply(parts[1]), "transcribe", at));
      }
    }
    return transcribed;
  }
}
