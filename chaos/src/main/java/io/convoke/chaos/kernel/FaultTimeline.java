package io.convoke.chaos.kernel;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The faults of a run, written by what injects them. Rules excuse nothing else. A fault that still
 * lasts counts until the end of time. Thread-safe.
 */
public final class FaultTimeline {
  public static final String REDIS = "redis";
  public static final String POSTGRES = "postgres";

  /** Added to a store's name: the time in which nothing of it answers. */
  public static final String GONE = "-gone";

  /** Added to a store's name: its data may be older than what was written, or nothing. */
  public static final String FORGOT = "-forgot";

  /** Before a server's number. */
  public static final String SERVER = "server-";

  /** Name of the fault by which programs die. */
  public static final String KILL = "kill -9";

  /** Name of the fault by which programs stand still. */
  public static final String HANG = "hang";

  /** Name of the fault in which Postgres ends connections. */
  public static final String CONNECTIONS_CUT = "connections cut";

  /** Redis lost all its keys and no connection. */
  public static final String EMPTIED = "Redis emptied";

  public static final String POSTGRES_AWAY = "Postgres away";

  /** Name of the fault in which a server's commits are not answered. */
  public static final String UNANSWERED = "unanswered commits";

  private static final Instant OPEN = Instant.MAX;

  private final List<FaultWindow> windows = new ArrayList<>();
  private final Map<String, Integer> counts = new TreeMap<>();

  /** Name of a server as a target. */
  public static String server(int number) {
    return SERVER + number;
  }

  /** A fault that has begun; closing it records its end. */
  public final class OpenFault implements AutoCloseable {
    private final List<FaultWindow> begun;
    private final Duration recovery;

    private OpenFault(List<FaultWindow> begun, Duration recovery) {
      this.begun = begun;
      this.recovery = recovery;
    }

    @Override
    public void close() {
      synchronized (FaultTimeline.this) {
        Instant to = Instant.now().plus(recovery);
        for (FaultWindow one : begun) {
          windows.set(
              windows.indexOf(one), new FaultWindow(one.what(), one.target(), one.from(), to));
        }
      }
    }
  }

  /**
   * Records the beginning of a fault.
   *
   * @param recovery how long it can still be felt after its end
   */
  public synchronized OpenFault begin(String what, Duration recovery, List<String> targets) {
    Instant now = Instant.now();
    counts.merge(what, 1, Integer::sum);
    List<FaultWindow> begun =
        targets.stream().map(target -> new FaultWindow(what, target, now, OPEN)).toList();
    windows.addAll(begun);
    return new OpenFault(begun, recovery);
  }

  /** Records a part of a fault, such as the time in which a store really was gone. */
  public void during(String target, Runnable part) {
    Instant from = Instant.now();
    part.run();
    synchronized (this) {
      windows.add(new FaultWindow("part of a fault", target, from, Instant.now()));
    }
  }

  /** Records a whole fault. */
  public synchronized void add(FaultWindow window) {
    counts.merge(window.what(), 1, Integer::sum);
    windows.add(window);
  }

  public synchronized List<FaultWindow> windows() {
    return List.copyOf(windows);
  }

  /** Number of faults that were really injected. */
  public synchronized int count() {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** Number of injected faults of each kind, as text. */
  public synchronized String summary() {
    return counts.toString();
  }
}
