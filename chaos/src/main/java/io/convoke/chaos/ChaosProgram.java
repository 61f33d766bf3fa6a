package io.convoke.chaos;

import io.convoke.simulator.process.ChildProcessException;
import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.process.JavaProgramSpec;
import io.convoke.simulator.process.OrphanReaper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * A program of a run that faults hit: a process, started again after each end, with its own ways to
 * the stores and, if it needs one, a clock of its own. It records when nothing of it was heard.
 * Thread-safe: faults may hit it at the same time.
 */
public final class ChaosProgram implements AutoCloseable {
  private static final Duration LOOK_EVERY = Duration.ofMillis(50);
  private static final int STARTS_MAX = 5;
  private static final Duration START_AGAIN = Duration.ofSeconds(1);

  private final String name;
  private final IntFunction<JavaProgramSpec> programs;
  private final Map<String, String> settings;
  private final OrphanReaper reaper;
  private final Optional<FakeClock> clock;

  /** By the variable that tells the program where the store is. */
  private final Map<String, BlackholeProxy> ways = new HashMap<>();

  private final List<Silence> silences = new CopyOnWriteArrayList<>();
  private int life;
  private boolean silenced;
  private boolean ended;
  private JavaProcess process;

  /** When the last data the current process sent has reached the store. */
  private Instant arrived = Instant.MIN;

  /**
   * Nothing of a process was heard.
   *
   * @param process what it printed when it was ready
   * @param over completed when it is heard again
   */
  public record Silence(String process, String why, Instant from, CompletableFuture<Instant> over) {
    /** It ran, and reached the store on no connection. */
    public static final String CUT_OFF = "it was cut off";

    public static final String HUNG = "it hung";
    public static final String KILLED = "it was killed";
    public static final String STOPPED = "it was stopped";
  }

  /**
   * Starts it without waiting for it.
   *
   * @param programs how to start its first process, its second, and so on
   * @param disturbed variables with URLs of stores, which it reaches over ways of its own
   */
  public ChaosProgram(
      IntFunction<JavaProgramSpec> programs,
      OrphanReaper reaper,
      Set<String> disturbed,
      Optional<FakeClock> clock) {
    JavaProgramSpec first = programs.apply(1);
    this.name = first.name();
    this.settings = first.environment();
    this.programs = programs;
    this.reaper = reaper;
    this.clock = clock;
    try {
      for (String variable : disturbed) {
        ways.put(variable, new BlackholeProxy(port(settings.getOrDefault(variable, ""))));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.process = launch();
  }

  public String name() {
    return name;
  }

  /** Name of the current process: the program's, and how often it was started. */
  public synchronized String processName() {
    return name + "." + life;
  }

  /** Whether it is alive and has reported readiness. */
  public synchronized boolean works() {
    return process.alive() && process.ready();
  }

  /** Whether it works and none of its connections is silent. */
  public synchronized boolean undisturbed() {
    return works() && !silenced;
  }

  /** What the current process printed when it was ready; empty before. */
  public synchronized Optional<String> printed() {
    return process.ready() ? Optional.of(process.url().getSchemeSpecificPart()) : Optional.empty();
  }

  /**
   * Waits until the current process is ready; false if a fault ended it before.
   *
   * @throws ChildProcessException if it ended by itself
   */
  public boolean awaitReady() {
    JavaProcess present;
    synchronized (this) {
      present = process;
    }
    try {
      URI _ = present.url();
      return true;
    } catch (ChildProcessException e) {
      synchronized (this) {
        if (!ended && process.equals(present)) {
          throw e;
        }
      }
      return false;
    }
  }

  /** Ends it with kill -9. */
  public synchronized void kill() {
    if (process.alive()) {
      silent(Silence.KILLED, new CompletableFuture<>());
      ended = true;
      process.kill();
    }
  }

  /** Ends it as an operator would, with time to drain. */
  public void stop() {
    JavaProcess stopping;
    synchronized (this) {
      silent(Silence.STOPPED, new CompletableFuture<>());
      ended = true;
      stopping = process;
    }
    int _ = stopping.stop();
  }

  /** Starts it if it is dead. */
  public synchronized void start() {
    if (!process.alive()) {
      process = launch();
    }
  }

  /**
   * Starts it if it is dead, and waits until it is ready; false if a fault ended it before. One
   * that ends by itself, since another fault took a store meanwhile, is started again as a
   * supervisor does, a few times.
   *
   * @throws ChildProcessException if it runs and does not get ready: no fault lasts that long
   */
  public boolean restart() {
    for (int i = 1; i < STARTS_MAX; i++) {
      start();
      try {
        return awaitReady();
      } catch (ChildProcessException e) {
        if (e.getCause() instanceof TimeoutException) {
          throw e;
        }
        LockSupport.parkNanos(START_AGAIN.toNanos());
      }
    }
    start();
    return awaitReady();
  }

  /** Suspends the current process for a while; a process started meanwhile is not affected. */
  public void hang(Duration span) {
    JavaProcess hanging;
    CompletableFuture<Instant> over = new CompletableFuture<>();
    synchronized (this) {
      hanging = process;
      if (!hanging.alive()) {
        return;
      }
      silent(Silence.HUNG, over);
      hanging.pause(true);
    }
    long end = System.nanoTime() + span.toNanos();
    while (hanging.alive() && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(Math.min(LOOK_EVERY.toNanos(), end - System.nanoTime()));
    }
    if (hanging.alive()) {
      hanging.pause(false);
      boolean _ = over.complete(Instant.now());
    }
  }

  /** Drops all traffic of its open connections to a store, until it opens new ones. */
  public synchronized void silence(Fault.Store store) {
    silenced = true;
    ways(store).forEach(way -> silent("it was disconnected", way.silence()));
  }

  /** Drops all its traffic with a store for a while, on new connections too. */
  public void cutOff(Fault.Store store, Duration span) {
    synchronized (this) {
      silenced = true;
      ways(store)
          .forEach(
              way -> {
                way.cutOff(true);
                silent(Silence.CUT_OFF, way.heardAgain());
              });
    }
    LockSupport.parkNanos(span.toNanos());
    ways(store).forEach(way -> way.cutOff(false));
  }

  /** Silences one variable's connections, which do not make it silent as a whole. */
  public synchronized void silence(String variable) {
    silenced = true;
    var _ = way(variable).silence();
  }

  /** Delays what it sends on its open connections to a store by this span; it may retry. */
  public synchronized void late(Fault.Store store, Duration span) {
    Instant from = lastHeard();
    arrived = Instant.now().plus(span);
    ways(store).forEach(way -> silent("its output came late", from, way.slow(span)));
  }

  /** As above, and these connections close for it meanwhile. */
  public synchronized void replayed(Fault.Store store, Duration breaking, Duration span) {
    arrived = Instant.now().plus(span);
    ways(store).forEach(way -> way.slow(breaking, span));
  }

  /** Ends its next connections to Postgres before their first statements. */
  void endNext(Fault.Store store, int connections) {
    ways(store).forEach(way -> way.endNext(connections));
  }

  /** Loses the answers to what it commits to Postgres for a while; these connections end. */
  void unanswered(Duration span) {
    ways(Fault.Store.POSTGRES).forEach(way -> way.unanswered(true));
    LockSupport.parkNanos(span.toNanos());
    ways(Fault.Store.POSTGRES).forEach(way -> way.unanswered(false));
  }

  /** Keeps each piece of traffic with a store for so long from now on, in both directions. */
  public void delay(Fault.Store store, Duration span) {
    ways(store).forEach(way -> way.delay(span));
  }

  /** Local ports of its open connections of a variable, as seen by the store. */
  public List<Integer> ports(String variable) {
    return way(variable).farPorts();
  }

  /** Whether it has a clock of its own. */
  public boolean skewed() {
    return clock.isPresent();
  }

  /** Shifts its clock; false without libfaketime, or for a program without a clock of its own. */
  public boolean shiftClock(Duration ahead) {
    clock.ifPresent(it -> it.ahead(ahead));
    return clock.isPresent();
  }

  /** When nothing of it was heard, so far. */
  public List<Silence> silences() {
    return List.copyOf(silences);
  }

  /** Ends it at once. */
  @Override
  public void close() {
    synchronized (this) {
      process.discard();
    }
    for (BlackholeProxy way : ways.values()) {
      try {
        way.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private JavaProcess launch() {
    life++;
    ended = false;
    silenced = false;
    arrived = Instant.MIN;
    JavaProgramSpec program = programs.apply(life);
    Map<String, String> environment = new HashMap<>(program.environment());
    clock.ifPresent(it -> environment.putAll(it.environment()));
    ways.forEach(
        (variable, way) -> {
          way.another();
          environment.computeIfPresent(
              variable, (_, url) -> url.replace(":" + port(url), ":" + way.port()));
        });
    return JavaProcess.launch(program.withEnvironment(environment), reaper);
  }

  private void silent(String why, CompletableFuture<Instant> over) {
    silent(why, lastHeard(), over);
  }

  private void silent(String why, Instant from, CompletableFuture<Instant> over) {
    printed().ifPresent(it -> silences.add(new Silence(it, why, from, over)));
  }

  /** When the store last receives data from it if it is silenced now: late data still arrives. */
  private Instant lastHeard() {
    Instant now = Instant.now();
    return arrived.isAfter(now) ? arrived : now;
  }

  private BlackholeProxy way(String variable) {
    BlackholeProxy way = ways.get(variable);
    if (way == null) {
      throw new IllegalStateException(name + " has no way of its own for " + variable);
    }
    return way;
  }

  private List<BlackholeProxy> ways(Fault.Store store) {
    List<BlackholeProxy> found =
        ways.entrySet().stream()
            .filter(way -> store.isAt(settings.getOrDefault(way.getKey(), "")))
            .map(Map.Entry::getValue)
            .toList();
    if (found.isEmpty()) {
      throw new IllegalStateException(name + " has no way of its own to " + store);
    }
    return found;
  }

  private static int port(String url) {
    return URI.create(url).getPort();
  }
}
