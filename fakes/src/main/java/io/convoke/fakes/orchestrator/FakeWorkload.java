package io.convoke.fakes.orchestrator;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The workload of a fake orchestrator: a real shell process, which prints, handles SIGTERM and
 * exits.
 */
public final class FakeWorkload {
  private static final Logger log = LoggerFactory.getLogger(FakeWorkload.class);

  private final Process process;
  private final List<String> printed = new CopyOnWriteArrayList<>();

  private FakeWorkload(Process process) {
    this.process = process;
  }

  /**
   * Starts one.
   *
   * @param botConfig its {@code BOT_CONFIG}
   * @param ended receives the exit code once, after all output was read
   */
  public static FakeWorkload start(String script, String botConfig, Consumer<Integer> ended) {
    ProcessBuilder builder = new ProcessBuilder("sh", "-c", script).redirectErrorStream(true);
    builder.environment().put("BOT_CONFIG", botConfig);
    try {
      FakeWorkload fakeWorkload = new FakeWorkload(builder.start());
      // Not a virtual thread: reading a pipe holds its carrier.
      Thread _ = Thread.ofPlatform().daemon().start(() -> fakeWorkload.follow(ended));
      return fakeWorkload;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends SIGTERM. */
  public void terminate() {
    process.destroy();
  }

  /** Sends SIGKILL. */
  public void kill() {
    process.destroyForcibly();
  }

  /** Everything it printed so far. */
  public String printed() {
    return printed.isEmpty() ? "" : String.join("\n", printed) + "\n";
  }

  private void follow(Consumer<Integer> ended) {
    try (BufferedReader output = process.inputReader()) {
      read(output);
      ended.accept(process.waitFor());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void read(BufferedReader output) {
    try {
      String line = output.readLine();
      while (line != null) {
        printed.add(line);
        line = output.readLine();
      }
    } catch (IOException closed) {
      log.debug("the output ends with the kill: {}", closed.toString());
    }
  }
}
