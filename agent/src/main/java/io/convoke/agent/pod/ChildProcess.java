package io.convoke.agent.pod;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running program with its child processes. It may read its input slowly or not at all and print
 * output of any length; none of its processes outlives {@link #close}.
 *
 * <p>Platform threads serve its pipes: a blocking read from a pipe would pin the carrier of a
 * virtual thread.
 */
final class ChildProcess implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ChildProcess.class);
  private static final Duration ERRORS_MAX = Duration.ofSeconds(1);
  private static final Duration KILL_MAX = Duration.ofSeconds(5);

  private static final String GUARD =
      """
      if [ "$1" -ge 0 ] && read -r up _ < /proc/uptime && [ "${up%.*}${up#*.}" -gt "$1" ]; then
        echo "$3" >&2
        exit 75
      fi
      exec sh -c "$2"
      """;

  private final Process process;
  private final ProcessGroupReaper processGroupReaper;
  private final OutputTail errors = new OutputTail();

  /** The error output of a start that was too late; the program never sees it. */
  private final String tooLate;

  private final Thread reader;

  /**
   * Many programs abort at a second SIGTERM, so it is sent once. Only the handler's thread accesses
   * this.
   */
  private boolean terminated;

  private ChildProcess(
      Process process, ProcessGroupReaper processGroupReaper, byte[] input, String tooLate) {
    this.process = process;
    this.tooLate = tooLate;
    this.processGroupReaper = processGroupReaper;
    processGroupReaper.watch(process.pid());
    this.reader = start("errors", () -> errors.readAll(process.getErrorStream()));
    Thread _ = start("input", () -> feed(input));
  }

  /**
   * Starts {@code sh -c command} with exactly this environment.
   *
   * @param until latest start by the {@link BootClock}; after it the program is not started and is
   *     {@link #tooLate}. Starting a process takes a while, in which a pod may hang.
   */
  static ChildProcess start(
      String command,
      Map<String, String> environment,
      byte[] input,
      ProcessGroupReaper processGroupReaper,
      long until)
      throws IOException {
    String tooLate = UUID.randomUUID().toString();
    List<String> guarded = List.of("sh", "-c", GUARD, "sh", Long.toString(until), command, tooLate);
    ProcessBuilder builder =
        new ProcessBuilder(processGroupReaper.inSession(guarded)).redirectOutput(Redirect.DISCARD);
    builder.environment().clear();
    builder.environment().putAll(environment);
    return new ChildProcess(builder.start(), processGroupReaper, input, tooLate);
  }

  /** Completes when its main process has exited. */
  CompletableFuture<Process> ended() {
    return process.onExit();
  }

  /**
   * Sends SIGTERM once to all its processes, and SIGKILL after the grace.
   *
   * @throws InterruptedException at once; the program may still be running
   */
  void end(Duration grace) throws InterruptedException {
    List<ProcessHandle> all = processTree();
    if (!terminated) {
      terminated = true;
      if (!processGroupReaper.signal("TERM", process.pid())) {
        all.forEach(ProcessHandle::destroy);
      }
    }
    if (!awaitEnd(all, grace)) {
      kill(all);
    }
  }

  /** Its exit code, after its exit. */
  int exitCode() {
    return process.exitValue();
  }

  /** Whether it exited without having started the program. */
  boolean tooLate() throws InterruptedException {
    return lastErrorLine().equals(tooLate);
  }

  /** The last line of its standard error. */
  String lastErrorLine() throws InterruptedException {
    boolean _ = reader.join(ERRORS_MAX);
    return errors.lastLine();
  }

  /** Kills its remaining processes. */
  @Override
  public void close() {
    List<ProcessHandle> all = processTree();
    if (process.isAlive()) {
      kill(all);
    }
    processGroupReaper.leave(process.pid());
  }

  private void kill(List<ProcessHandle> known) {
    // Processes started since the listing are in the group.
    boolean _ = processGroupReaper.signal("KILL", process.pid());
    Stream.concat(known.stream(), process.descendants()).forEach(ProcessHandle::destroyForcibly);
    boolean interrupted = Thread.interrupted();
    try {
      boolean _ = awaitEnd(List.of(process.toHandle()), KILL_MAX);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private List<ProcessHandle> processTree() {
    return Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
  }

  private static boolean awaitEnd(List<ProcessHandle> all, Duration atMost)
      throws InterruptedException {
    CompletableFuture<Void> ended =
        CompletableFuture.allOf(
            all.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new));
    try {
      ended.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException late) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("waiting for a process cannot fail", e);
    }
  }

  private void feed(byte[] input) throws IOException {
    try (OutputStream stdin = process.getOutputStream()) {
      stdin.write(input);
    }
  }

  private Thread start(String what, PipeTask pipeTask) {
    return Thread.ofPlatform()
        .daemon()
        .name("program-" + process.pid() + "-" + what)
        .start(
            () -> {
              try {
                pipeTask.run();
              } catch (IOException e) {
                log.debug("Pipe {} of program {} closed: {}", what, process.pid(), e.toString());
              }
            });
  }

  /** Serves a pipe. */
  @FunctionalInterface
  private interface PipeTask {
    void run() throws IOException;
  }
}
