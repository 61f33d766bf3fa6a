package io.convoke.chaos.sync;

import io.convoke.chaos.ServerCluster;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.sync.rules.ExpectedSync;
import io.convoke.chaos.sync.rules.ExpectedSync.Update;
import io.convoke.chaos.sync.rules.ReportedJob;
import io.convoke.chaos.sync.rules.ReportedJob.JobCall;
import io.convoke.chaos.sync.rules.ReportedJob.JobRequest;
import io.convoke.chaos.sync.rules.ReportedJob.JobRequest.ProblemsRequest;
import io.convoke.chaos.sync.rules.ReportedJob.JobRequest.ReadRequest;
import io.convoke.chaos.sync.rules.ReportedJob.JobRequest.RetryRequest;
import io.convoke.chaos.sync.rules.ReportedJob.JobRequest.UpdateRequest;
import io.convoke.chaos.sync.rules.ShownRecords;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * Jobs that use every field of an update, each on a meeting of its own, and retries and reads of
 * these meetings; the first are a user's. A job ends with the first call of unknown outcome.
 */
final class SyncJobs {
  private static final int OWNED = 8;
  private static final int CALLS = 14;

  /** While a server is away each job ends with its first call. */
  private static final int JOBS_MAX = 150;

  private static final int CALM = 20;
  private static final int PAGE = 200;

  private static final Duration PAUSE = Duration.ofMillis(5);
  private static final Duration SHOWN_MAX = ShownRecords.STALLS.plusSeconds(10);
  private static final Set<Integer> UNKNOWN = Set.of(0, 429, 503);
  private static final String RUNNING = "in_progress";

  private final List<URI> urls;
  private final ApiClient internal;
  private final ApiClient admin;
  private final ApiClient owner;
  private final List<String> owned = new ArrayList<>();
  private final String prefix;
  private final SplittableRandom random;
  private final Map<String, List<JobCall>> jobs = new HashMap<>();
  private int begun;

  SyncJobs(ServerCluster servers, String internalToken, long seed) {
    this.urls = servers.urls();
    this.internal = ApiClient.internal(urls.getFirst(), internalToken);
    this.admin = servers.admin();
    this.owner = admin.newUser("reported@example.com");
    this.random = new SplittableRandom(seed + 31);
    this.prefix = "job:" + seed + ":";
    for (int i = 0; i < OWNED; i++) {
      owned.add(Long.toString(owner.track("reported-" + seed + "-" + i)));
    }
  }

  /** Reports until the faults are over. */
  void run(BooleanSupplier goesOn) {
    while (begun < JOBS_MAX && goesOn.getAsBoolean()) {
      begun++;
      report(begun < OWNED ? owned.get(begun) : prefix + begun);
    }
  }

  /** Reports some more jobs, which no fault ends. */
  void finish() {
    int last = begun + CALM;
    for (begun++; begun <= last; begun++) {
      report(prefix + begun);
    }
    stall();
    failAndRetry();
  }

  private void report(String meeting) {
    ExpectedSync now = ExpectedSync.NONE;
    for (int i = 0; i < CALLS; i++) {
      int kind = random.nextInt(10);
      Optional<ExpectedSync> next =
          kind < 6
              ? update(meeting, now, drawn(now))
              : kind < 8 ? retry(meeting, now, false) : read(meeting, now);
      LockSupport.parkNanos(PAUSE.toNanos());
      if (next.isEmpty()) {
        return;
      }
      now = next.get();
    }
  }

  private Update drawn(ExpectedSync now) {
    String status = List.of(RUNNING, "success", "failure").get(random.nextInt(3));
    return new Update(
        status,
        some(3).map(it -> List.of("JobA", "JobB", "JobC").get(it)),
        some(2).map(it -> "run-" + it),
        some(3).map(it -> Math.max(0, now.attempt() + it - 1)),
        some(6).map(Long::valueOf),
        some(3).map(it -> "quota \"" + it + "\" exceeded"),
        some(2).map(it -> "person-" + it));
  }

  private Optional<Integer> some(int bound) {
    int drawn = random.nextInt(bound);
    return random.nextInt(5) < 2 ? Optional.of(drawn) : Optional.empty();
  }

  private Optional<ExpectedSync> update(String meeting, ExpectedSync now, Update update) {
    Map<String, Object> body = new HashMap<>(Map.of("meeting_id", meeting));
    var _ = body.put("status", update.status());
    update.step().ifPresent(it -> body.put("step", it));
    update.jobId().ifPresent(it -> body.put("job_id", it));
    update.attempt().ifPresent(it -> body.put("attempt", it));
    update.seq().ifPresent(it -> body.put("seq", it));
    update.error().ifPresent(it -> body.put("error_message", it));
    update.by().ifPresent(it -> body.put("synced_by", it));
    return called(meeting, new UpdateRequest(update), at(internal).post("/sync-status", body))
        .map(_ -> now.after(update));
  }

  private Optional<ExpectedSync> retry(String meeting, ExpectedSync now, boolean stalled) {
    ApiReply reply = at(caller(meeting)).post("/sync-status/" + meeting + "/retry", Map.of());
    return called(meeting, new RetryRequest(stalled), reply)
        .map(_ -> stalled || now.failed() ? now.retried() : now);
  }

  private Optional<ExpectedSync> read(String meeting, ExpectedSync now) {
    ApiReply reply = at(caller(meeting)).get("/sync-status?meeting_id=" + meeting);
    return called(meeting, new ReadRequest(false), reply).map(_ -> now);
  }

  private ApiClient caller(String meeting) {
    return owned.contains(meeting) ? owner : admin;
  }

  private ApiClient at(ApiClient caller) {
    return caller.at(urls.get(random.nextInt(urls.size())));
  }

  /** Empty if the outcome is unknown. */
  private Optional<ApiReply> called(String meeting, JobRequest request, ApiReply reply) {
    boolean unknown = UNKNOWN.contains(reply.status());
    int status = unknown ? 0 : reply.status();
    jobs.computeIfAbsent(meeting, _ -> new ArrayList<>())
        .add(new JobCall(request, status, reply.body(), Instant.now()));
    return unknown ? Optional.empty() : Optional.of(reply);
  }

  /** A sync stalls, is retried, and stalls again. */
  private void stall() {
    String meeting = owned.getFirst();
    Optional<ExpectedSync> now =
        update(meeting, ExpectedSync.NONE, plain(RUNNING, Optional.empty()));
    awaitStall(meeting);
    Optional<ExpectedSync> _ = now.flatMap(it -> retry(meeting, it, true));
    awaitStall(meeting);
  }

  /**
   * No job takes up the retry of a failed sync, so it is a problem until one reports. Meanwhile it
   * cannot be retried, and once it has succeeded a late report of its begin opens no attempt.
   */
  private void failAndRetry() {
    String meeting = prefix + "retried";
    Optional<ExpectedSync> now =
        update(meeting, ExpectedSync.NONE, plain("failure", Optional.empty()))
            .flatMap(it -> retry(meeting, it, false))
            .flatMap(it -> retry(meeting, it, false));
    if (now.isPresent()) {
      awaitStall(meeting);
      listed(meeting, true);
      Optional<ExpectedSync> taken =
          now.flatMap(it -> update(meeting, it, plain(RUNNING, Optional.empty())));
      listed(meeting, false);
      Optional<ExpectedSync> _ =
          taken
              .flatMap(it -> retry(meeting, it, false))
              .flatMap(it -> update(meeting, it, plain("success", Optional.empty())))
              .flatMap(it -> update(meeting, it, plain(RUNNING, Optional.of(it.attempt()))))
              .flatMap(it -> read(meeting, it));
    }
  }

  private static Update plain(String status, Optional<Long> attempt) {
    return new Update(
        status,
        Optional.of("JobA"),
        Optional.empty(),
        attempt,
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** Notes how the list of problems has the sync. */
  private void listed(String meeting, boolean listed) {
    JsonNode item =
        at(admin).items("/sync-status/problems", PAGE).stream()
            .filter(it -> it.path("meeting_id").asString("").equals(meeting))
            .findFirst()
            .orElseGet(MissingNode::getInstance);
    boolean _ =
        jobs.computeIfAbsent(meeting, _ -> new ArrayList<>())
            .add(new JobCall(new ProblemsRequest(listed), 200, item, Instant.now()));
  }

  /** Reads until the stall is shown, and then until it is in the journal. */
  private void awaitStall(String meeting) {
    int before = events("sync.stalled", meeting).size();
    String path = "/sync-status?meeting_id=" + meeting;
    Instant end = Instant.now().plus(SHOWN_MAX);
    ApiReply reply = caller(meeting).get(path);
    while (Instant.now().isBefore(end) && !reply.body().path("stalled").asBoolean(false)) {
      LockSupport.parkNanos(PAUSE.toNanos());
      reply = caller(meeting).get(path);
    }
    var _ = called(meeting, new ReadRequest(true), reply);
    while (Instant.now().isBefore(end) && events("sync.stalled", meeting).size() == before) {
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  /** All violations, once the faults are over. */
  List<RuleViolation> check() {
    List<RuleViolation> found = new ArrayList<>();
    for (Map.Entry<String, List<JobCall>> job : jobs.entrySet()) {
      String meeting = job.getKey();
      found.addAll(
          new ReportedJob(
                  meeting,
                  job.getValue(),
                  events("sync.status_changed", meeting),
                  events("sync.stalled", meeting))
              .check());
    }
    JsonNode several =
        owner
            .get(
                "/sync-status?meeting_id=%s1&meeting_id=".formatted(prefix)
                    + String.join("&meeting_id=", owned))
            .body();
    List<String> items =
        several.path("items").valueStream().map(it -> it.path("meeting_id").asString("")).toList();
    if (!items.equals(owned) || several.path("missing").size() != 1) {
      found.add(ViolationKind.ILLEGAL.found("a user's own syncs are %s", several));
    }
    return found.stream().map(it -> it.by(ReportedJob.class.getSimpleName())).toList();
  }

  /** The events of a meeting, as its owner or the admin reads them. */
  private List<JsonNode> events(String type, String meeting) {
    String path = "/events?limit=200&type=" + type + "&subject=meeting:" + meeting;
    return caller(meeting)
        .get(path)
        .body()
        .path("items")
        .valueStream()
        .map(it -> it.path("data"))
        .toList();
  }

  /** Number of calls of known outcome. */
  long calls() {
    return jobs.values().stream().flatMap(List::stream).filter(it -> it.status() != 0).count();
  }
}
