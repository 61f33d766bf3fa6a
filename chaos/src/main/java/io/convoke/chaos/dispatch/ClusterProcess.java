package io.convoke.chaos.dispatch;

import io.convoke.chaos.BlackholeProxy;
import io.convoke.chaos.FakeClock;
import io.convoke.simulator.process.ChildProcessException;
import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.process.JavaProgramSpec;
import io.convoke.simulator.process.OrphanReaper;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/** A server or pod: a process, restarted after each kill, with its proxy to Redis. */
final class ClusterProcess implements AutoCloseable {
  private static final Duration LOOK_EVERY = Duration.ofMillis(50);
  private static final String REDIS = "CONVOKE_REDIS_URL";

  private final JavaProgramSpec program;
  private final OrphanReaper orphanReaper;
  private final BlackholeProxy wire;
  private final Optional<FakeClock> clock;
  private int lives;
  private JavaProcess process;

  /** When the last data the current process sent has reached Redis. */
  private Instant arrived = Instant.MIN;

  /**
   * Starts it without waiting for it.
   *
   * @param program its command, with the URL of Redis in its environment; each process gets its own
   *     name too
   * @param ahead of its wall clock; zero without a shift
   */
  ClusterProcess(
      JavaProgramSpec program,
      OrphanReaper orphanReaper,
      int redisPort,
      Path folder,
      Duration ahead)
      throws IOException {
    this.orphanReaper = orphanReaper;
    this.wire = new BlackholeProxy(redisPort);
    this.clock =
        ahead.isZero() ? Optional.empty() : FakeClock.in(folder.resolve(program.name() + ".clock"));
    clock.ifPresent(it -> it.ahead(ahead));
    Map<String, String> environment = new HashMap<>(program.environment());
    clock.ifPresent(it -> environment.putAll(it.environment()));
    String _ =
        environment.computeIfPresent(
            REDIS, (_, url) -> url.replace(":" + redisPort, ":" + wire.port()));
    this.program = program.withEnvironment(environment);
    this.process = launch();
  }

  String name() {
    return program.name();
  }

  /** Name of the current process, as its programs log it. */
  synchronized String processId() {
    return name() + "." + lives;
  }

  /** Whether it is alive and has reported readiness. */
  synchronized boolean works() {
    return process.alive() && process.ready();
  }

  /** Its readiness line. */
  URI awaitReady() {
    JavaProcess present;
    synchronized (this) {
      present = process;
    }
    return present.url();
  }

  /** Waits until the current process is ready; false if it was killed before. */
  boolean awaitWork() {
    try {
      URI _ = awaitReady();
      return true;
    } catch (ChildProcessException ended) {
      return false;
    }
  }

  /** The pod's id in Redis, once ready. */
  synchronized Optional<String> podName() {
    return process.ready() ? Optional.of(process.url().getSchemeSpecificPart()) : Optional.empty();
  }

  /** Kills it with kill -9. */
  synchronized void kill() {
    process.kill();
  }

  /** Starts it if it is dead; false if it is alive. */
  synchronized boolean startAgain() {
    if (process.alive()) {
      return false;
    }
    process = launch();
    return true;
  }

  /**
   * Suspends the current process; a process started meanwhile is not affected.
   *
   * @return when it resumes; empty if it does not
   */
  Optional<Instant> hang(Duration span) {
    JavaProcess hanging;
    synchronized (this) {
      hanging = process;
    }
    if (!hanging.alive()) {
      return Optional.empty();
    }
    hanging.pause(true);
    long end = System.nanoTime() + span.toNanos();
    while (hanging.alive() && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    if (!hanging.alive()) {
      return Optional.empty();
    }
    hanging.pause(false);
    return Optional.of(Instant.now());
  }

  /** Drops all traffic of its open Redis connections, until it opens a new one. */
  CompletableFuture<Instant> silence() {
    return wire.silence();
  }

  /** Delays what it sends on its open Redis connections by this span; it may retry meanwhile. */
  CompletableFuture<Instant> slow(Duration span) {
    arriving(span);
    return wire.slow(span);
  }

  /** As above, and these connections close for it meanwhile. */
  void slow(Duration breaking, Duration span) {
    arriving(span);
    wire.slow(breaking, span);
  }

  private synchronized void arriving(Duration span) {
    arrived = Instant.now().plus(span);
  }

  /** When Redis last receives data from it if it is silenced now: delayed data still arrives. */
  synchronized Instant lastContact() {
    Instant now = Instant.now();
    return arrived.isAfter(now) ? arrived : now;
  }

  /** False if it needs a shifted clock and there is no libfaketime. */
  boolean skewed() {
    return clock.isPresent();
  }

  @Override
  public void close() throws IOException {
    synchronized (this) {
      process.discard();
    }
    wire.close();
  }

  private JavaProcess launch() {
    lives++;
    arrived = Instant.MIN;
    wire.another();
    Map<String, String> environment = new HashMap<>(program.environment());
    String _ = environment.put("LAB_LIFE", program.name() + "." + lives);
    return JavaProcess.launch(program.withEnvironment(environment), orphanReaper);
  }
}
