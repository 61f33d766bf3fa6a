package io.convoke.agent.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A folder for the files of one piece of work; closing deletes it with all that is in it. */
public final class WorkFolder implements AutoCloseable {
  private static final String PREFIX = "convoke-media-";

  private final Path path;

  private WorkFolder(Path path) {
    this.path = path;
  }

  /** A new folder, which other users cannot read, in the system's folder for temporary files. */
  public static WorkFolder open() throws IOException {
    return new WorkFolder(Files.createTempDirectory(PREFIX));
  }

  public Path path() {
    return path;
  }

  public Path file(String name) {
    return path.resolve(name);
  }

  @Override
  public void close() throws IOException {
    delete(path);
  }

  /**
   * Deletes folders that a killed process has left behind: those in which nothing was written since
   * then; returns how many.
   */
  public static int deleteAbandoned(Instant before) throws IOException {
    int deleted = 0;
    try (DirectoryStream<Path> folders =
        Files.newDirectoryStream(Path.of(System.getProperty("java.io.tmpdir")), PREFIX + "*")) {
      for (Path folder : folders) {
        if (Files.isWritable(folder) && newest(folder).isBefore(before)) {
          delete(folder);
          deleted++;
        }
      }
    }
    return deleted;
  }

  private static Instant newest(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .map(file -> file.toFile().lastModified())
          .max(Comparator.naturalOrder())
          .map(Instant::ofEpochMilli)
          .orElse(Instant.EPOCH);
    } catch (IOException | UncheckedIOException gone) {
      // Its owner is deleting it.
      return Instant.MAX;
    }
  }

  private static void delete(Path folder) throws IOException {
    List<Path> all;
    try (Stream<Path> files = Files.walk(folder)) {
      all = files.sorted(Comparator.reverseOrder()).toList();
    } catch (UncheckedIOException changed) {
      throw changed.getCause();
    }
    for (Path file : all) {
      boolean _ = Files.deleteIfExists(file);
    }
  }
}
