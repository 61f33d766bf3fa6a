package io.convoke.simulator.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** One running server process, guarded, with its log. */
public final class GuardedProcess {
  private static final Duration START_MAX = Duration.ofSeconds(20);
  private static final Duration STOP_MAX = Duration.ofSeconds(10);

  private final String name;
  private final Process process;
  private final OrphanReaper orphanReaper;
  private final String stopSignal;

  private GuardedProcess(
      String name, Process process, OrphanReaper orphanReaper, String stopSignal) {
    this.name = name;
    this.process = process;
    this.orphanReaper = orphanReaper;
    this.stopSignal = stopSignal;
  }

  /** Starts a program and waits until it serves. */
  public static GuardedProcess start(
      String name,
      ProcessBuilder builder,
      byte[] input,
      Path log,
      OrphanReaper orphanReaper,
      String stopSignal,
      BooleanSupplier serves) {
    Process process;
    try {
      process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
      orphanReaper.guard(process, stopSignal);
      process.getOutputStream().write(input);
      process.getOutputStream().close();
    } catch (IOException e) {
      throw new ChildProcessException("cannot start " + name, e);
    }
    long deadline = System.nanoTime() + START_MAX.toNanos();
    while (!serves.getAsBoolean()) {
      if (!process.isAlive() || System.nanoTime() - deadline > 0) {
        process.destroyForcibly();
        throw new ChildProcessException(
            name + " did not start:\n" + InstalledPrograms.lastLines(log));
      }
      LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
    }
    return new GuardedProcess(name, process, orphanReaper, stopSignal);
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Stops the process with the signal that its makers recommend, and by force after a timeout. */
  public void stop() {
    stop(stopSignal);
  }

  /** The same with another signal, which its makers recommend for other occasions. */
  public void stop(String signal) {
    signal(signal);
    try {
      if (!process.waitFor(STOP_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
        kill();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      kill();
    }
    orphanReaper.release(process);
  }

  /** Ends the process and its children at once, as a crash would. */
  public void kill() {
    // The children are looked up first: they cannot be found once their parent is dead.
    List<ProcessHandle> children = process.descendants().toList();
    process.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
    try {
      process.waitFor();
      for (ProcessHandle child : children) {
        ProcessHandle _ = child.onExit().get(STOP_MAX.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      throw new ChildProcessException("a child of " + name + " does not end", e);
    }
    orphanReaper.release(process);
  }

  /** Suspends the process or resumes it. */
  public void pause(boolean paused) {
    signal(paused ? "STOP" : "CONT");
  }

  /** The same with its children: a suspended parent starts none, but its children would run. */
  public void pauseAll(boolean paused) {
    pause(paused);
    process
        .descendants()
        .forEach(child -> InstalledPrograms.signal(child.pid(), paused ? "STOP" : "CONT"));
  }

  private void signal(String signal) {
    InstalledPrograms.signal(process, signal);
  }
}
