package io.convoke.agent.pod;

import io.convoke.engine.dispatch.TaskAttempt;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running program with all that it started. What it reads may be read slowly or not at all, what
 * it prints may be of any length, and nothing of it outlives {@link #close}.
 *
 * <p>Its pipes are read and written by platform threads: a read from a pipe holds the carrier of a
 * virtual one.
 */
final class ChildProcess implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ChildProcess.class);
  private static final Duration LAST_WORDS_MAX = Duration.ofSeconds(1);
  private static final Duration DEATH_MAX = Duration.ofSeconds(5);

  private static final String GUARD =
      """
      if [ "$1" -ge 0 ] && read -r up _ < /proc/uptime && [ "${up%.*}${up#*.}" -gt "$1" ]; then
        echo "$NOT_BEGUN" >&2
        exit 75
      fi
      exec sh -c "$2"
      """
          .replace("$NOT_BEGUN", TaskAttempt.NOT_BEGUN);

  private final Process process;
  private final ProcessGroupReaper processGroupReaper;
  private final OutputTail errors = new OutputTail();
  private final Thread reader;

  /** Many programs take a second SIGTERM for impatience. Only the handler's thread touches this. */
  private boolean asked;

  private ChildProcess(Process process, ProcessGroupReaper processGroupReaper, byte[] input) {
    this.process = process;
    this.processGroupReaper = processGroupReaper;
    processGroupReaper.watch(process.pid());
    this.reader = start("errors", () -> errors.readAll(process.getErrorStream()));
    Thread _ = start("input", () -> feed(input));
  }

  /**
   * Starts {@code sh -c command} with this environment, which is all that it sees.
   *
   * @param until by the {@link BootClock}: later than that it does not begin, but ends as one that
   *     is to be tried again. Starting a program takes a while, in which a pod may hang.
   */
  static ChildProcess start(
      String command,
      Map<String, String> environment,
      byte[] input,
      ProcessGroupReaper processGroupReaper,
      long until)
      throws IOException {
    List<String> guarded = List.of("sh", "-c", GUARD, "sh", Long.toString(until), command);
    ProcessBuilder builder =
        new ProcessBuilder(processGroupReaper.inSession(guarded)).redirectOutput(Redirect.DISCARD);
    builder.environment().clear();
    builder.environment().putAll(environment);
    return new ChildProcess(builder.start(), processGroupReaper, input);
  }

  /** Completes when its first process has ended. */
  CompletableFuture<Process> ended() {
    return process.onExit();
  }

  /**
   * Asks it to end, once, and then makes it: SIGTERM to all of it, and after the grace SIGKILL.
   *
   * @throws InterruptedException at once; the program may still run then
   */
  void end(Duration grace) throws InterruptedException {
    List<ProcessHandle> all = family();
    if (!asked) {
      asked = true;
      if (!processGroupReaper.signal("TERM", process.pid())) {
        all.forEach(ProcessHandle::destroy);
      }
    }
    if (!awaitEnd(all, grace)) {
      kill(all);
    }
  }

  /** Its exit code, once it has ended. */
  int exitCode() {
    return process.exitValue();
  }

  /** The last line that it printed as an error. */
  String lastWords() throws InterruptedException {
    boolean _ = reader.join(LAST_WORDS_MAX);
    return errors.lastLine();
  }

  /** Ends what is left of it at once. */
  @Override
  public void close() {
    List<ProcessHandle> all = family();
    if (process.isAlive()) {
      kill(all);
    }
    processGroupReaper.leave(process.pid());
  }

  private void kill(List<ProcessHandle> known) {
    // Whoever was born since the first look is in the group.
    boolean _ = processGroupReaper.signal("KILL", process.pid());
    Stream.concat(known.stream(), process.descendants()).forEach(ProcessHandle::destroyForcibly);
    boolean interrupted = Thread.interrupted();
    try {
      boolean _ = awaitEnd(List.of(process.toHandle()), DEATH_MAX);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private List<ProcessHandle> family() {
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
      throw new IllegalStateException("the end of a process cannot fail", e);
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
                log.debug("the {} of program {} ended: {}", what, process.pid(), e.toString());
              }
            });
  }

  /** A pipe's work. */
  @FunctionalInterface
  private interface PipeTask {
    void run() throws IOException;
  }
}
