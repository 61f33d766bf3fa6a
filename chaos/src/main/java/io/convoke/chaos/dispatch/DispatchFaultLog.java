package io.convoke.chaos.dispatch;

import io.convoke.chaos.dispatch.rules.DrainedPod;
import io.convoke.chaos.dispatch.rules.RecoveryOutage;
import io.convoke.chaos.dispatch.rules.SilentPod;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** The injected faults, and the periods in which maintenance was impossible because of them. */
final class DispatchFaultLog {
  /** A period in which a server was down. */
  private record ServerOutage(int server, Instant from, Instant to) {}

  /** A pod became unreachable, possibly for a time. */
  private record PodSilenced(
      String pod, String why, Instant from, CompletableFuture<Instant> reconnected) {
    SilentPod silence() {
      return new SilentPod(
          pod,
          why,
          from,
          reconnected.isDone() ? Optional.of(reconnected.resultNow()) : Optional.empty());
    }
  }

  private final List<PodSilenced> silencedPods = new ArrayList<>();
  private final List<DrainedPod> drained = new ArrayList<>();
  private final List<RecoveryOutage> troubles = new ArrayList<>();
  private final List<FaultWindow> storeWindows = new ArrayList<>();
  private final List<ServerOutage> outages = new ArrayList<>();
  private final List<String> missed = new ArrayList<>();
  private final List<Duration> compared = new ArrayList<>();
  private int kills;
  private int injected;

  synchronized void silent(
      String pod, String why, Instant from, CompletableFuture<Instant> reconnected) {
    silencedPods.add(new PodSilenced(pod, why, from, reconnected));
  }

  synchronized void drained(String pod, Instant from, Instant to) {
    drained.add(new DrainedPod(pod, from, to));
  }

  /**
   * A store could not be used.
   *
   * @param store its name in {@link FaultTimeline}
   */
  synchronized void trouble(String store, String what, Instant from, Instant to, boolean forgets) {
    troubles.add(new RecoveryOutage(what, from, to, forgets));
    storeWindows.add(new FaultWindow(what, store, from, to));
  }

  /** Time from Redis' restart until it was verified or rebuilt from the task table. */
  synchronized void compared(Duration span) {
    compared.add(span);
  }

  synchronized List<Duration> compared() {
    return List.copyOf(compared);
  }

  synchronized void away(int server, Instant from, Instant to) {
    outages.add(new ServerOutage(server, from, to));
  }

  synchronized void killed() {
    kills++;
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

  /** Times in which a server could not answer, or Postgres could not. */
  synchronized List<FaultWindow> windows() {
    List<FaultWindow> windows = new ArrayList<>();
    for (ServerOutage outage : outages) {
      windows.add(
          new FaultWindow("away", FaultTimeline.server(outage.server), outage.from, outage.to));
    }
    windows.addAll(storeWindows);
    return List.copyOf(windows);
  }

  synchronized int kills() {
    return kills;
  }

  synchronized List<SilentPod> silences() {
    return silencedPods.stream().map(PodSilenced::silence).toList();
  }

  synchronized List<DrainedPod> drained() {
    return List.copyOf(drained);
  }

  synchronized List<String> remarks() {
    return List.copyOf(missed);
  }

  /** Outages of Redis, and periods in which every server was down. */
  synchronized List<RecoveryOutage> troubles(int servers) {
    List<RecoveryOutage> all = new ArrayList<>(troubles);
    TreeSet<Instant> edges = new TreeSet<>();
    for (ServerOutage serverOutage : outages) {
      edges.add(serverOutage.from);
      edges.add(serverOutage.to);
    }
    for (Instant from : edges) {
      Instant to = edges.higher(from);
      if (to != null && absent(from, to) == servers) {
        all.add(new RecoveryOutage("no server is up", from, to, false));
      }
    }
    return List.copyOf(all);
  }

  private long absent(Instant from, Instant to) {
    return outages.stream()
        .filter(it -> !it.from.isAfter(from) && !it.to.isBefore(to))
        .map(ServerOutage::server)
        .distinct()
        .count();
  }
}
