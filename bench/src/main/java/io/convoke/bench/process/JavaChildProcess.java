package io.convoke.bench.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Another JVM with this class path, which prints lines and ends when its input does. */
public final class JavaChildProcess {
  /**
   * The heap is touched before the clock runs: on a machine that has just started, the first
   * collections would otherwise wait up to 80 ms for memory that was never used, which a latency
   * would include.
   */
  private static final List<String> FLAGS =
      List.of("-XX:+UseSerialGC", "-Xms256m", "-XX:+AlwaysPreTouch");

  private JavaChildProcess() {}

  /**
   * Starts a program; its first line is {@code ready}.
   *
   * @param environment settings that must not be arguments, such as URLs with passwords
   */
  public static Process start(
      Class<?> program, Map<String, String> environment, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(FLAGS);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    return builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }

  /** Prints a line of such a program, from any thread. */
  public static void send(String line) {
    try {
      synchronized (System.out) {
        System.out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        System.out.flush();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
