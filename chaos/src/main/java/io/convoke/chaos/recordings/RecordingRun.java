package io.convoke.chaos.recordings;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.EventStreams;
import io.convoke.chaos.Fault;
import io.convoke.chaos.FaultInjection;
import io.convoke.chaos.HistoryLines;
import io.convoke.chaos.LastingConnection;
import io.convoke.chaos.RunReport;
import io.convoke.chaos.kernel.Coverage;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.kernel.RunClock;
import io.convoke.chaos.recordings.RecordingGenerator.StartedRecording;
import io.convoke.chaos.recordings.rules.RecordingChecker;
import io.convoke.chaos.recordings.rules.RecordingHistory;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.crm.FakeCrm;
import io.convoke.simulator.Simulator;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
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
import java.util.stream.Stream;

/**
 * One run: the storm, then no more faults until every recording is in a terminal state; then
 * gathers and checks the history. Simulated users resolve what needs an action throughout.
 */
final class RecordingRun implements AutoCloseable {
  private static final Duration LOOK_EVERY = Duration.ofMillis(150);

  /** Several failed attempts with exponential backoff, the lock of a dead node, a slow machine. */
  private static final Duration QUIET_MAX = Duration.ofSeconds(75);

  /**
   * Pending entries of a dead consumer are reclaimed after a minute; a slow CRM times out after
   * half a minute.
   */
  private static final Duration PATIENT_MAX = Duration.ofMinutes(3);

  private final RecordingPlan recordingPlan;
  private final RecordingServers recordingServers;
  private final Simulator platform;
  private final RecordingGenerator recordingGenerator;
  private final RecordingRows recordingRows;
  private final FaultTimeline timeline = new FaultTimeline();
  private final FaultInjection injection;
  private final ServerKiller serverKiller;
  private final RecordingObservations recordingObservations;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  RecordingRun(
      RecordingPlan recordingPlan,
      ChaosEnvironment chaosEnvironment,
      RecordingServers recordingServers,
      Simulator platform,
      FakeCrm crm,
      FakeTranscriber fakeTranscriber)
      throws SQLException, IOException {
    this.recordingPlan = recordingPlan;
    this.recordingServers = recordingServers;
    this.platform = platform;
    this.recordingGenerator =
        new RecordingGenerator(platform, crm, fakeTranscriber, recordingServers.blobs());
    this.recordingRows =
        new RecordingRows(
            new LastingConnection(
                chaosEnvironment.stores().postgres(), recordingServers.database()));
    recordingRows.prepare();
    this.injection = new FaultInjection(chaosEnvironment, recordingServers.cluster(), timeline);
    this.serverKiller = new ServerKiller(recordingRows, injection);
    this.recordingObservations =
        new RecordingObservations(
            recordingRows,
            recordingGenerator,
            fakeTranscriber,
            crm,
            platform,
            chaosEnvironment.stores().redis(),
            recordingServers.blobs());
  }

  RunReport carryOut(Path folder) throws SQLException, IOException, InterruptedException {
    ApiClient admin =
        ApiClient.admin(recordingServers.urls().getFirst(), recordingServers.adminToken());
    RecordingUsers recordingUsers = new RecordingUsers(admin, recordingServers.urls(), threads);
    open(recordingUsers);
    awaitListing();
    RecordingHistory history;
    boolean over;
    Duration converged;
    try (EventStreams streams = new EventStreams(admin, recordingServers.urls())) {
      recordingUsers.users().forEach(streams::add);
      faultPhase(recordingUsers);
      platform.faults().clear();
      long quiet = System.nanoTime();
      over = awaitTheEnd(recordingUsers, quiet);
      converged = Duration.ofNanos(System.nanoTime() - quiet);
      history =
          recordingObservations.history(
              recordingUsers.answers(),
              new RecordingHistory.RecordingEvidence(
                  timeline.windows(),
                  Stream.concat(
                          recordingUsers.replies().stream(),
                          recordingObservations.timedWebhooks().stream())
                      .toList(),
                  recordingUsers.probes(recordingRows.rows()),
                  streams.gather(recordingRows.connection())));
    }
    List<RuleViolation> findings = new ArrayList<>(RecordingChecker.check(history));
    if (!over && findings.isEmpty()) {
      findings.add(ViolationKind.NOT_CONVERGED.found("correct but too late"));
    }
    if (!findings.isEmpty()) {
      HistoryLines.write(history, folder);
    }
    return new RunReport(
        recordingPlan.seed(),
        history.operations(),
        over ? Optional.of(converged) : Optional.empty(),
        List.copyOf(findings),
        counts(history),
        List.of(),
        folder,
        coverage(history));
  }

  @Override
  public void close() throws SQLException {
    var _ = threads.shutdownNow();
    recordingRows.close();
  }

  /** Creates rooms and meetings; the admin matches untracked rooms to a meeting of either user. */
  private void open(RecordingUsers recordingUsers) {
    Map<Integer, Long> firstOfUser = new HashMap<>();
    for (Map.Entry<String, List<Integer>> room : recordingPlan.rooms().entrySet()) {
      Set<Long> meetings = new HashSet<>();
      for (int user : room.getValue()) {
        long meeting = recordingUsers.track(user, room.getKey());
        meetings.add(meeting);
        firstOfUser.putIfAbsent(user, meeting);
      }
      recordingGenerator.open(
          room.getKey(), meetings.isEmpty() ? Set.copyOf(firstOfUser.values()) : meetings);
    }
  }

  /** If listing is disabled for the run, waits for the one initial listing. */
  private void awaitListing() throws SQLException {
    while (recordingPlan.unlisted() && !recordingRows.listed()) {
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
  }

  private void faultPhase(RecordingUsers recordingUsers) throws SQLException {
    recordingPlan.faults().forEach(platform.faults()::set);
    RunClock start = new RunClock();
    CompletableFuture<?> recordings = CompletableFuture.runAsync(() -> record(start), threads);
    CompletableFuture<?> breaks =
        CompletableFuture.runAsync(
            () ->
                recordingPlan
                    .plannedFaults()
                    .forEach(recordingPlanStep -> injectFault(recordingPlanStep, start)),
            threads);
    CompletableFuture<?> all = CompletableFuture.allOf(recordings, breaks);
    while (!all.isDone()) {
      recordingUsers.act(recordingRows.waiting(), recordingGenerator.expectedRecordings());
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    var _ = all.join();
  }

  private void record(RunClock start) {
    List<CompletableFuture<?>> running = new ArrayList<>();
    for (RecordingPlanStep.MakeRecording step : recordingPlan.recordings()) {
      start.await(step.at());
      StartedRecording startedRecording = recordingGenerator.start(step);
      running.add(
          CompletableFuture.runAsync(() -> recordingGenerator.end(startedRecording), threads));
    }
    running.forEach(CompletableFuture::join);
  }

  private void injectFault(RecordingPlanStep recordingPlanStep, RunClock start) {
    start.await(recordingPlanStep.at());
    switch (recordingPlanStep) {
      case RecordingPlanStep.KillRecordingServers kill -> {
        try {
          serverKiller.carryOut(kill);
        } catch (SQLException e) {
          throw new IllegalStateException(e);
        }
      }
      case RecordingPlanStep.KillAllServers(
              Duration _,
              List<RecordingPlanStep.MakeRecording> meanwhile) ->
          injection.killed(
              recordingServers.all(),
              () -> {
                List<StartedRecording> all =
                    meanwhile.stream().map(recordingGenerator::start).toList();
                List<CompletableFuture<Void>> ends =
                    all.stream()
                        .map(
                            one ->
                                CompletableFuture.runAsync(
                                    () -> recordingGenerator.end(one), threads))
                        .toList();
                ends.forEach(CompletableFuture::join);
              });
      case RecordingPlanStep.SharedFault(Duration _, Fault fault) -> injection.inject(fault);
      case RecordingPlanStep.MakeRecording _ ->
          throw new IllegalArgumentException(recordingPlanStep + " is not a fault");
    }
  }

  /** Waits until every recording is in its expected state, or a timeout. */
  private boolean awaitTheEnd(RecordingUsers recordingUsers, long quiet)
      throws SQLException, IOException {
    long deadline = quiet + (recordingPlan.unlisted() ? PATIENT_MAX : QUIET_MAX).toNanos();
    while (System.nanoTime() - deadline < 0) {
      recordingUsers.act(recordingRows.waiting(), recordingGenerator.expectedRecordings());
      boolean over =
          recordingRows.over() == recordingGenerator.expectedRecordings().size()
              && recordingObservations.left().isEmpty();
      if (over
          && RecordingChecker.check(
                  recordingObservations.history(
                      recordingUsers.answers(), RecordingHistory.RecordingEvidence.NONE))
              .stream()
              .noneMatch(found -> !found.rule().equals("OutsideEffectRule"))) {
        return true;
      }
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    return false;
  }

  private Coverage coverage(RecordingHistory history) {
    long done = history.rows().stream().filter(row -> row.status().equals("done")).count();
    long accepted = history.webhooks().stream().filter(it -> it.status() == 200).count();
    long own =
        history.evidence().probes().stream()
            .filter(it -> it.what().startsWith("own ") && it.status() == 200)
            .count();
    return Coverage.NONE
        .with("injected faults", timeline.count(), recordingPlan.plannedFaults().size())
        .with("finished recordings", done, 3)
        .with("accepted webhooks", accepted, 3)
        .with("read recordings", own, 2);
  }

  private List<String> counts(RecordingHistory history) {
    Map<String, Integer> ends = new LinkedHashMap<>();
    history
        .expectedRecordings()
        .forEach(
            expectedRecording -> ends.merge(expectedRecording.end().status(), 1, Integer::sum));
    long kills =
        recordingPlan.plannedFaults().stream()
            .filter(RecordingPlanStep.KillRecordingServers.class::isInstance)
            .count();
    long repeated =
        history.posts().size()
            - history.posts().stream()
                .map(receivedNote -> receivedNote.recordingId())
                .distinct()
                .count();
    return List.of(
        history.expectedRecordings().size() + " recordings " + ends,
        "%d of %d kills hit their step".formatted(serverKiller.hits(), kills),
        repeated + " notes were sent again",
        history.requests().size() + " user requests");
  }
}
