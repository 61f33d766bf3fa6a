package io.convoke.lab.chaos.dispatch;

import io.convoke.lab.chaos.dispatch.verdict.Drained;
import io.convoke.lab.chaos.dispatch.verdict.Silence;
import io.convoke.lab.chaos.dispatch.verdict.Trouble;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** What was done to whom, and when nobody could tend because of it. */
final class Struck {
  /** A server was away between these. */
  private record Outage(int server, Instant from, Instant to) {}

  /** A pod fell silent, and it may be heard again. */
  private record Hush(String pod, String why, Instant from, CompletableFuture<Instant> heard) {
    Silence silence() {
      return new Silence(
          pod, why, from, heard.isDone() ? Optional.of(heard.resultNow()) : Optional.empty());
    }
  }

  private final List<Hush> hushes = new ArrayList<>();
  private final List<Drained> drained = new ArrayList<>();
  private final List<Trouble> troubles = new ArrayList<>();
  private final List<Outage> outages = new ArrayList<>();
  private final List<String> missed = new ArrayList<>();
  private final List<Duration> compared = new ArrayList<>();
  private int kills;

  synchronized void silent(String pod, String why, Instant from, CompletableFuture<Instant> heard) {
    hushes.add(new Hush(pod, why, from, heard));
  }

  synchronized void drained(String pod, Instant from, Instant to) {
    drained.add(new Drained(pod, from, to));
  }

  synchronized void trouble(String what, Instant from, Instant to, boolean forgets) {
    troubles.add(new Trouble(what, from, to, forgets));
  }

  /** So long after Redis was back it was found, or made, to hold all that the ledger knows. */
  synchronized void compared(Duration span) {
    compared.add(span);
  }

  synchronized List<Duration> compared() {
    return List.copyOf(compared);
  }

  synchronized void away(int server, Instant from, Instant to) {
    outages.add(new Outage(server, from, to));
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

  synchronized List<Silence> silences() {
    return hushes.stream().map(Hush::silence).toList();
  }

  synchronized List<Drained> drained() {
    return List.copyOf(drained);
  }

  synchronized List<String> notes() {
    return List.copyOf(missed);
  }

  /** Of Redis, and from each moment on at which every server was away. */
  synchronized List<Trouble> troubles(int servers) {
    List<Trouble> all = new ArrayList<>(troubles);
    TreeSet<Instant> edges = new TreeSet<>();
    for (Outage outage : outages) {
      edges.add(outage.from);
      edges.add(outage.to);
    }
    for (Instant from : edges) {
      Instant to = edges.higher(from);
      if (to != null && absent(from, to) == servers) {
        all.add(new Trouble("no server works", from, to, false));
      }
    }
    return List.copyOf(all);
  }

  private long absent(Instant from, Instant to) {
    return outages.stream()
        .filter(it -> !it.from.isAfter(from) && !it.to.isBefore(to))
        .map(Outage::server)
        .distinct()
        .count();
  }
}
