package io.convoke.chaos.dispatch;

import io.convoke.chaos.dispatch.rules.DrainedPod;
import io.convoke.chaos.dispatch.rules.RecoveryOutage;
import io.convoke.chaos.dispatch.rules.SilentPod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** What was done to whom, and when nobody could tend because of it. */
final class DispatchFaultLog {
  /** A server was away between these. */
  private record ServerOutage(int server, Instant from, Instant to) {}

  /** A pod fell silent, and it may be heard again. */
  private record PodSilenced(
      String pod, String why, Instant from, CompletableFuture<Instant> heard) {
    SilentPod silence() {
      return new SilentPod(
          pod, why, from, heard.isDone() ? Optional.of(heard.resultNow()) : Optional.empty());
    }
  }

  private final List<PodSilenced> hushes = new ArrayList<>();
  private final List<DrainedPod> drained = new ArrayList<>();
  private final List<RecoveryOutage> troubles = new ArrayList<>();
  private final List<ServerOutage> outages = new ArrayList<>();
  private final List<String> missed = new ArrayList<>();
  private final List<Duration> compared = new ArrayList<>();
  private int kills;

  synchronized void silent(String pod, String why, Instant from, CompletableFuture<Instant> heard) {
    hushes.add(new PodSilenced(pod, why, from, heard));
  }

  synchronized void drained(String pod, Instant from, Instant to) {
    drained.add(new DrainedPod(pod, from, to));
  }

  synchronized void trouble(String what, Instant from, Instant to, boolean forgets) {
    troubles.add(new RecoveryOutage(what, from, to, forgets));
  }

  /** So long after Redis was back it was found, or made, to hold all that the ledger knows. */
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
    missed.add("not done: " + what);
  }

  synchronized int kills() {
    return kills;
  }

  synchronized List<SilentPod> silences() {
    return hushes.stream().map(PodSilenced::silence).toList();
  }

  synchronized List<DrainedPod> drained() {
    return List.copyOf(drained);
  }

  synchronized List<String> remarks() {
    return List.copyOf(missed);
  }

  /** Of Redis, and from each moment on at which every server was away. */
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
        all.add(new RecoveryOutage("no server works", from, to, false));
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
