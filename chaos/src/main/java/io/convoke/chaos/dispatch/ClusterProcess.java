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

/** A server or a pod: a process, born again after each death, with its wire to Redis. */
final class ClusterProcess implements AutoCloseable {
  private static final Duration LOOK_EVERY = Duration.ofMillis(50);
  private static final String REDIS = "CONVOKE_REDIS_URL";

  private final JavaProgramSpec program;
  private final OrphanReaper orphanReaper;
  private final BlackholeProxy wire;
  private final Optional<FakeClock> clock;
  private int lives;
  private JavaProcess process;

  /** When the last of what its present life said so far has arrived. */
  private Instant arrived = Instant.MIN;

  /**
   * Starts it without waiting for it.
   *
   * @param program with the URL of Redis in its environment; each life is told its name too
   * @param ahead of its wall clock; zero for a right one
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
    this.program =
        new JavaProgramSpec(
            program.name(),
            program.mainClass(),
            program.arguments(),
            environment,
            program.flags(),
            program.log());
    this.process = launch();
  }

  String name() {
    return program.name();
  }

  /** The name of its present life, as its programs note it. */
  synchronized String processId() {
    return name() + "." + lives;
  }

  /** Whether it lives and has said that it works. */
  synchronized boolean works() {
    return process.alive() && process.ready();
  }

  /** What it says of itself once it works. */
  URI awaitReady() {
    JavaProcess present;
    synchronized (this) {
      present = process;
    }
    return present.url();
  }

  /** Waits until its present life works; false if somebody ended that before. */
  boolean awaitWork() {
    try {
      URI _ = awaitReady();
      return true;
    } catch (ChildProcessException ended) {
      return false;
    }
  }

  /** The name that a pod has in Redis, once it works. */
  synchronized Optional<String> podName() {
    return process.ready() ? Optional.of(process.url().getSchemeSpecificPart()) : Optional.empty();
  }

  /** Ends it with kill -9. */
  synchronized void kill() {
    process.kill();
  }

  /** Starts it if it is dead; false if it lives. */
  synchronized boolean startAgain() {
    if (process.alive()) {
      return false;
    }
    process = launch();
    return true;
  }

  /**
   * Hangs the life that there is now; if it is killed meanwhile, the next one is let alone.
   *
   * @return when it goes on; empty if it does not
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

  /** Silences the connections to Redis that are open, until this life is heard on another one. */
  CompletableFuture<Instant> silence() {
    return wire.silence();
  }

  /** What it tells Redis on the connections that are open arrives after this, or is said again. */
  CompletableFuture<Instant> slow(Duration span) {
    arriving(span);
    return wire.slow(span);
  }

  /** The same, and these connections break for it meanwhile. */
  void slow(Duration breaking, Duration span) {
    arriving(span);
    wire.slow(breaking, span);
  }

  private synchronized void arriving(Duration span) {
    arrived = Instant.now().plus(span);
  }

  /** When it is last heard if it falls silent now: what is on its way arrives all the same. */
  synchronized Instant lastHeard() {
    Instant now = Instant.now();
    return arrived.isAfter(now) ? arrived : now;
  }

  /** False where it was to have a wrong clock and there is no libfaketime. */
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
    return JavaProcess.launch(
        new JavaProgramSpec(
            program.name(),
            program.mainClass(),
            program.arguments(),
            environment,
            program.flags(),
            program.log()),
        orphanReaper);
  }
}
