package io.convoke.agent.pod;

import io.convoke.engine.testhook.TestSignal;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/** A named pipe that programs write lines to, and a test waits for them. */
final class Fifo implements AutoCloseable {
  private final Path path;
  private final RandomAccessFile end;
  private final TestSignal<String> lines = new TestSignal<>();
  private final TestSignal.SignalObservation<String> heard = lines.observe();

  Fifo(Path path) throws IOException, InterruptedException {
    this.path = path;
    int made = new ProcessBuilder("mkfifo", path.toString()).inheritIO().start().waitFor();
    if (made != 0) {
      throw new IOException("no pipe at " + path);
    }
    // Open for both, so that it neither waits for a writer nor ends with one.
    this.end = new RandomAccessFile(path.toFile(), "rw");
    Thread _ = Thread.ofPlatform().daemon().name("fifo").start(this::read);
  }

  /** The next line that begins so. */
  String await(String beginning, Duration atMost) {
    return heard.await(line -> line.startsWith(beginning), atMost);
  }

  @Override
  public String toString() {
    return path.toString();
  }

  @Override
  public void close() throws IOException {
    // The reader ends with its last line.
    end.write("closed\n".getBytes(StandardCharsets.UTF_8));
  }

  private void read() {
    try (end) {
      for (String line = end.readLine(); line != null; line = end.readLine()) {
        if (line.equals("closed")) {
          return;
        }
        lines.emit(line);
      }
    } catch (IOException e) {
      lines.emit("broken: " + e);
    }
  }
}
