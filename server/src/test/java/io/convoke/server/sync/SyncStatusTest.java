package io.convoke.server.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.journal.EventFilter;
import io.convoke.engine.journal.JournalSubscription;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.ContractClient.Answered;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code /sync-status} (docs/spec/sync.md) over HTTP on real stores. */
class SyncStatusTest {
  private static final EmbeddedRedis redis = LocalStores.forTests().ownRedis();
  private static final SyncTestServer testServer = SyncTestServer.open(redis);
  private static final ContractClient jobs = testServer.internal();
  private static final long ann = testServer.user("ann@example.org");
  private static final long bob = testServer.user("bob@example.org");

  @BeforeAll
  static void ready() {
    testServer.awaitCache();
  }

  @AfterAll
  static void stop() {
    testServer.close();
    redis.close();
  }

  private static Answered post(String id, String status, Object... more) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("meeting_id", id);
    body.put("status", status);
    for (int i = 0; i < more.length; i += 2) {
      body.put((String) more[i], more[i + 1]);
    }
    return jobs.post("/sync-status", body);
  }

  private static Answered get(ContractClient who, Object id) {
    return who.get("/sync-status?meeting_id=" + id);
  }

  @Test
  void aMeetingIsSeenFromNotStartedToSuccess() {
    String id = "" + testServer.meeting(ann, "life");
    ContractClient user = testServer.server.user(ann);
    JsonNode fresh = get(user, id).expect(200).json();
    assertThat(fresh.path("status").asString()).isEqualTo("not_started");
    assertThat(fresh.path("updated_at").isNull()).isTrue();
    assertThat(fresh.path("attempts").asInt()).isZero();

    post(id, "in_progress", "step", "JobA").expect(200);
    assertThat(get(user, id).json().path("status").asString()).isEqualTo("in_progress");
    post(id, "failure", "step", "JobB", "error_message", "quota").expect(200);
    JsonNode failed = get(user, id).json();
    assertThat(failed.path("error_message").asString()).isEqualTo("quota");
    assertThat(failed.path("last_step").asString()).isEqualTo("JobB");
    assertThat(failed.path("attempts").asInt()).isEqualTo(1);
    assertThat(failed.path("steps")).hasSize(2);

    user.post("/sync-status/" + id + "/retry").expect(202);
    JsonNode refused =
        user.post("/sync-status/" + id + "/retry").expect(409, "sync_in_progress").json();
    assertThat(refused.path("sync_status").asString()).isEqualTo("in_progress");
    assertThat(refused.path("status").asInt()).isEqualTo(409);
    post(id, "success", "step", "JobC", "synced_by", "crm-worker-3").expect(200);
    JsonNode done = get(user, id).json();
    assertThat(done.path("sync_attempt_count").asInt()).isEqualTo(2);
    assertThat(done.path("last_synced_by").asString()).isEqualTo("crm-worker-3");
    assertThat(done.path("stale").asBoolean()).isFalse();
    assertThat(testServer.journal.read(EventFilter.subject("meeting:" + id), 0, 10))
        .extracting(
            journalEvent ->
                journalEvent.data().path("from").asString()
                    + ">"
                    + journalEvent.data().path("to").asString())
        .containsExactly(
            "not_started>in_progress",
            "in_progress>failure",
            "failure>in_progress",
            "in_progress>success");
  }

  @Test
  void whoMayAskWhat() {
    String mine = "" + testServer.meeting(ann, "mine");
    get(testServer.server.anonymous(), mine).expect(401);
    get(testServer.server.user(bob), mine).expect(403);
    get(testServer.server.admin(), mine).expect(200);
    get(testServer.server.user(ann), "999999").expect(404);
    get(jobs, "crm:unknown").expect(404);
    testServer
        .server
        .anonymous()
        .with("Authorization", "Bearer bot-42")
        .get("/sync-status?meeting_id=1")
        .expect(403);
    for (String bad : List.of("", "a b", "ü", "x".repeat(129), "a/b")) {
      get(
              testServer.server.user(ann),
              java.net.URLEncoder.encode(bad, java.nio.charset.StandardCharsets.UTF_8))
          .expect(400);
    }
    testServer.server.user(ann).get("/sync-status").expect(400);

    post("crm:abc", "in_progress").expect(200);
    get(jobs, "crm:abc").expect(200);
    get(testServer.server.admin(), "crm:abc").expect(200);
    get(testServer.server.user(ann), "crm:abc").expect(404);

    Map<String, String> update = Map.of("meeting_id", mine, "status", "success");
    testServer.server.user(ann).post("/sync-status", update).expect(403);
    testServer.server.admin().post("/sync-status", update).expect(403);
    testServer.server.anonymous().post("/sync-status", update).expect(401);
    post(mine, "not_started").expect(400);
    post(mine, "done").expect(400);
    jobs.post("/sync-status", Map.of("status", "success")).expect(400);
    post(mine, "success", "seq", -1).expect(400);
    jobs.json("POST", "/sync-status", "{").expect(400);
  }

  @Test
  void lateAndRepeatedUpdatesAreAnsweredWithTheRecordAsItIs() {
    String id = "order-1";
    post(id, "in_progress", "attempt", 1, "seq", 1).expect(200);
    JsonNode won = post(id, "success", "attempt", 1, "seq", 3).expect(200).json();
    JsonNode late = post(id, "in_progress", "attempt", 1, "seq", 2).expect(200).json();
    assertThat(late).isEqualTo(won);
    post("order-2", "in_progress", "job_id", "j").expect(200);
    JsonNode done = post("order-2", "success", "job_id", "j").expect(200).json();
    assertThat(post("order-2", "in_progress", "job_id", "j").expect(200).json()).isEqualTo(done);
  }

  @Test
  void manyWritersOfOneMeetingAreCountedExactly() throws Exception {
    int writers = 24;
    List<Callable<Long>> calls =
        IntStream.range(0, writers)
            .<Callable<Long>>mapToObj(
                i ->
                    () ->
                        post("crowd", i % 2 == 0 ? "failure" : "in_progress", "step", "s" + i % 4)
                            .expect(200)
                            .json()
                            .path("version")
                            .asLong())
            .toList();
    List<Long> versions;
    try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
      versions =
          pool.invokeAll(calls).stream().map(java.util.concurrent.Future::resultNow).toList();
    }
    assertThat(versions).doesNotHaveDuplicates();
    JsonNode end = get(jobs, "crowd").json();
    assertThat(end.path("version").asInt()).isEqualTo(writers);
    long opened =
        testServer.journal.read(EventFilter.subject("meeting:crowd"), 0, 100).stream()
            .map(journalEvent -> journalEvent.data())
            .filter(
                data ->
                    data.path("from").asString().equals("not_started")
                        || (data.path("from").asString().equals("failure")
                            && data.path("to").asString().equals("in_progress")))
            .count();
    assertThat(end.path("attempts").asLong()).isEqualTo(opened);
  }

  @Test
  void whatIsKnownIsNotSentAgain() {
    String id = "etag-1";
    post(id, "in_progress").expect(200);
    Answered first = get(jobs, id).expect(200);
    String tag = first.header("ETag");
    assertThat(first.header("Cache-Status")).isEqualTo("convoke; hit");
    assertThat(first.header("Cache-Control")).contains("no-cache");
    Answered same = get(jobs.with("If-None-Match", tag), id).expect(304);
    assertThat(same.header("ETag")).isEqualTo(tag);
    assertThat(get(jobs.with("If-None-Match", "\"x\", W/" + tag), id).status()).isEqualTo(304);
    post(id, "success").expect(200);
    assertThat(get(jobs.with("If-None-Match", tag), id).expect(200).header("ETag"))
        .isNotEqualTo(tag);
  }

  @Test
  void severalMeetingsInOneRequest() {
    long one = testServer.meeting(ann, "several-1");
    long two = testServer.meeting(ann, "several-2");
    long foreign = testServer.meeting(bob, "several-3");
    post("" + one, "success").expect(200);
    String path =
        "/sync-status?meeting_id="
            + two
            + "&meeting_id="
            + one
            + "&meeting_id="
            + foreign
            + "&meeting_id=0";
    Answered answered = testServer.server.user(ann).get(path).expect(200);
    assertThat(answered.json().path("items").findValuesAsString("meeting_id"))
        .containsExactly("" + two, "" + one);
    assertThat(answered.json().path("items").findValuesAsString("status"))
        .containsExactly("not_started", "success");
    assertThat(answered.json().path("missing").valueStream().map(JsonNode::asString))
        .containsExactly("" + foreign, "0");
    ContractClient known =
        testServer.server.user(ann).with("If-None-Match", answered.header("ETag"));
    known.get(path).expect(304);
    post("" + two, "in_progress").expect(200);
    known.get(path).expect(200);
  }

  @Test
  void theCacheHoldsTheRecordForItsTime() {
    post("cache-1", "in_progress", "step", "JobA").expect(200);
    assertThat(testServer.cached("cache-1"))
        .contains("\"status\":\"in_progress\"", "\"version\":1");
    long ttl = testServer.redis.call(commands -> commands.ttl("sync_status:cache-1"));
    assertThat(ttl).isBetween(3530L, 3600L);
    String _ =
        testServer.redis.call(commands -> commands.set("sync_status:cache-1", "a stranger's"));
    assertThat(get(jobs, "cache-1").expect(200).header("Cache-Status")).contains("miss");
  }

  @Test
  void aStalledSyncIsShownJournaledAndCanBeRetried() {
    String id = "" + testServer.meeting(ann, "still");
    ContractClient user = testServer.server.user(ann);
    post(id, "in_progress", "step", "JobB").expect(200);
    String tag = get(user, id).expect(200).header("ETag");
    user.post("/sync-status/" + id + "/retry").expect(409);
    int _ =
        testServer.database.read(
            tx ->
                tx.sql(
                        "update sync_status set updated_at = now() - interval '11 min' where"
                            + " meeting_id = ?")
                    .with(id)
                    .update());
    testServer.ahead.set(Duration.ofMinutes(11));
    try {
      Answered stalled = get(user.with("If-None-Match", tag), id).expect(200);
      assertThat(stalled.json().path("stalled").asBoolean()).isTrue();
      Answered problems =
          testServer.server.admin().get("/sync-status/problems?limit=200").expect(200);
      assertThat(problems.json().path("items").findValuesAsString("meeting_id")).contains(id);
      user.get("/sync-status/problems").expect(403);

      StallDetector detector =
          new StallDetector(
              testServer.database,
              testServer.journal,
              new SyncMetrics(new io.micrometer.core.instrument.simple.SimpleMeterRegistry()),
              Duration.ofMinutes(10));
      Duration _ = detector.checkOnce();
      Duration _ = detector.checkOnce();
      assertThat(
              testServer.journal.read(EventFilter.subject("meeting:" + id), 0, 10).stream()
                  .filter(journalEvent -> journalEvent.type().equals("sync.stalled")))
          .as("told once")
          .hasSize(1);
      JsonNode again = user.post("/sync-status/" + id + "/retry").expect(202).json();
      assertThat(again.path("attempts").asInt()).isEqualTo(2);
    } finally {
      testServer.ahead.set(Duration.ZERO);
    }
  }

  @Test
  void aRetryThatNoJobHereTakesUpIsSoonStalledUntilAJobOfAnotherSystemReports() {
    String id = "" + testServer.meeting(ann, "foreign");
    ContractClient user = testServer.server.user(ann);
    post(id, "failure", "step", "JobB", "error_message", "no").expect(200);
    JsonNode again = user.post("/sync-status/" + id + "/retry").expect(202).json();
    assertThat(again.path("status").asString()).isEqualTo("in_progress");
    assertThat(again.path("stalled").asBoolean()).as("the job has a moment").isFalse();
    int _ =
        testServer.database.read(
            tx ->
                tx.sql(
                        "update sync_status set updated_at = now() - interval '4 s' where"
                            + " meeting_id = ?")
                    .with(id)
                    .update());
    testServer.ahead.set(Duration.ofSeconds(4));
    try {
      JsonNode seen = get(user, id).expect(200).json();
      assertThat(seen.path("stalled").asBoolean()).isTrue();
    } finally {
      testServer.ahead.set(Duration.ZERO);
    }
    JsonNode problems = testServer.server.admin().get("/sync-status/problems?limit=200").json();
    assertThat(problems.path("items").findValuesAsString("meeting_id")).contains(id);

    JsonNode answered = post(id, "in_progress", "step", "JobB").expect(200).json();
    assertThat(answered.path("stalled").asBoolean()).isFalse();
    assertThat(get(user, id).expect(200).json().path("stalled").asBoolean()).isFalse();
  }

  /** The next scan was to be when the sync whose job is at work could stall. */
  @Tag("nightly")
  @Test
  void aRetryThatNoJobTakesUpIsToldWhileAnotherSyncIsInProgress() throws Exception {
    try (SyncTestServer own = SyncTestServer.open(redis)) {
      ContractClient job = own.internal();
      job.post("/sync-status", Map.of("meeting_id", "busy", "status", "in_progress")).expect(200);
      own.sync.start();
      job.post("/sync-status", Map.of("meeting_id", "left", "status", "failure")).expect(200);
      EventFilter stalls =
          new EventFilter(Optional.of("sync.stalled"), Optional.empty(), Optional.empty());
      try (JournalSubscription told = own.journal.tail(own.journal.settled(), stalls)) {
        own.server.admin().post("/sync-status/left/retry").expect(202);
        assertThat(told.next(Duration.ofSeconds(15)))
            .extracting(event -> event.data().path("meeting_id").asString(""))
            .containsExactly("left");
      }
    }
  }

  @Test
  void problemsAreListedNewestFirstInPages() {
    for (int i = 0; i < 5; i++) {
      post("problem-" + i, "failure", "error_message", "no " + i).expect(200);
    }
    ContractClient admin = testServer.server.admin();
    JsonNode first = admin.get("/sync-status/problems?limit=2").expect(200).json();
    String next = first.path("next_cursor").asString();
    JsonNode second = admin.get("/sync-status/problems?limit=2&cursor=" + next).expect(200).json();
    assertThat(first.path("items").findValuesAsString("meeting_id"))
        .doesNotContainAnyElementsOf(second.path("items").findValuesAsString("meeting_id"));
    admin.get("/sync-status/problems?cursor=nonsense").expect(400);
  }

  @Test
  void aProblemThatWasSeenIsLetBeUntilItChanges() {
    String id = "" + testServer.meeting(ann, "let-be");
    ContractClient admin = testServer.server.admin();
    long version = post(id, "failure").expect(200).json().path("version").asLong();
    String path = "/sync-status/" + id + "/dismiss";
    testServer.server.user(ann).post(path, Map.of("version", version)).expect(403);
    admin.post(path, Map.of()).expect(400);
    admin.post("/sync-status/nobody/dismiss", Map.of("version", 1)).expect(404);
    admin.post(path, Map.of("version", version - 1)).expect(409, "not_a_problem");
    assertThat(problems(admin)).contains(id);

    admin.post(path, Map.of("version", version)).expect(200);
    assertThat(problems(admin)).doesNotContain(id);
    assertThat(get(jobs, id).json().path("version").asLong()).as("unchanged").isEqualTo(version);
    assertThat(testServer.journal.read(EventFilter.subject("meeting:" + id), 0, 10))
        .last()
        .satisfies(journalEvent -> assertThat(journalEvent.type()).isEqualTo("sync.dismissed"));

    post(id, "failure", "error_message", "again").expect(200);
    assertThat(problems(admin)).contains(id);
    post(id, "success").expect(200);
    JsonNode over = admin.post(path, Map.of("version", version + 2)).expect(409).json();
    assertThat(over.path("sync_status").asString()).isEqualTo("success");
    assertThat(over.path("detail").asString()).contains("is not a problem");
  }

  private static List<String> problems(ContractClient admin) {
    return admin
        .get("/sync-status/problems?limit=200")
        .expect(200)
        .json()
        .path("items")
        .findValuesAsString("meeting_id");
  }

  @Test
  void whatHappensIsCounted() {
    post("metric", "success").expect(200);
    get(jobs, "metric").expect(200);
    assertThat(testServer.meters.scrape())
        .contains(
            "convoke_sync_updates_total{outcome=\"applied\",status=\"success\"}",
            "convoke_sync_reads_total{result=\"hit\"}",
            "convoke_sync_stalled",
            "convoke_sync_cache_usable 1.0",
            "convoke_sync_lag_seconds_count");
  }

  @Test
  void readsAndTheirRequestsToRedisAreCounted() {
    post("counted", "success").expect(200);
    get(jobs, "counted").expect(200);
    double hits = meter("convoke_sync_reads_total{result=\"hit\"}");
    double requests = meter("convoke_sync_cache_requests_total");
    get(jobs, "counted").expect(200);
    assertThat(meter("convoke_sync_reads_total{result=\"hit\"}")).isEqualTo(hits + 1);
    assertThat(meter("convoke_sync_cache_requests_total")).isEqualTo(requests + 1);
    assertThat(meter("convoke_sync_cache_generations_total")).isPositive();
  }

  private double meter(String name) {
    return testServer
        .meters
        .scrape()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElse(0);
  }
}
