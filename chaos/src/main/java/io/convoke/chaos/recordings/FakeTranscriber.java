package io.convoke.chaos.recordings;

import io.convoke.chaos.recordings.rules.OutsideEffect;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * The transcriber: a small program that reads the lines out of the audio, errs as told, and leaves
 * a line in a file each time that it begins and that it has heard all.
 */
final class FakeTranscriber {
  private static final String PROGRAM = "ear.sh";
  private static final String HEARD = "heard";

  private final Path folder;

  FakeTranscriber(Path folder) throws IOException {
    this.folder = Files.createDirectories(folder);
    var _ = Files.createDirectories(folder.resolve("used"));
    try (InputStream program = FakeTranscriber.class.getResourceAsStream(PROGRAM)) {
      var _ = Files.copy(Objects.requireNonNull(program), folder.resolve(PROGRAM));
    }
    var _ = Files.createFile(folder.resolve(HEARD));
  }

  /** As the servers run it. */
  String command() {
    return "sh %s %s {audio}".formatted(folder.resolve(PROGRAM), folder);
  }

  /** Has it err as a recording's fate says; {@code blob} is where its audio will be stored. */
  void expect(String label, RecordingFaultPlan recordingFaultPlan, Path blob) {
    try {
      if (recordingFaultPlan.deaf()) {
        var _ = Files.createFile(folder.resolve(label + ".deaf"));
      }
      int number = 0;
      for (String fault : recordingFaultPlan.ear()) {
        var _ =
            Files.writeString(
                folder.resolve(label + "." + ++number + "." + fault), blob.toString());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Each time that it began.
   *
   * @param id of the recording with this label
   */
  List<OutsideEffect> effects(UnaryOperator<String> id) throws IOException {
    List<OutsideEffect> heard = new ArrayList<>();
    for (String line : Files.readAllLines(folder.resolve(HEARD))) {
      String[] words = line.split(" ", -1);
      if (words.length == 3 && words[0].equals("begin")) {
        heard.add(new OutsideEffect(id.apply(words[1]), "transcribe"));
      }
    }
    return heard;
  }
}
