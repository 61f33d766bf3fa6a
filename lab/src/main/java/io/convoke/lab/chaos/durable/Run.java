package io.convoke.lab.chaos.durable;

import io.convoke.lab.chaos.Ground;
import io.convoke.lab.chaos.Timed;
import io.convoke.lab.chaos.Verdict;
import io.convoke.lab.chaos.durable.verdict.FlowChecker;
import io.convoke.lab.chaos.durable.verdict.FlowHistory;
import io.convoke.lab.chaos.durable.verdict.Restart;
import io.convoke.lab.chaos.durable.verdict.Tried;
import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * One run: the storm, then nothing is broken any more until every flow has ended and nothing is
 * queued; then the history is gathered and checked.
 */
final class Run implements AutoCloseable {
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  private final Plan plan;
  private final Duration storm;
  private final Ground ground;
  private final Path folder;
  private final String database;
  private final String url;
  private final List<Node> nodes = new ArrayList<>();
  private final Object patience = new Object();
  private final Struck struck = new Struck();
  private final List<String> missed = new ArrayList<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  Run(Plan plan, Duration storm, Ground ground, Path folder) throws IOException {
    this.plan = plan;
    this.storm = storm;
    this.ground = ground;
    this.folder = folder;
    this.url = ground.stores().freshDatabase();
    this.database = url.substring(url.lastIndexOf('/') + 1);
  }

  Verdict carryOut() throws IOException, SQLException {
    try (Rows rows = rows()) {
      rows.prepare();
    }
    for (int i = 0; i < Terms.NODES; i++) {
      nodes.add(
          new Node(
              "node-" + i,
              url,
              folder,
              ground.guardian(),
              plan.moved().filter(Integer.valueOf(i)::equals).isPresent()));
    }
    nodes.forEach(Node::awaitReady);
    try (Client client = Client.start(plan, url, folder, ground.guardian())) {
      storm();
      Instant quiet = Instant.now();
      boolean over = awaitTheEnd(client, quiet);
      Duration converged = Duration.between(quiet, Instant.now());
      return verdict(history(client), over, converged);
    }
  }

  @Override
  public void close() throws IOException {
    var _ = threads.shutdownNow();
    for (Node node : nodes) {
      node.close();
    }
  }

  /** Carries out all disturbances, each at its time, whatever the others do. */
  private void storm() {
    long start = System.nanoTime();
    CompletableFuture<?>[] all =
        plan.disturbances().stream()
            .map(step -> CompletableFuture.runAsync(() -> disturb(step, start), threads))
            .toArray(CompletableFuture[]::new);
    var _ = CompletableFuture.allOf(all).join();
    awaitTime(storm, start);
    nodes.forEach(Node::startAgain);
  }

  private void disturb(Step step, long start) {
    awaitTime(step.at(), start);
    switch (step) {
      case Step.KillNode(Duration _, int node, Duration down, boolean patient) -> {
        if (patient) {
          killOnceAllWork(node);
        } else {
          kill(nodes.get(node));
        }
        LockSupport.parkNanos(down.toNanos());
        nodes.get(node).startAgain();
      }
      case Step.PauseNode(Duration _, int node, Duration span) -> {
        Instant now = Instant.now();
        struck.trouble(now, now.plus(span).plus(Terms.RECOVERED));
        nodes.get(node).hang(span);
      }
      case Step.CutConnections(Duration _, int percent) -> {
        Instant now = Instant.now();
        struck.trouble(now.minus(LOOK_EVERY), now.plus(Terms.RECOVERED));
        try (Rows rows = rows()) {
          rows.cutConnections(percent);
        } catch (SQLException away) {
          miss(step + ": Postgres was away");
        }
      }
      case Step.CrashPostgres(Duration _, Duration down) -> {
        Instant now = Instant.now();
        ground.stores().postgres().stopImmediately();
        struck.crashed(Instant.now());
        LockSupport.parkNanos(down.toNanos());
        ground.stores().postgres().restart();
        struck.trouble(now, Instant.now().plus(Terms.RECOVERED));
      }
      case Step.DeafenNode(Duration _, int node) -> nodes.get(node).deafen();
      case Step.MoveClock(Duration _, int node, Duration ahead) -> {
        if (!nodes.get(node).moveClock(ahead)) {
          miss(step + ": there is no libfaketime here");
        }
      }
      case Step.Start _, Step.Tell _ ->
          throw new IllegalArgumentException(step + " is no disturbance");
    }
  }

  /** One at a time: the next waits for this one's victim to work again. */
  private void killOnceAllWork(int node) {
    synchronized (patience) {
      long end = System.nanoTime() + Terms.END_MAX.toNanos();
      while (!nodes.stream().allMatch(Node::works)) {
        if (System.nanoTime() > end) {
          throw new IllegalStateException("some node does not come back");
        }
        LockSupport.parkNanos(LOOK_EVERY.toNanos());
      }
      kill(nodes.get(node));
    }
  }

  /** What the victim holds is read just after its death, long before anybody can notice. */
  private void kill(Node node) {
    List<String> others =
        nodes.stream().filter(it -> !it.equals(node) && it.works()).map(Node::name).toList();
    List<String> held = List.of();
    Optional<Instant> at = Optional.empty();
    try (Rows rows = rows()) {
      Optional<Integer> number = rows.number(node.listeningPorts());
      at = Optional.of(node.kill());
      held = number.isPresent() ? rows.held(number.get()) : List.of();
    } catch (SQLException away) {
      at = at.or(() -> Optional.of(node.kill()));
    }
    struck.killed(node.name(), at.orElseThrow(), held, others);
  }

  private static void awaitTime(Duration at, long start) {
    long left = at.toNanos() - (System.nanoTime() - start);
    while (left > 0) {
      LockSupport.parkNanos(left);
      left = at.toNanos() - (System.nanoTime() - start);
    }
  }

  /** Until everything was acknowledged, has ended and left the queues, or it takes too long. */
  private boolean awaitTheEnd(Client client, Instant quiet) throws IOException, SQLException {
    try (Rows rows = rows()) {
      while (Instant.now().isBefore(quiet.plus(Terms.END_MAX))) {
        if (client.done() && rows.open() == 0 && rows.left().isEmpty()) {
          return true;
        }
        LockSupport.parkNanos(LOOK_EVERY.toNanos());
      }
      return false;
    }
  }

  private FlowHistory history(Client client) throws IOException, SQLException {
    List<Tried> tried = new Outside(folder).tried();
    try (Rows rows = rows()) {
      return new FlowHistory(
          plan.flows(),
          client.acknowledged("start"),
          client.acknowledged("tell"),
          rows.instances(),
          rows.executions(),
          rows.events(),
          rows.bookings(),
          rows.sums(),
          tried,
          struck.restarts(tried),
          struck.crashes(),
          rows.left(),
          Terms.TIMER_MAX,
          Terms.RESTART_MAX);
    }
  }

  private Verdict verdict(FlowHistory history, boolean over, Duration converged)
      throws IOException {
    List<Finding> findings = new ArrayList<>(FlowChecker.check(history));
    if (!over) {
      findings.add(
          new Finding(
              Kind.NOT_CONVERGED,
              "%d s after the storm not all is over".formatted(Terms.END_MAX.toSeconds())));
    }
    if (!findings.isEmpty()) {
      HistoryFile.write(history, folder);
    }
    List<Restart> known =
        history.restarts().stream().filter(restart -> restart.took().isPresent()).toList();
    return new Verdict(
        plan.seed(),
        history.operations(),
        over ? Optional.of(converged) : Optional.empty(),
        List.copyOf(findings),
        List.of(struck.kills() + " kills", history.flows().size() + " flows"),
        notes(history),
        folder,
        List.of(
            new Timed(
                "restart of a victim's work", Optional.of(Terms.RESTART_P99), took(known, true)),
            new Timed(
                "restart while something else was wrong", Optional.empty(), took(known, false))));
  }

  private static List<Duration> took(List<Restart> restarts, boolean alone) {
    return restarts.stream()
        .filter(restart -> restart.alone() == alone)
        .flatMap(restart -> restart.took().stream())
        .toList();
  }

  private List<String> notes(FlowHistory history) {
    List<Tried> tried = history.tried();
    long again = tried.stream().filter(one -> one.attempt() > 1).count();
    long skewed =
        tried.stream()
            .filter(one -> one.skew().abs().compareTo(Terms.SKEW.minusSeconds(1)) > 0)
            .count();
    List<String> notes = new ArrayList<>();
    notes.add(
        "%d instances, %d events, %d attempts of which %d were not the first and %d began under a wrong clock, %d effects; %d kills of nodes that held %d items"
            .formatted(
                history.instances().size(),
                history.events().size(),
                tried.size(),
                again,
                skewed,
                history.bookings().size(),
                struck.ofHolders(),
                history.restarts().size()));
    synchronized (missed) {
      notes.addAll(missed);
    }
    return notes;
  }

  private void miss(String what) {
    synchronized (missed) {
      missed.add("not done: " + what);
    }
  }

  private Rows rows() throws SQLException {
    return new Rows(ground.stores().postgres().connect(database));
  }
}
