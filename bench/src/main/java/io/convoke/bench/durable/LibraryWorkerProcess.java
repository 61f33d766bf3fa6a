package io.convoke.bench.durable;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.convoke.bench.process.JavaChildProcess;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/**
 * Another process with the workers of a library: prints the nanoseconds between the time in each
 * item and its start here.
 */
final class LibraryWorkerProcess {
  private LibraryWorkerProcess() {}

  public static void main(String[] arguments) throws Exception {
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
    String url = Optional.ofNullable(System.getenv("DATABASE_URL")).orElseThrow();
    try (JavaQueueLibrary javaQueueLibrary = JavaQueueLibraries.open(arguments[0], url);
        QueueWorkers _ =
            javaQueueLibrary.workers(
                Integer.parseInt(arguments[1]),
                payload ->
                    JavaChildProcess.send(
                        Long.toString(System.nanoTime() - Long.parseLong(payload))))) {
      JavaChildProcess.send("ready");
      int _ = System.in.read();
    }
    // Not every library ends its threads.
    Runtime.getRuntime().halt(0);
  }

  /** Starts such a process, which ends when its input does; its first line is {@code ready}. */
  static Process start(Class<?> program, String url, String... arguments) throws IOException {
    return JavaChildProcess.start(program, Map.of("DATABASE_URL", url), arguments);
  }
}
