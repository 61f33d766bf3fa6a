package io.convoke.lab.chaos.dispatch;

import io.convoke.lab.chaos.Ground;
import io.convoke.lab.chaos.Timed;
import io.convoke.lab.chaos.Verdict;
import io.convoke.lab.chaos.dispatch.verdict.Move;
import io.convoke.lab.chaos.dispatch.verdict.Row;
import io.convoke.lab.chaos.dispatch.verdict.Shown;
import io.convoke.lab.chaos.dispatch.verdict.TaskChecker;
import io.convoke.lab.chaos.dispatch.verdict.TaskHistory;
import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import io.convoke.lab.client.EventReader;
import io.convoke.lab.client.Reply;
import io.convoke.lab.client.StreamedEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * One run: the storm, then nothing is broken any more until every task has ended; then the history
 * is gathered and checked.
 */
final class Run implements AutoCloseable {
  private static final Duration LOOK_EVERY = Duration.ofMillis(200);
  private static final Duration STREAM_MAX = Duration.ofSeconds(10);

  /** As long as something lives, servers find what one that died had accepted. */
  private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(7);

  /** What Redis must hold nothing in when all is over. */
  private static final List<String> EMPTY =
      List.of(
          "convoke:queue:*",
          "convoke:dispatch:order:*",
          "convoke:dispatch:heads:*",
          "convoke:dispatch:leases:*",
          "convoke:dispatch:stops:*");

  private final Plan plan;
  private final Ground ground;
  private final Fleet fleet;
  private final Witness witness;
  private final Path folder;
  private final Rows rows;
  private final Customers customers;
  private final Struck struck = new Struck();
  private final EventReader reader;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  Run(Plan plan, Ground ground, Fleet fleet, Witness witness, Path folder) throws SQLException {
    this.plan = plan;
    this.ground = ground;
    this.fleet = fleet;
    this.witness = witness;
    this.folder = folder;
    this.rows = new Rows(ground.stores().postgres().connect(fleet.database()));
    this.customers = new Customers(fleet, plan.seed());
    this.reader = EventReader.start(customers.admin(), fleet.urls());
  }

  Verdict carryOut(Duration storm) throws SQLException, IOException, InterruptedException {
    CompletableFuture<?> customersDone = storm(storm);
    long quiet = System.nanoTime();
    boolean over = awaitTheEnd(customersDone, quiet);
    Duration converged = Duration.ofNanos(System.nanoTime() - quiet);
    TaskHistory history = history();
    List<Finding> findings = new ArrayList<>(TaskChecker.check(history));
    if (history.rows().isEmpty()) {
      findings.add(new Finding(Kind.NOT_CONVERGED, "nothing was accepted, so nothing was shown"));
    }
    if (!over && findings.isEmpty()) {
      findings.add(new Finding(Kind.NOT_CONVERGED, "right, but later than it had to be"));
    }
    if (!findings.isEmpty()) {
      HistoryFile.write(history, folder);
    }
    return new Verdict(
        plan.seed(),
        history.operations(),
        over ? Optional.of(converged) : Optional.empty(),
        List.copyOf(findings),
        List.of(struck.kills() + " kills", history.rows().size() + " tasks " + ends(history)),
        notes(history),
        folder,
        List.of(
            new Timed(
                "what a silent pod held moved on, after 3 s of silence",
                Optional.empty(),
                TaskChecker.stranded(history)),
            new Timed(
                "compared with the ledger, after Redis was back",
                Optional.empty(),
                struck.compared())));
  }

  @Override
  public void close() throws SQLException {
    reader.close();
    var _ = threads.shutdownNow();
    rows.close();
  }

  /** Carries out everything at its time; the customers may take longer. */
  private CompletableFuture<?> storm(Duration span) {
    long start = System.nanoTime();
    Disturber disturber =
        new Disturber(plan, fleet, ground.stores(), witness, customers, struck, threads);
    List<CompletableFuture<?>> wanted = new ArrayList<>();
    for (Order order : plan.orders()) {
      wanted.add(
          CompletableFuture.runAsync(
              () -> {
                awaitTime(order.at(), start);
                customers.want(order);
              },
              threads));
    }
    CompletableFuture<?>[] broken =
        plan.disturbances().stream()
            .map(
                step ->
                    CompletableFuture.runAsync(
                        () -> {
                          awaitTime(step.at(), start);
                          disturber.disturb(step);
                        },
                        Thread.ofPlatform()::start))
            .toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(broken).join();
    awaitTime(span, start);
    Stream.concat(fleet.servers().stream(), fleet.pods().stream())
        .forEach(
            member -> {
              boolean _ = member.startAgain();
              var _ = member.awaitReady();
            });
    return CompletableFuture.allOf(wanted.toArray(CompletableFuture[]::new));
  }

  private static void awaitTime(Duration at, long start) {
    long left = at.toNanos() - (System.nanoTime() - start);
    while (left > 0) {
      LockSupport.parkNanos(left);
      left = at.toNanos() - (System.nanoTime() - start);
    }
  }

  /** Until every task has ended and Redis holds none, or it takes too long. */
  private boolean awaitTheEnd(CompletableFuture<?> customersDone, long quiet) throws SQLException {
    long deadline = quiet + Terms.END_MAX.toNanos();
    int signs = 0;
    CompletableFuture<?> wanted = customersDone;
    while (System.nanoTime() - deadline < 0) {
      if (wanted.isDone() && rows.open() == 0 && left().isEmpty()) {
        return true;
      }
      long past = System.nanoTime() - quiet;
      if (past > signs * SIGN_OF_LIFE.toNanos() && rows.open() > 0) {
        signs++;
        Order order = sign(signs);
        wanted =
            CompletableFuture.allOf(
                wanted, CompletableFuture.runAsync(() -> customers.want(order), threads));
      }
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    return false;
  }

  private Order sign(int number) {
    return new Order(
        Duration.ZERO,
        "req-t%d-sign-%d".formatted(plan.seed(), number),
        Optional.empty(),
        "record",
        "sign",
        Optional.empty(),
        false,
        new Fate(Fate.Kind.SUCCEEDS, SIGN_OF_LIFE.minusSeconds(1), 0),
        true,
        0,
        List.of());
  }

  private List<String> left() {
    return EMPTY.stream()
        .flatMap(pattern -> ground.stores().redis().keys(pattern).stream())
        .map(key -> "Redis still has " + key)
        .toList();
  }

  private TaskHistory history() throws SQLException, IOException, InterruptedException {
    List<Move> moves = rows.moves();
    List<Row> tasks = rows.tasks();
    if (!moves.isEmpty()) {
      boolean _ = reader.awaitSeq(moves.getLast().seq(), STREAM_MAX);
    }
    return new TaskHistory(
        customers.asked(),
        customers.answers(),
        customers.stops(),
        witness.attempts(),
        moves,
        reader.events().stream()
            .filter(event -> event.type().startsWith("task."))
            .map(StreamedEvent::seq)
            .toList(),
        tasks,
        tasks.stream().map(this::shown).toList(),
        struck.silences(),
        struck.drained(),
        struck.troubles(plan.servers()),
        left(),
        Terms.LIMITS);
  }

  /** What one of the servers says of a task. */
  private Shown shown(Row row) {
    int server = customers.server();
    var api = customers.admin().at(fleet.urls().get(server));
    Reply task = api.get("/tasks/" + row.id());
    Reply timeline = api.get("/tasks/" + row.id() + "/timeline?limit=200");
    return new Shown(
        row.id(),
        server,
        task.ok() ? timeline.status() : task.status(),
        task.body().path("state").asString(""),
        task.body().path("attempt").asInt(),
        task.body().path("error").asString(""),
        timeline.body().path("items").valueStream().map(it -> it.path("seq").asLong()).toList());
  }

  private static Map<String, Integer> ends(TaskHistory history) {
    Map<String, Integer> ends = new TreeMap<>();
    history.rows().forEach(row -> ends.merge(row.state(), 1, Integer::sum));
    return ends;
  }

  private List<String> notes(TaskHistory history) {
    List<String> notes = new ArrayList<>(struck.notes());
    long again = history.attempts().stream().filter(it -> it.number() > 1).count();
    long unanswered = history.answers().stream().filter(it -> it.status() == 0).count();
    notes.add(
        "%d attempts, %d of them not the first; %d asked, %d unanswered, %d stops; %d moves over %d connections"
            .formatted(
                history.attempts().size(),
                again,
                history.answers().size(),
                unanswered,
                history.stops().size(),
                history.moves().size(),
                reader.connections()));
    Stream.concat(fleet.servers().stream(), fleet.pods().stream())
        .filter(member -> plan.clocks().containsKey(member.name()) && !member.skewed())
        .forEach(member -> notes.add("not done: no libfaketime for " + member.name()));
    return notes;
  }
}
