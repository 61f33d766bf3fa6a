package io.convoke.chaos.durable;

import io.convoke.chaos.BlackholeProxy;
import io.convoke.chaos.FakeClock;
import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.process.JavaProgramSpec;
import io.convoke.simulator.process.OrphanReaper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** An engine node: a process, restarted after each kill, and its connections. */
final class FlowNodeProcess implements AutoCloseable {
  /** Started by class name: the rules know the library by its tables only. */
  private static final String PROGRAM = "io.convoke.chaos.flows.FlowNode";

  private static final List<String> SMALL =
      List.of("-XX:TieredStopAtLevel=1", "-Xmx160m", "-Xss512k");

  private final String name;
  private final String url;
  private final Path folder;
  private final OrphanReaper orphanReaper;
  private final BlackholeProxy wire;
  private final Optional<FakeClock> clock;
  private int lives;
  private boolean silenced;
  private JavaProcess process;

  FlowNodeProcess(String name, String url, Path folder, OrphanReaper orphanReaper, boolean movable)
      throws IOException {
    this.name = name;
    this.url = url;
    this.folder = folder;
    this.orphanReaper = orphanReaper;
    this.wire = new BlackholeProxy(port(url));
    this.clock = movable ? FakeClock.in(folder.resolve(name + ".clock")) : Optional.empty();
    this.process = launch();
  }

  String name() {
    return name;
  }

  /** Whether it is alive, ready and listening. */
  synchronized boolean works() {
    return process.alive() && process.ready() && !silenced;
  }

  void awaitReady() {
    var _ = process.url();
  }

  /** Kills it with kill -9; returns when. */
  synchronized Instant kill() {
    Instant now = Instant.now();
    process.kill();
    return now;
  }

  synchronized void startAgain() {
    if (!process.alive()) {
      process = launch();
    }
  }

  /** Suspends the current process; a process started meanwhile is not affected. */
  void hang(Duration span) {
    JavaProcess hanging;
    synchronized (this) {
      hanging = process;
    }
    if (hanging.alive()) {
      hanging.pause(true);
      LockSupport.parkNanos(span.toNanos());
      if (hanging.alive()) {
        hanging.pause(false);
      }
    }
  }

  /** Silences the LISTEN connection of the current process; the next one has a new connection. */
  synchronized void cutListener() {
    silenced = true;
    var _ = wire.silence();
  }

  /** False without libfaketime. */
  boolean shiftClock(Duration ahead) {
    clock.ifPresent(it -> it.ahead(ahead));
    return clock.isPresent();
  }

  /** Local ports of its LISTEN connection, as seen by Postgres. */
  List<Integer> listeningPorts() {
    return wire.farPorts();
  }

  @Override
  public void close() throws IOException {
    process.discard();
    wire.close();
  }

  private JavaProcess launch() {
    lives++;
    silenced = false;
    Path outside = folder.resolve(ActivityLog.file(name, lives));
    Map<String, String> environment = new HashMap<>();
    clock.ifPresent(it -> environment.putAll(it.environment()));
    String _ = environment.put("DATABASE_URL", url);
    String _ =
        environment.put("LISTEN_URL", url.replace(":" + port(url) + "/", ":" + wire.port() + "/"));
    return JavaProcess.launch(
        new JavaProgramSpec(
                name,
                PROGRAM,
                List.of(
                    outside.toString(),
                    Long.toString(FlowRunConfig.LOCK.toMillis()),
                    Long.toString(FlowRunConfig.FALLBACK.toMillis())),
                environment,
                SMALL,
                folder.resolve(name + ".log"))
            .inEitherRelease(),
        orphanReaper);
  }

  private static int port(String url) {
    String address = url.substring(url.lastIndexOf('@') + 1);
    return Integer.parseInt(address.substring(address.indexOf(':') + 1, address.indexOf('/')));
  }
}
