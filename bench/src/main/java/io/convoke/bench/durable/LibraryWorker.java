package io.convoke.bench.durable;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/**
 * Another process with the workers of a library: says how many nanoseconds lie between the time in
 * each item and its start here.
 */
final class LibraryWorker {
  private LibraryWorker() {}

  public static void main(String[] arguments) throws Exception {
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
    String url = Optional.ofNullable(System.getenv("DATABASE_URL")).orElseThrow();
    try (Library library = Libraries.open(arguments[0], url);
        Workers _ =
            library.workers(
                Integer.parseInt(arguments[1]),
                payload -> say(Long.toString(System.nanoTime() - Long.parseLong(payload))))) {
      say("ready");
      int _ = System.in.read();
    }
    // Not every library ends its threads.
    Runtime.getRuntime().halt(0);
  }

  static void say(String line) {
    try {
      synchronized (System.out) {
        System.out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        System.out.flush();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts such a process, which ends when its input does; its first line is {@code ready}. */
  static Process start(Class<?> program, String url, String... arguments) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            program.getName());
    boolean _ = builder.command().addAll(List.of(arguments));
    String _ = builder.environment().put("DATABASE_URL", url);
    return builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }
}
