package io.convoke.chaos.dispatch;

import io.convoke.chaos.dispatch.rules.TaskHistory.DrainedPod;
import io.convoke.chaos.dispatch.rules.TaskHistory.RecoveryOutage;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * What the injected faults mean for tasks: the periods in which maintenance was impossible because
 * of them. Also the faults that only this scenario has.
 */
final class DispatchFaultLog {
  /** Time within which a server compares Redis with the task table once it is back. */
  private static final Duration COMPARED_SOON = Duration.ofSeconds(4);

  /** Time to reconnect to a store that is back, beyond what every scenario grants. */
  private static final Duration RECONNECTED = Duration.ofMillis(500);

  private final FaultTimeline timeline;
  private final List<DrainedPod> drained = new ArrayList<>();
  private final List<String> missed = new ArrayList<>();
  private final List<Duration> compared = new ArrayList<>();
  private int injected;
  private boolean drainedLate;

  DispatchFaultLog(FaultTimeline timeline) {
    this.timeline = timeline;
  }

  synchronized void drained(String pod, Instant from, Instant to) {
    drained.add(new DrainedPod(pod, from, to));
  }

  /** A request to drain a pod was not answered, and may take effect at any time. */
  synchronized void mayDrainLate() {
    drainedLate = true;
  }

  synchronized boolean drainedLate() {
    return drainedLate;
  }

  /**
   * Redis was verified or rebuilt from the task table, so long after its restart. Without Postgres
   * nothing can be compared, so that such a time tells nothing.
   */
  synchronized void compared(Instant back, Instant now) {
    boolean without =
        timeline.windows().stream()
            .filter(it -> it.target().equals(FaultTimeline.POSTGRES))
            .anyMatch(it -> it.touches(back, now));
    if (!without) {
      compared.add(Duration.between(back, now));
    }
  }

  synchronized List<Duration> compared() {
    return List.copyOf(compared);
  }

  synchronized void missed(String what) {
    missed.add("not injected: " + what);
  }

  /** A planned fault was carried out, or missed. */
  synchronized void done() {
    injected++;
  }

  synchronized int injected() {
    return injected - missed.size();
  }

  List<FaultWindow> windows() {
    return timeline.windows();
  }

  long kills() {
    return timeline.windows().stream().filter(it -> it.what().equals(FaultTimeline.KILL)).count();
  }

  synchronized List<DrainedPod> drained() {
    return List.copyOf(drained);
  }

  synchronized List<String> remarks() {
    return List.copyOf(missed);
  }

  /**
   * Outages of stores, and periods in which every server was down. A server compares Redis soon
   * after both are there.
   */
  List<RecoveryOutage> troubles(int servers) {
    List<FaultWindow> windows = timeline.windows();
    List<RecoveryOutage> all = new ArrayList<>(withoutServer(windows, servers));
    // A server compares once it is up, and Postgres too.
    List<RecoveryOutage> idle = new ArrayList<>(all);
    windows.stream()
        .filter(it -> it.target().equals(FaultTimeline.POSTGRES))
        .forEach(it -> idle.add(new RecoveryOutage(it.what(), it.from(), it.to(), false)));
    windows.stream()
        .filter(it -> isStore(it.target()) && !ofOneProgram(windows, it))
        .forEach(
            it -> {
              boolean forgets = with(windows, it, FaultTimeline.REDIS + FaultTimeline.FORGOT);
              Instant to = it.to().plus(forgets ? COMPARED_SOON : RECONNECTED);
              Instant compared =
                  idle.stream()
                      .filter(_ -> forgets)
                      .filter(away -> away.from().isBefore(to) && away.to().isAfter(it.from()))
                      .map(away -> away.to().plus(COMPARED_SOON))
                      .filter(at -> at.isAfter(to))
                      .max(Instant::compareTo)
                      .orElse(to);
              all.add(new RecoveryOutage(it.what(), it.from(), compared, forgets));
            });
    return List.copyOf(all);
  }

  private static List<RecoveryOutage> withoutServer(List<FaultWindow> windows, int servers) {
    List<RecoveryOutage> idle = new ArrayList<>();
    List<FaultWindow> outages =
        windows.stream().filter(it -> it.target().startsWith("server-")).toList();
    TreeSet<Instant> edges = new TreeSet<>();
    for (FaultWindow outage : outages) {
      edges.add(outage.from());
      edges.add(outage.to());
    }
    for (Instant from : edges) {
      Instant to = edges.higher(from);
      if (to != null && absent(outages, from, to) == servers) {
        boolean goesOn = !idle.isEmpty() && idle.getLast().to().equals(from);
        Instant since = goesOn ? idle.removeLast().from() : from;
        idle.add(new RecoveryOutage("no server is up", since, to, false));
      }
    }
    return idle;
  }

  private static boolean isStore(String target) {
    return target.equals(FaultTimeline.REDIS) || target.equals(FaultTimeline.POSTGRES);
  }

  /** Whether a fault took a store from one program alone. */
  private static boolean ofOneProgram(List<FaultWindow> windows, FaultWindow window) {
    return windows.stream()
        .filter(it -> it.target().startsWith("server-") || it.target().startsWith("pod-"))
        .anyMatch(it -> together(it, window));
  }

  private static boolean with(List<FaultWindow> windows, FaultWindow window, String target) {
    return windows.stream().anyMatch(it -> it.target().equals(target) && together(it, window));
  }

  /** Whether two windows belong to one fault. */
  private static boolean together(FaultWindow one, FaultWindow other) {
    return one.from().equals(other.from()) && one.what().equals(other.what());
  }

  private static long absent(List<FaultWindow> outages, Instant from, Instant to) {
    return outages.stream()
        .filter(it -> !it.from().isAfter(from) && !it.to().isBefore(to))
        .map(FaultWindow::target)
        .distinct()
        .count();
  }
}
