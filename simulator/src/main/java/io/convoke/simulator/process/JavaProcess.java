package io.convoke.simulator.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A running program of Convoke. It is ready when it prints {@code ready URL}. {@link #stop} ends it
 * as an operator does, {@link #kill} as a crash does, and it ends with this process, however that
 * dies.
 */
public final class JavaProcess implements AutoCloseable {
  private static final Duration READY_MAX = Duration.ofSeconds(60);
  private static final Duration STOP_MAX = Duration.ofSeconds(20);
  private static final String READY = "ready ";

  /** The exit code of a process that SIGKILL ended: 128 and the number of the signal. */
  private static final int KILLED = 128 + 9;

  private final String name;
  private final Process process;
  private final OrphanReaper orphanReaper;
  private final CompletableFuture<URI> ready = new CompletableFuture<>();

  private JavaProcess(String name, Process process, OrphanReaper orphanReaper) {
    this.name = name;
    this.process = process;
    this.orphanReaper = orphanReaper;
  }

  /** Starts a program without waiting for it; {@link #url} waits. */
  public static JavaProcess launch(JavaProgramSpec program, OrphanReaper orphanReaper) {
    try {
      Process process = program.builder().start();
      orphanReaper.guard(process, "TERM");
      process.getOutputStream().close();
      JavaProcess running = new JavaProcess(program.name(), process, orphanReaper);
      // Reading a pipe holds a virtual thread's carrier until something is printed. The scheduler's
      // spare carriers end when they are idle, and on two cores two quiet children were then seen
      // to stop every virtual thread.
      Thread _ =
          Thread.ofPlatform()
              .daemon()
              .name(program.name() + "-output")
              .start(() -> running.read(program.log()));
      return running;
    } catch (IOException e) {
      throw new ChildProcessException("cannot start " + program.name(), e);
    }
  }

  /**
   * What a short program prints until it exits; its errors go to its log.
   *
   * @throws ChildProcessException if it fails
   */
  public static String output(JavaProgramSpec program) {
    try {
      Process process = program.builder().start();
      process.getOutputStream().close();
      String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int code = process.waitFor();
      if (code != 0) {
        throw new ChildProcessException(
            program.name() + " exited with " + code + ", see " + program.log(),
            new IOException("exit code " + code));
      }
      return printed.strip();
    } catch (IOException e) {
      throw new ChildProcessException("cannot run " + program.name(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ChildProcessException("interrupted while running " + program.name(), e);
    }
  }

  /** Starts a program and waits until it is ready. */
  public static JavaProcess start(JavaProgramSpec program, OrphanReaper orphanReaper) {
    JavaProcess process = launch(program, orphanReaper);
    URI _ = process.url();
    return process;
  }

  /**
   * Its URL, once it is ready.
   *
   * @throws ChildProcessException with the end of its log if it ends or takes too long
   */
  public URI url() {
    try {
      return ready.get(READY_MAX.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException ended) {
      throw new ChildProcessException(String.valueOf(ready.exceptionNow().getMessage()), ended);
    } catch (TimeoutException late) {
      discard();
      throw new ChildProcessException(
          name + " was not ready after " + READY_MAX.toSeconds() + " s", late);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ChildProcessException("interrupted while waiting for " + name, e);
    }
  }

  /** Whether it has printed that it is ready. */
  public boolean ready() {
    return ready.isDone() && !ready.isCompletedExceptionally();
  }

  public long pid() {
    return process.pid();
  }

  public boolean alive() {
    return process.isAlive();
  }

  /** Processor time so far; zero where the system does not report it. */
  public Duration cpu() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Ends it as an operator would; answers its exit code. */
  public int stop() {
    process.destroy();
    return ended();
  }

  /** Waits until it exits; returns its exit code. */
  public int exit() {
    return ended();
  }

  /** Ends it as a crash would: no handler runs, no socket is closed by it. */
  public void kill() {
    process.destroyForcibly();
    if (ended() == KILLED) {
      orphanReaper.countKilled();
    }
  }

  /** Ends it at once when a run is over; that is no fault, so the guardian does not count it. */
  public void discard() {
    process.destroyForcibly();
    int _ = ended();
  }

  /** Suspends it or resumes it. */
  public void pause(boolean paused) {
    InstalledPrograms.signal(process, paused ? "STOP" : "CONT");
  }

  @Override
  public void close() {
    if (process.isAlive()) {
      int _ = stop();
    }
  }

  private int ended() {
    try {
      if (!process.waitFor(STOP_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    orphanReaper.release(process);
    return process.isAlive() ? -1 : process.exitValue();
  }

  /** Copies the output to the log until the process ends. */
  private void read(Path log) {
    String last = "";
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        Writer out =
            Files.newBufferedWriter(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        out.write(line + "\n");
        out.flush();
        last = line;
        if (line.startsWith(READY)) {
          ready.complete(URI.create(line.substring(READY.length()).strip()));
        }
      }
    } catch (IOException closed) {
      last = last.isEmpty() ? String.valueOf(closed.getMessage()) : last;
    }
    ready.completeExceptionally(
        new ChildProcessException(
            name
                + " ended before it was ready: "
                + last
                + "\n"
                + InstalledPrograms.lastLines(log)));
  }
}
