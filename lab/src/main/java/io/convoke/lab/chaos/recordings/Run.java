package io.convoke.lab.chaos.recordings;

import io.convoke.lab.chaos.Ground;
import io.convoke.lab.chaos.Verdict;
import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import io.convoke.lab.chaos.recordings.Studio.Started;
import io.convoke.lab.chaos.recordings.verdict.RecordingChecker;
import io.convoke.lab.chaos.recordings.verdict.RecordingHistory;
import io.convoke.lab.client.Api;
import io.convoke.lab.crm.CrmStandIn;
import io.convoke.lab.sim.Simulator;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * One run: the storm, then nothing fails any more until every recording is over; then the history
 * is gathered and checked. People do what waits for people all the while.
 */
final class Run implements AutoCloseable {
  private static final Duration LOOK_EVERY = Duration.ofMillis(150);

  /** Some failed tries with pauses that double, the lock of a node that died, a slow machine. */
  private static final Duration QUIET_MAX = Duration.ofSeconds(75);

  /** Letters of a dead reader wait for a minute, a CRM that is late for half of one. */
  private static final Duration PATIENT_MAX = Duration.ofMinutes(3);

  private final Plan plan;
  private final Ground ground;
  private final Fleet fleet;
  private final Simulator platform;
  private final Studio studio;
  private final Rows rows;
  private final Killer killer;
  private final Witness witness;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  Run(Plan plan, Ground ground, Fleet fleet, Simulator platform, CrmStandIn crm, Ear ear)
      throws SQLException, IOException {
    this.plan = plan;
    this.ground = ground;
    this.fleet = fleet;
    this.platform = platform;
    this.studio = new Studio(platform, crm, ear, fleet.blobs());
    this.rows = new Rows(ground.stores().postgres().connect(fleet.database()));
    rows.prepare();
    this.killer = new Killer(rows, fleet);
    this.witness =
        new Witness(rows, studio, ear, crm, platform, ground.stores().redis(), fleet.blobs());
  }

  Verdict carryOut(Path folder) throws SQLException, IOException {
    Api admin = Api.admin(fleet.urls().getFirst(), fleet.adminToken());
    People people = new People(admin, fleet.urls(), threads);
    open(people);
    awaitListing();
    storm(people);
    platform.faults().clear();
    long quiet = System.nanoTime();
    boolean over = awaitTheEnd(people, quiet);
    Duration converged = Duration.ofNanos(System.nanoTime() - quiet);
    RecordingHistory history = witness.history(people.answers());
    List<Finding> findings = new ArrayList<>(RecordingChecker.check(history));
    if (!over && findings.isEmpty()) {
      findings.add(new Finding(Kind.NOT_CONVERGED, "right, but later than it had to be"));
    }
    if (!findings.isEmpty()) {
      witness.write(history, folder);
    }
    return new Verdict(
        plan.seed(),
        history.operations(),
        over ? Optional.of(converged) : Optional.empty(),
        List.copyOf(findings),
        counts(history),
        List.of(),
        folder);
  }

  @Override
  public void close() throws SQLException {
    var _ = threads.shutdownNow();
    rows.close();
  }

  /** Rooms and meetings; a room that nobody tracks is given to the first meeting by the admin. */
  private void open(People people) {
    long first = 0;
    for (Map.Entry<String, List<Integer>> room : plan.rooms().entrySet()) {
      Set<Long> meetings = new HashSet<>();
      for (int user : room.getValue()) {
        meetings.add(people.track(user, room.getKey()));
      }
      first = first == 0 ? meetings.iterator().next() : first;
      studio.open(room.getKey(), meetings.isEmpty() ? Set.of(first) : meetings);
    }
  }

  /** Where nothing more is listed, the one listing of the beginning must be over. */
  private void awaitListing() throws SQLException {
    while (plan.unlisted() && !rows.listed()) {
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
  }

  private void storm(People people) throws SQLException {
    plan.faults().forEach(platform.faults()::set);
    long start = System.nanoTime();
    CompletableFuture<?> recordings = CompletableFuture.runAsync(() -> record(start), threads);
    CompletableFuture<?> breaks =
        CompletableFuture.runAsync(
            () -> plan.disturbances().forEach(step -> disturb(step, start)), threads);
    CompletableFuture<?> all = CompletableFuture.allOf(recordings, breaks);
    while (!all.isDone()) {
      people.look(rows.waiting(), studio.truths());
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    var _ = all.join();
  }

  private void record(long start) {
    List<CompletableFuture<?>> running = new ArrayList<>();
    for (Step.Take step : plan.recordings()) {
      awaitTime(step.at(), start);
      Started started = studio.start(step);
      running.add(CompletableFuture.runAsync(() -> studio.end(started), threads));
    }
    running.forEach(CompletableFuture::join);
  }

  private void disturb(Step step, long start) {
    awaitTime(step.at(), start);
    switch (step) {
      case Step.KillServers kill -> {
        try {
          killer.carryOut(kill);
        } catch (SQLException e) {
          throw new IllegalStateException(e);
        }
      }
      case Step.Outage(Duration _, List<Step.Take> meanwhile) ->
          fleet.down(
              fleet.all(),
              () -> {
                List<Started> all = meanwhile.stream().map(studio::start).toList();
                List<CompletableFuture<Void>> ends =
                    all.stream()
                        .map(one -> CompletableFuture.runAsync(() -> studio.end(one), threads))
                        .toList();
                ends.forEach(CompletableFuture::join);
              });
      case Step.StopRedis(Duration _, Duration down) -> {
        ground.stores().redis().stop();
        LockSupport.parkNanos(down.toNanos());
        ground.stores().redis().restart();
      }
      case Step.FlushRedis _ -> ground.stores().redis().flush();
      case Step.Take _ -> throw new IllegalArgumentException(step + " is no disturbance");
    }
  }

  private static void awaitTime(Duration at, long start) {
    long left = at.toNanos() - (System.nanoTime() - start);
    while (left > 0) {
      LockSupport.parkNanos(left);
      left = at.toNanos() - (System.nanoTime() - start);
    }
  }

  /** Until all is as it must be, or it takes too long. */
  private boolean awaitTheEnd(People people, long quiet) throws SQLException, IOException {
    long deadline = quiet + (plan.unlisted() ? PATIENT_MAX : QUIET_MAX).toNanos();
    while (System.nanoTime() - deadline < 0) {
      people.look(rows.waiting(), studio.truths());
      boolean over = rows.over() == studio.truths().size() && witness.left().isEmpty();
      if (over && RecordingChecker.check(witness.history(people.answers())).isEmpty()) {
        return true;
      }
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    return false;
  }

  private List<String> counts(RecordingHistory history) {
    Map<String, Integer> ends = new LinkedHashMap<>();
    history.truths().forEach(truth -> ends.merge(truth.end().status(), 1, Integer::sum));
    long kills = plan.disturbances().stream().filter(Step.KillServers.class::isInstance).count();
    long repeated =
        history.posts().size()
            - history.posts().stream().map(post -> post.recordingId()).distinct().count();
    return List.of(
        history.truths().size() + " recordings " + ends,
        "%d of %d kills met their step".formatted(killer.hits(), kills),
        repeated + " notes came again",
        history.requests().size() + " requests of people");
  }
}
