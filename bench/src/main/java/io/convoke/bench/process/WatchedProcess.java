package io.convoke.bench.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Another process and its output lines. */
public final class WatchedProcess implements AutoCloseable {
  private static final Duration START_MAX = Duration.ofSeconds(60);
  private static final Duration LAST_WORDS = Duration.ofSeconds(5);
  private static final String END = "(it ended)";

  private final Process process;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final Thread reader;

  /** Waits until it prints {@code ready}. */
  public WatchedProcess(Process process) throws Exception {
    this.process = process;
    // Not a virtual thread: reading a pipe holds its carrier.
    this.reader = Thread.ofPlatform().daemon().start(this::read);
    String first = next(START_MAX);
    if (!first.equals("ready")) {
      close();
      throw new IOException("a worker did not become ready but printed " + first);
    }
  }

  private void read() {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        boolean _ = lines.add(line);
      }
    } catch (IOException e) {
      // Its end, as of any other process that is destroyed.
    }
    boolean _ = lines.add(END);
  }

  /**
   * The next line.
   *
   * @throws IOException after a timeout, or when the process has ended
   */
  public String next(Duration atMost) throws Exception {
    String line = lines.poll(atMost.toNanos(), TimeUnit.NANOSECONDS);
    if (line == null || line.equals(END)) {
      throw new IOException(line == null ? "no output within " + atMost : END);
    }
    return line;
  }

  /** The lines printed since the last call. */
  public List<String> lines() {
    List<String> all = new ArrayList<>();
    int _ = lines.drainTo(all);
    boolean _ = all.remove(END);
    return all;
  }

  /** Fails if it has ended: what it no longer does would count as what it costs. */
  public void requireRunning() {
    if (!process.isAlive()) {
      throw new IllegalStateException(
          "a measured process ended with exit code " + process.exitValue());
    }
  }

  public void send(String line) throws IOException {
    process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
  }

  /**
   * Kills it and reads its remaining output; does not wait for a child that still holds the pipe.
   */
  public void kill() {
    try {
      int _ = process.destroyForcibly().waitFor();
      boolean _ = reader.join(LAST_WORDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    kill();
  }
}
