package io.convoke.chaos.recordings;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.EventStreams;
import io.convoke.chaos.Fault;
import io.convoke.chaos.FaultInjection;
import io.convoke.chaos.HistoryLines;
import io.convoke.chaos.LastingConnection;
import io.convoke.chaos.RunReport;
import io.convoke.chaos.ServerCluster;
import io.convoke.chaos.kernel.Coverage;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.ReadBackRule.ReadBack;
import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.kernel.RunClock;
import io.convoke.chaos.kernel.StreamRule.ReadStream;
import io.convoke.chaos.kernel.StreamRule.SequencedEvent;
import io.convoke.chaos.kernel.StreamRule.Streams;
import io.convoke.chaos.kernel.TenantRule;
import io.convoke.chaos.kernel.TenantRule.TenantRead;
import io.convoke.chaos.recordings.RecordingGenerator.StartedRecording;
import io.convoke.chaos.recordings.rules.DeletedRecordingRule;
import io.convoke.chaos.recordings.rules.DeletedRecordingRule.DeletedRecording;
import io.convoke.chaos.recordings.rules.ExpectedRecording;
import io.convoke.chaos.recordings.rules.RecordingChecker;
import io.convoke.chaos.recordings.rules.RecordingHistory;
import io.convoke.chaos.recordings.rules.RecordingHistory.MeetingPeople;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.crm.FakeCrm;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.process.ReleaseRotation;
import io.convoke.simulator.state.Recording;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One run: the storm, then no more faults until every recording is in a terminal state; then
 * gathers and checks the history. Simulated users resolve what needs an action throughout.
 */
final class RecordingRun implements AutoCloseable {
  private static final int READ_MIN = 40;

  /** The user whose bot uploads a whole recording. */
  private static final int SENDER = 2;

  /** The user whose bot leaves after the first part. */
  private static final int LEFT = 1;

  private static final Duration LOOK_EVERY = Duration.ofMillis(150);

  /** Several failed attempts with exponential backoff, the lock of a dead node, a slow machine. */
  private static final Duration QUIET_MAX = Duration.ofSeconds(75);

  /**
   * Pending entries of a dead consumer are reclaimed after a minute; a slow CRM times out after
   * half a minute.
   */
  private static final Duration PATIENT_MAX = Duration.ofMinutes(3);

  /** Rules that find something without evidence of faults. */
  private static final Set<String> NEEDS_EVIDENCE = Set.of("OutsideEffectRule", "AvailabilityRule");

  private final RecordingPlan plan;
  private final ServerCluster servers;
  private final Simulator platform;
  private final RecordingGenerator generator;
  private final RecordingRows rows;
  private final FaultTimeline timeline = new FaultTimeline();
  private final FaultInjection injection;
  private final ServerKiller killer;
  private final RecordingObservations observations;
  private final UploadingBot bot;
  private final UploadingBot brokenOff;

  /** The recordings that appeared while Redis was away. */
  private final List<String> withoutRedis = new CopyOnWriteArrayList<>();

  /** Whether servers of an earlier release take part, which may show other fields. */
  private final boolean mixed = ReleaseRotation.starts().isPresent();

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  RecordingRun(
      RecordingPlan plan,
      ChaosEnvironment environment,
      ServerCluster servers,
      Path blobs,
      Simulator platform,
      FakeCrm crm,
      FakeTranscriber transcriber,
      UploadingBot bot,
      UploadingBot brokenOff)
      throws SQLException, IOException {
    this.plan = mixed ? plan.withoutCorrections() : plan;
    this.bot = bot;
    this.brokenOff = brokenOff;
    this.servers = servers;
    this.platform = platform;
    this.generator = new RecordingGenerator(platform, crm, transcriber, blobs);
    this.rows =
        new RecordingRows(
            new LastingConnection(environment.stores().postgres(), servers.database()));
    rows.prepare();
    this.injection = new FaultInjection(environment, servers, timeline);
    this.killer = new ServerKiller(rows, injection);
    this.observations =
        new RecordingObservations(
            rows,
            generator,
            transcriber,
            crm,
            platform,
            environment.stores().redis(),
            timeline,
            blobs);
  }

  RunReport carryOut(Path folder) throws SQLException, IOException, InterruptedException {
    ApiClient admin = servers.admin();
    RecordingUsers users = new RecordingUsers(admin, servers.urls(), threads);
    Map<Long, MeetingPeople> people = open(users);
    awaitListing();
    RecordingHistory history;
    boolean over;
    Duration converged;
    try (EventStreams streams = new EventStreams(admin, servers.urls())) {
      users.users().forEach(streams::add);
      faultPhase(users);
      platform.faults().clear();
      long quiet = System.nanoTime();
      over = awaitTheEnd(users, quiet);
      converged = Duration.ofNanos(System.nanoTime() - quiet);
      history =
          observations.history(
              users,
              new RecordingHistory.RecordingEvidence(
                  timeline.windows(),
                  kept(
                      streams.gather(rows.connection()),
                      users.deleted().keySet(),
                      users.strangerReads()),
                  over && !mixed ? reads(users) : List.of(),
                  people,
                  Set.copyOf(withoutRedis)));
    }
    List<RuleViolation> findings = new ArrayList<>(RecordingChecker.check(history));
    List<DeletedRecording> deletions = over ? observations.delete(users) : List.of();
    findings.addAll(Rule.check(List.of(new DeletedRecordingRule()), deletions));
    if (!over && findings.isEmpty()) {
      findings.add(ViolationKind.NOT_CONVERGED.found("correct but too late"));
    }
    if (!findings.isEmpty()) {
      HistoryLines.write(history, folder);
    }
    return new RunReport(
        plan.seed(),
        history.operations(),
        over ? Optional.of(converged) : Optional.empty(),
        List.copyOf(findings),
        counts(history),
        List.of(),
        folder,
        coverage(history)
            .with("deleted recordings", deletions.size(), over ? 1 : 0)
            .with(
                "meetings whose recordings were deleted",
                history.unrecorded().size(),
                over && !mixed ? 1 : 0)
            .with(
                "answers read at the end",
                history.evidence().reads().size(),
                over && !mixed ? READ_MIN : 0));
  }

  /**
   * Without the words of deleted recordings, which the journal has no more; with reads that were
   * made during the run.
   */
  private static Streams kept(Streams streams, Set<String> deleted, List<TenantRead> more) {
    Predicate<SequencedEvent> kept =
        event ->
            !event.content().startsWith("transcript.segments ")
                || deleted.stream().noneMatch(id -> event.content().contains("recording:" + id));
    return new Streams(
        streams.streams().stream()
            .map(
                stream ->
                    new ReadStream(
                        stream.reader(),
                        stream.tenant(),
                        stream.events().stream().filter(kept).toList()))
            .toList(),
        streams.journal().stream().filter(kept).toList(),
        Stream.concat(streams.reads().stream(), more.stream()).toList());
  }

  /** What each user reads. */
  private List<ReadBack> reads(RecordingUsers users) throws SQLException {
    RecordingReads reads =
        new RecordingReads(
            rows.connection(),
            platform.truth().recordings().stream()
                .collect(Collectors.toMap(Recording::recordingId, one -> one)),
            generator.expectedRecordings());
    List<ReadBack> all = new ArrayList<>();
    List<ApiClient.CreatedUser> both = users.users();
    for (int i = 0; i < both.size(); i++) {
      ApiClient other = both.get((i + 1) % both.size()).api();
      all.addAll(reads.read(both.get(i), other, servers.urls()));
    }
    return List.copyOf(all);
  }

  @Override
  public void close() throws SQLException {
    var _ = threads.shutdownNow();
    rows.close();
  }

  /**
   * Creates rooms and meetings; the admin matches untracked rooms to a meeting of either user.
   * Returns who took part in each meeting.
   */
  private Map<Long, MeetingPeople> open(RecordingUsers users) {
    if (!mixed) {
      // Servers of an earlier release send no note of a meeting whose recording is deleted.
      long left = users.send(LEFT, brokenOff);
      brokenOff.breakOff();
      generator.uploaded(brokenOff, left, RecordingFaultPlan.wish(ExpectedRecording.DELETE_EARLY));
    }
    RecordingGuests guests = new RecordingGuests(platform.world(), users);
    Map<Integer, Long> firstOfUser = new HashMap<>();
    for (Map.Entry<String, List<Integer>> room : plan.rooms().entrySet()) {
      Set<Long> meetings = new HashSet<>();
      if (room.getKey().endsWith(RecordingPlan.USED)) {
        users.use(room.getValue().getFirst(), room.getKey(), platform.roomUrl(room.getKey()));
      }
      for (int user : room.getValue()) {
        long meeting = users.track(user, room.getKey());
        meetings.add(meeting);
        firstOfUser.putIfAbsent(user, meeting);
        guests.met(room.getKey(), meeting);
      }
      if (room.getKey().endsWith(RecordingPlan.MOVED)) {
        generator.meanwhile(
            room.getKey(), () -> users.move(room.getKey(), 1 - room.getValue().getFirst()));
      }
      guests.join(room.getKey());
      generator.open(
          room.getKey(), meetings.isEmpty() ? Set.copyOf(firstOfUser.values()) : meetings);
    }
    guests.leave();
    Map<Long, MeetingPeople> people = new HashMap<>(guests.meetings());
    long uploaded = users.send(SENDER, bot);
    generator.uploaded(bot, uploaded, RecordingFaultPlan.NONE);
    people.put(uploaded, new MeetingPeople(users.email(uploaded), List.of()));
    return Map.copyOf(people);
  }

  /** If listing is disabled for the run, waits for the one initial listing. */
  private void awaitListing() throws SQLException {
    while (plan.unlisted() && !rows.listed()) {
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
  }

  private void faultPhase(RecordingUsers users) throws SQLException {
    plan.faults().forEach(platform.faults()::set);
    RunClock start = new RunClock();
    CompletableFuture<?> recordings =
        CompletableFuture.supplyAsync(() -> record(plan.recordings(), start), threads);
    CompletableFuture<?> uploads = CompletableFuture.runAsync(bot::record, threads);
    CompletableFuture<?> breaks =
        CompletableFuture.runAsync(
            () -> plan.plannedFaults().forEach(step -> injectFault(step, start, uploads)), threads);
    CompletableFuture<?> all = CompletableFuture.allOf(recordings, breaks);
    while (!all.isDone()) {
      users.act(rows.waiting(), generator.expectedRecordings());
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    var _ = all.join();
  }

  private List<StartedRecording> record(
      List<RecordingPlanStep.MakeRecording> recordings, RunClock start) {
    List<StartedRecording> all = new ArrayList<>();
    List<CompletableFuture<?>> running = new ArrayList<>();
    for (RecordingPlanStep.MakeRecording step : recordings) {
      start.await(step.at());
      StartedRecording started = generator.start(step);
      all.add(started);
      running.add(CompletableFuture.runAsync(() -> generator.end(started), threads));
    }
    running.forEach(CompletableFuture::join);
    return all;
  }

  /**
   * Carries out a step at its time.
   *
   * @param uploads completes when the bot has uploaded all parts but the last
   */
  private void injectFault(
      RecordingPlanStep recordingPlanStep, RunClock start, CompletableFuture<?> uploads) {
    start.await(recordingPlanStep.at());
    switch (recordingPlanStep) {
      case RecordingPlanStep.KillRecordingServers kill -> {
        try {
          killer.carryOut(kill, Optional.empty());
        } catch (SQLException e) {
          throw new IllegalStateException(e);
        }
      }
      case RecordingPlanStep.KillAtUpload(RecordingPlanStep.KillRecordingServers kill) -> {
        CompletableFuture<?> last = uploads.thenRunAsync(bot::finish, threads);
        var _ = uploads.join();
        try {
          killer.carryOut(kill, Optional.of(bot.id()));
        } catch (SQLException e) {
          throw new IllegalStateException(e);
        }
        var _ = last.join();
      }
      case RecordingPlanStep.KillAllServers(
              Duration _,
              List<RecordingPlanStep.MakeRecording> meanwhile) ->
          injection.killed(
              servers.numbers(),
              () -> {
                List<StartedRecording> all = meanwhile.stream().map(generator::start).toList();
                List<CompletableFuture<Void>> ends =
                    all.stream()
                        .map(one -> CompletableFuture.runAsync(() -> generator.end(one), threads))
                        .toList();
                ends.forEach(CompletableFuture::join);
              });
      case RecordingPlanStep.WithoutRedis(
              Duration _,
              Duration span,
              List<RecordingPlanStep.MakeRecording> meanwhile) -> {
        platform.faults().clear();
        RunClock away = new RunClock();
        CompletableFuture<?> made =
            CompletableFuture.runAsync(
                () ->
                    record(meanwhile, away)
                        .forEach(one -> withoutRedis.add(one.recording().recordingId())),
                threads);
        injection.inject(new Fault.RedisAway(Duration.ZERO, Fault.StoreFailure.STOPS, span));
        var _ = made.join();
      }
      case RecordingPlanStep.SharedFault(Duration _, Fault fault) -> injection.inject(fault);
      case RecordingPlanStep.MakeRecording _ ->
          throw new IllegalArgumentException(recordingPlanStep + " is not a fault");
    }
  }

  /** Waits until every recording is in its expected state, or a timeout. */
  private boolean awaitTheEnd(RecordingUsers users, long quiet) throws SQLException, IOException {
    long deadline = quiet + (plan.unlisted() ? PATIENT_MAX : QUIET_MAX).toNanos();
    while (System.nanoTime() - deadline < 0) {
      users.act(rows.waiting(), generator.expectedRecordings());
      boolean over =
          rows.over() == generator.expectedRecordings().size() - users.deleted().size()
              && observations.left().isEmpty();
      if (over
          && RecordingChecker.check(
                  observations.history(users, RecordingHistory.RecordingEvidence.NONE))
              .stream()
              .allMatch(found -> NEEDS_EVIDENCE.contains(found.rule()))) {
        return true;
      }
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    return false;
  }

  private Coverage coverage(RecordingHistory history) {
    long done = history.rows().stream().filter(row -> row.status().equals("done")).count();
    long accepted = history.webhooks().stream().filter(it -> it.status() == 200).count();
    return Coverage.NONE
        .with("injected faults", timeline.count(), plan.plannedFaults().size())
        .with("finished recordings", done, 3)
        .with("accepted webhooks", accepted, 3)
        .with("reads of users' own", TenantRule.proofs(history.evidence().streams().reads()), 5);
  }

  private List<String> counts(RecordingHistory history) {
    Map<String, Integer> ends = new LinkedHashMap<>();
    history
        .expectedRecordings()
        .forEach(expected -> ends.merge(expected.end().status(), 1, Integer::sum));
    long kills =
        plan.plannedFaults().stream()
            .filter(
                step ->
                    step instanceof RecordingPlanStep.KillRecordingServers
                        || step instanceof RecordingPlanStep.KillAtUpload)
            .count();
    long repeated =
        history.posts().size()
            - history.posts().stream().map(note -> note.recordingId()).distinct().count();
    return List.of(
        history.expectedRecordings().size() + " recordings " + ends,
        "%d of %d kills hit their step".formatted(killer.hits(), kills),
        repeated + " notes were sent again",
        history.requests().size() + " user requests");
  }
}
