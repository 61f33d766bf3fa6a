package io.convoke.e2e.media;

import io.convoke.e2e.journey.JourneyTestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** What the bots of a server wrote, which its launcher of processes keeps. */
final class BotLog {
  private BotLog() {}

  /**
   * Waits until the bots have told so often that they hear a speaker.
   *
   * @param data the server's folder
   */
  static void awaitConnections(Path data, int count, Duration atMost) {
    JourneyTestServer.await(
        count + " connections to speakers", atMost, () -> connections(data) >= count);
  }

  private static long connections(Path data) {
    try (Stream<Path> files = Files.list(data.resolve("bots"))) {
      long count = 0;
      for (Path log : files.filter(file -> file.toString().endsWith(".log")).toList()) {
        List<String> lines = Files.readAllLines(log);
        count += lines.stream().filter(line -> line.startsWith("hears ")).count();
      }
      return count;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
