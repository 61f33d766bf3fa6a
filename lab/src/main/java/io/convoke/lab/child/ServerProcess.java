package io.convoke.lab.child;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A real Convoke server as a process of its own, started by the command that an operator would use,
 * from the class path of this one. It is known by its command line and by HTTP alone.
 */
public final class ServerProcess implements AutoCloseable {
  private static final String MAIN = "io.convoke.server.Main";
  private static final Duration READY_MAX = Duration.ofSeconds(60);
  private static final Duration STOP_MAX = Duration.ofSeconds(20);

  private final Guardian guardian;
  private final List<String> arguments;
  private final Map<String, String> environment;
  private final Path log;
  private Process process;
  private String url;

  private ServerProcess(
      Guardian guardian, List<String> arguments, Map<String, String> environment, Path log) {
    this.guardian = guardian;
    this.arguments = List.copyOf(arguments);
    this.environment = Map.copyOf(environment);
    this.log = log;
    this.process = launch();
    this.url = awaitReady(process);
  }

  /**
   * Starts a server and waits until it says that it is ready.
   *
   * @param arguments as after {@code ./convoke}, for example {@code serve --roles api}
   * @param environment its settings; of ours it inherits only what is no setting
   * @param log where its standard error goes
   * @throws ChildFailure with the end of its log if it does not become ready
   */
  public static ServerProcess start(
      Guardian guardian, List<String> arguments, Map<String, String> environment, Path log) {
    return new ServerProcess(guardian, arguments, environment, log);
  }

  /** Where it listens. */
  public String url() {
    return url;
  }

  public long pid() {
    return process.pid();
  }

  /** Ends it as an operator would, with time to drain. */
  public void stop() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    guardian.forget(process);
  }

  /** Ends it with kill -9. */
  public void kill() {
    process.destroyForcibly();
    try {
      int _ = process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    guardian.forget(process);
  }

  /** Starts it again with the same settings; a fixed port stays the same. */
  public void restart() {
    process = launch();
    url = awaitReady(process);
  }

  @Override
  public void close() {
    stop();
  }

  private Process launch() {
    List<String> command = new ArrayList<>(Programs.ownSession());
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:+UseCompactObjectHeaders",
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            MAIN));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeIf(name -> name.startsWith("CONVOKE_"));
    builder.environment().putAll(environment);
    builder.redirectError(Redirect.appendTo(log.toFile()));
    try {
      Process started = builder.start();
      guardian.guard(started, "TERM");
      return started;
    } catch (IOException e) {
      throw new ChildFailure("cannot start a server", e);
    }
  }

  private String awaitReady(Process started) {
    CompletableFuture<@Nullable String> ready = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> readOutput(started, ready));
    try {
      String answer = ready.get(READY_MAX.toMillis(), TimeUnit.MILLISECONDS);
      if (answer != null) {
        return answer;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // Answered below with the log, which says why.
    }
    started.destroyForcibly();
    throw new ChildFailure("the server did not become ready:\n" + Programs.lastLines(log));
  }

  /** Finds the ready line and then drinks the pipe, so that the server never blocks on it. */
  private static void readOutput(Process started, CompletableFuture<@Nullable String> ready) {
    try (BufferedReader out = started.inputReader()) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        if (line.startsWith("ready ")) {
          ready.complete(line.substring("ready ".length()).trim());
        }
      }
    } catch (IOException e) {
      ready.completeExceptionally(e);
    }
    ready.complete(null);
  }
}
