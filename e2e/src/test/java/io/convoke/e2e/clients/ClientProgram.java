package io.convoke.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A running program of a user, and the lines that it prints. */
final class ClientProgram implements AutoCloseable {
  private static final long SOON_S = 180;

  private final Process process;
  private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final List<String> seen = new ArrayList<>();
  private final Thread reader;

  private ClientProgram(Process process) {
    this.process = process;
    this.reader = Thread.ofPlatform().daemon().start(this::read);
  }

  /** Starts a program with these variables, and no others of Convoke's. */
  static ClientProgram start(Path folder, List<String> command, Map<String, String> environment)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("CONVOKE_"));
    builder.environment().putAll(environment);
    return new ClientProgram(builder.start());
  }

  private void read() {
    try (BufferedReader printed = process.inputReader()) {
      printed.lines().forEach(lines::add);
    } catch (UncheckedIOException | IOException e) {
      lines.add("its output broke: " + e.getMessage());
    }
  }

  /** The next line that fits. */
  String await(Predicate<String> fits) throws InterruptedException {
    while (true) {
      String line = lines.poll(SOON_S, TimeUnit.SECONDS);
      assertThat(line).as("after %s", seen).isNotNull();
      seen.add(line);
      if (fits.test(line)) {
        return line;
      }
    }
  }

  /** All that it printed, after its end, which is one without an error. */
  List<String> output() throws InterruptedException {
    assertThat(process.waitFor(SOON_S, TimeUnit.SECONDS)).as("%s ends", seen).isTrue();
    reader.join();
    int _ = lines.drainTo(seen);
    assertThat(process.exitValue()).as(String.join("\n", seen)).isZero();
    return List.copyOf(seen);
  }

  @Override
  public void close() {
    var _ = process.destroyForcibly();
  }
}
