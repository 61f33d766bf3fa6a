package io.convoke.server.platform.janus;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.fakes.janus.MjrRecording;
import io.convoke.server.platform.RateLimiter;
import io.convoke.server.platform.RecordingInfo;
import io.convoke.server.platform.RecordingSource.RecordingPage;
import io.convoke.simulator.process.InstalledPrograms;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A folder of Janus in which the server may not read or write all that is there. */
final class JanusFolderRightsTest {
  private static final Instant NINE = Instant.parse("2025-03-03T09:00:00Z");

  /** What the program prints, among lines of its log. */
  private static final String TOLD = "told: ";

  /** A program that may be run without the rights of root, to which each folder is open. */
  static final class Unprivileged {
    public static void main(String[] arguments) {
      JanusRecordingSource source = source(Path.of(arguments[0]));
      list(source).forEach(recording -> System.out.println(TOLD + recording.room()));
      for (String id : List.of(arguments).subList(1, arguments.length)) {
        System.out.println(TOLD + source.lookUp(id).getClass().getSimpleName());
      }
      source.settled(Set.of(arguments));
    }
  }

  @Test
  void lostAndFoundHidesNoRecordingAndAFolderThatIsNotWrittenKeepsNoOther(@TempDir Path folder)
      throws Exception {
    Path yard = record(folder, "yard", NINE);
    Path attic = record(folder, "attic", NINE.plusSeconds(60));
    Path lost = Files.createDirectory(folder.resolve("lost+found"));
    List<String> ids = new ArrayList<>(List.of(folder.toString()));
    list(source(folder)).forEach(recording -> ids.add(recording.id()));
    ids.add("janus-1-0000000000000000");
    try {
      allow(lost, "---------");
      allow(folder.resolve("attic"), "r-x------");

      assertThat(told(ids))
          .containsExactly(
              "attic", "yard", "RecordingFound", "RecordingFound", "RecordingNotFound");
    } finally {
      allow(lost, "rwx------");
      allow(folder.resolve("attic"), "rwx------");
    }
    assertThat(attic).exists();
    assertThat(yard).doesNotExist();
  }

  private static JanusRecordingSource source(Path folder) {
    JanusConfig away =
        new JanusConfig(
            URI.create("http://127.0.0.1:1/admin"), "", "", JanusConfig.DEFAULT_TIMEOUT);
    InstantSource time = InstantSource.system();
    return new JanusRecordingSource(
        new JanusClient(new JanusAdmin(away, RateLimiter.unlimited()), time),
        new JanusRecordingFolder(folder),
        time);
  }

  private static List<RecordingInfo> list(JanusRecordingSource source) {
    return ((RecordingPage.RecordingsListed) source.list(Optional.empty())).recordings();
  }

  /** Records a second of a participant. */
  private static Path record(Path folder, String room, Instant from) throws IOException {
    Path path =
        Files.createDirectories(folder.resolve(room)).resolve(MjrRecording.name(room, "ada", from));
    Files.write(path, MjrRecording.opus(from, from, "").packet(0, 1, 0, (byte) 0xf8).bytes());
    return Files.setLastModifiedTime(path, FileTime.from(from.plusSeconds(1)));
  }

  private static void allow(Path folder, String rights) throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(rights));
  }

  private static List<String> told(List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(InstalledPrograms.notRoot());
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Unprivileged.class.getName()));
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    List<String> told =
        process
            .inputReader()
            .lines()
            .filter(line -> line.startsWith(TOLD))
            .map(line -> line.substring(TOLD.length()))
            .toList();
    assertThat(process.waitFor()).isZero();
    return told;
  }
}
