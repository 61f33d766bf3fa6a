package io.convoke.server.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.journal.EventFilter;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.ContractClient.Answered;
import io.convoke.simulator.stores.EmbeddedPostgres;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Sync status while Redis or Postgres is unreachable, on real stores. */
class SyncOutagesTest {
  /** All nodes show an update within this time while both stores answer (sync-14). */
  private static final Duration NODES_AGREE = Duration.ofSeconds(2);

  private static final SyncConfig HASTY =
      new SyncConfig(Duration.ofHours(1), Duration.ofMinutes(10), Duration.ofSeconds(6));

  private static JsonNode post(SyncTestServer testServer, String id, String status, int expected) {
    return testServer
        .internal()
        .post("/sync-status", Map.of("meeting_id", id, "status", status))
        .expect(expected)
        .json();
  }

  private static Answered get(SyncTestServer testServer, String id) {
    return testServer.internal().get("/sync-status?meeting_id=" + id);
  }

  private static String status(Answered answered) {
    return answered.expect(200).json().path("status").asString();
  }

  @Test
  void readsAndWritesSurviveRedisAndNothingOldComesBackWithIt() {
    try (EmbeddedRedis redis = LocalStores.forTests().ownRedis();
        SyncTestServer testServer = SyncTestServer.open(redis)) {
      testServer.awaitCache();
      var _ = post(testServer, "m", "in_progress", 200);
      String old = testServer.cached("m");
      try (TestSignal.SignalObservation<String> begun = testServer.sync.cache().begun().observe()) {
        redis.stop();
        var _ = post(testServer, "m", "success", 200);
        assertThat(status(get(testServer, "m"))).isEqualTo("success");
        redis.restart();
        var _ = begun.await(_ -> true, SyncTestServer.SOON);
      }
      assertThat(testServer.cached("m")).as("Redis came back as it was").isEqualTo(old);
      Answered first = get(testServer, "m");
      assertThat(status(first)).isEqualTo("success");
      assertThat(first.header("Cache-Status")).isEqualTo("convoke; fwd=miss");
      assertThat(testServer.cached("m")).contains("success").isNotEqualTo(old);
      assertThat(get(testServer, "m").expect(200).header("Cache-Status")).isEqualTo("convoke; hit");
      redis.flush();
      assertThat(status(get(testServer, "m"))).isEqualTo("success");
    }
  }

  @Test
  @Tag("nightly")
  void readsAreServedThroughADatabaseOutageAndMarkedStale() {
    try (EmbeddedPostgres embeddedPostgres = LocalStores.forTests().ownPostgres();
        EmbeddedRedis redis = LocalStores.forTests().ownRedis();
        SyncTestServer testServer = SyncTestServer.open(database(embeddedPostgres), redis, HASTY)) {
      testServer.awaitCache();
      var _ = post(testServer, "m", "in_progress", 200);
      String tag = get(testServer, "m").expect(200).header("ETag");
      ContractClient knows = testServer.internal().with("If-None-Match", tag);
      embeddedPostgres.stop();
      testServer.awaitListening(false);

      Answered stale = knows.get("/sync-status?meeting_id=m").expect(200);
      assertThat(stale.json().path("stale").asBoolean()).isTrue();
      assertThat(stale.json().path("status").asString()).isEqualTo("in_progress");
      assertThat(stale.header("Cache-Status")).contains("hit", "database-out-of-reach");
      get(testServer, "never-seen").expect(503);

      var _ = post(testServer, "m", "success", 503);
      assertThat(testServer.cached("m")).as("what failed is not cached").contains("in_progress");
      assertThat(testServer.meters.scrape())
          .contains("convoke_sync_updates_total{outcome=\"unavailable\",status=\"success\"} 1.0");
      assertThat(testServer.meters.counter("convoke.sync.update.retries").count())
          .as("tries after the first")
          .isGreaterThanOrEqualTo(2);

      embeddedPostgres.restart();
      var _ = post(testServer, "m", "success", 200);
      Answered soon = get(testServer, "m");
      assertThat(status(soon)).isEqualTo("success");
      testServer.awaitListening(true);
      testServer.awaitCache();
      assertThat(get(testServer, "m").expect(200).header("Cache-Status")).isEqualTo("convoke; hit");
    }
  }

  @Tag("nightly")
  @Test
  void aWriteThatBeginsInAnOutageEndsWellWhenItIsShort() throws Exception {
    try (EmbeddedPostgres embeddedPostgres = LocalStores.forTests().ownPostgres();
        EmbeddedRedis redis = LocalStores.forTests().ownRedis();
        SyncTestServer testServer =
            SyncTestServer.open(
                database(embeddedPostgres), redis, SyncConfig.of(ServerConfig.of(Map.of())))) {
      testServer.awaitCache();
      var _ = post(testServer, "m", "in_progress", 200);
      embeddedPostgres.stop();
      testServer.awaitListening(false);
      Thread back = Thread.ofVirtual().start(embeddedPostgres::restart);
      var _ = post(testServer, "m", "success", 200);
      back.join();
      JsonNode end = get(testServer, "m").expect(200).json();
      assertThat(end.path("version").asInt()).as("counted once").isEqualTo(2);
    }
  }

  /** While Redis hangs, one update is accepted and the next one does not reach it. */
  @Test
  void aNodeNeverGoesBackAfterRedisHung() {
    try (EmbeddedRedis redis = LocalStores.forTests().ownRedis();
        SyncTestServer testServer = SyncTestServer.open(redis)) {
      testServer.awaitCache();
      var _ = post(testServer, "m", "in_progress", 200);
      try (TestSignal.SignalObservation<String> begun = testServer.sync.cache().begun().observe()) {
        redis.pause(true);
        try {
          var _ = post(testServer, "m", "success", 200);
          var _ = post(testServer, "m", "failure", 200);
          assertThat(status(get(testServer, "m"))).isEqualTo("failure");
        } finally {
          redis.pause(false);
        }
        assertThat(status(get(testServer, "m"))).isEqualTo("failure");
        var _ = begun.await(_ -> true, SyncTestServer.SOON);
      }
      assertThat(status(get(testServer, "m"))).isEqualTo("failure");
    }
  }

  @Test
  void anUpdateThatItsWriterDidNotStoreIsShownSoon() {
    try (EmbeddedRedis redis = LocalStores.forTests().ownRedis();
        SyncTestServer testServer = SyncTestServer.open(redis)) {
      testServer.awaitCache();
      var _ = post(testServer, "m", "in_progress", 200);
      assertThat(get(testServer, "m").header("Cache-Status")).isEqualTo("convoke; hit");
      try (TestSignal.SignalObservation<SyncJournal.SyncJournalHead> invalidated =
          testServer.sync.invalidator().invalidated().observe()) {
        SyncWriter dying =
            new SyncWriter(
                testServer.database,
                testServer.journal,
                new SyncCache(nowhere(), Duration.ofHours(1)),
                new SyncMetrics(new io.micrometer.core.instrument.simple.SimpleMeterRegistry()),
                Duration.ofSeconds(5));
        SyncUpdateResult _ =
            dying.write(
                "m",
                new SyncUpdate.StatusPosted(
                    SyncStatus.SUCCESS,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    "dying"));
        SyncJournal.SyncJournalHead _ =
            invalidated.await(
                syncJournalHead -> syncJournalHead.status() == SyncStatus.SUCCESS, NODES_AGREE);
      }
      Answered read = get(testServer, "m");
      assertThat(status(read)).isEqualTo("success");
      assertThat(read.header("Cache-Status")).isEqualTo("convoke; fwd=miss");
      assertThat(get(testServer, "m").header("Cache-Status")).isEqualTo("convoke; hit");
    }
  }

  @Test
  void anUpdateWithAnUnconfirmedCommitIsRetriedAndCountsOnce() throws Exception {
    URI url = URI.create(MigratedDatabase.url());
    try (EmbeddedRedis redis = LocalStores.forTests().ownRedis();
        LossyPostgresProxy wire = new LossyPostgresProxy(url.getPort());
        SyncTestServer testServer =
            SyncTestServer.open(
                url.toString().replace(":" + url.getPort() + "/", ":" + wire.port() + "/"),
                redis,
                HASTY)) {
      var _ = post(testServer, "other", "in_progress", 200);
      wire.breakAfter("insert into events");

      JsonNode told = post(testServer, "m", "in_progress", 200);

      assertThat(wire.broke()).as("the commit was not confirmed").isTrue();
      assertThat(told.path("version").asLong()).isEqualTo(1);
      assertThat(testServer.journal.read(EventFilter.subject("meeting:m"), 0, 10)).hasSize(1);
      assertThat(post(testServer, "m", "in_progress", 200).path("version").asLong()).isEqualTo(2);
    }
  }

  private static io.convoke.engine.redis.Redis nowhere() {
    return io.convoke.engine.redis.Redis.open("redis://127.0.0.1:1");
  }

  private static String database(EmbeddedPostgres embeddedPostgres) {
    embeddedPostgres.createDatabase("sync", "template1");
    return embeddedPostgres.url("sync");
  }
}
