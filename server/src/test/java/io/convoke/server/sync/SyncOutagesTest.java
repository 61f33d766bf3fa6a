package io.convoke.server.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.journal.EventFilter;
import io.convoke.engine.signal.Signal;
import io.convoke.lab.stores.Postgres;
import io.convoke.lab.stores.RedisServer;
import io.convoke.lab.stores.Stores;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.ContractClient.Answered;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What seed 003 promises when Redis or Postgres is away, on stores that really are. */
class SyncOutagesTest {
  private static final SyncTerms HASTY =
      new SyncTerms(Duration.ofHours(1), Duration.ofMinutes(10), Duration.ofSeconds(6));

  private static JsonNode post(SyncHouse house, String id, String status, int expected) {
    return house
        .internal()
        .post("/sync-status", Map.of("meeting_id", id, "status", status))
        .expect(expected)
        .json();
  }

  private static Answered get(SyncHouse house, String id) {
    return house.internal().get("/sync-status?meeting_id=" + id);
  }

  private static String status(Answered answered) {
    return answered.expect(200).json().path("status").asString();
  }

  @Test
  void readsAndWritesSurviveRedisAndNothingOldComesBackWithIt() {
    try (RedisServer redis = Stores.forTests().ownRedis();
        SyncHouse house = SyncHouse.open(redis)) {
      house.awaitCoherent();
      var _ = post(house, "m", "in_progress", 200);
      String old = house.cached("m");
      try (Signal.Observation<Boolean> coherence = house.sync.follower().coherence().observe()) {
        redis.stop();
        var _ = post(house, "m", "success", 200);
        assertThat(status(get(house, "m"))).isEqualTo("success");
        var _ = coherence.await(is -> !is, SyncHouse.SOON);
        redis.restart();
        var _ = coherence.await(is -> is, SyncHouse.SOON);
      }
      assertThat(house.cached("m")).contains("success").isNotEqualTo(old);
      assertThat(get(house, "m").expect(200).header("Cache-Status")).isEqualTo("convoke; hit");
      redis.flush();
      assertThat(status(get(house, "m"))).isEqualTo("success");
    }
  }

  @Test
  void readsServeThroughADatabaseOutageAndSayThatNobodyCouldConfirmThem() {
    try (Postgres postgres = Stores.forTests().ownPostgres();
        RedisServer redis = Stores.forTests().ownRedis();
        SyncHouse house = SyncHouse.open(database(postgres), redis, HASTY)) {
      house.awaitCoherent();
      var _ = post(house, "m", "in_progress", 200);
      String tag = get(house, "m").expect(200).header("ETag");
      ContractClient knows = house.internal().with("If-None-Match", tag);
      postgres.stop();
      awaitDeaf(house);

      Answered stale = knows.get("/sync-status?meeting_id=m").expect(200);
      assertThat(stale.json().path("stale").asBoolean()).isTrue();
      assertThat(stale.json().path("status").asString()).isEqualTo("in_progress");
      assertThat(stale.header("Cache-Status")).contains("hit", "database-out-of-reach");
      get(house, "never-seen").expect(503);

      var _ = post(house, "m", "success", 503);
      assertThat(house.cached("m")).as("what failed is not cached").contains("in_progress");
      assertThat(house.meters.scrape())
          .contains("convoke_sync_updates_total{outcome=\"unavailable\",status=\"success\"} 1.0");
      assertThat(house.meters.counter("convoke.sync.update.retries").count())
          .as("tries after the first")
          .isGreaterThanOrEqualTo(2);

      postgres.restart();
      var _ = post(house, "m", "success", 200);
      Answered soon = get(house, "m");
      assertThat(status(soon)).isEqualTo("success");
      assertThat(soon.header("Cache-Status"))
          .as("what others wrote before the outage may not have been told yet")
          .isNotEqualTo("convoke; hit");
      house.awaitCoherent();
      assertThat(get(house, "m").expect(200).header("Cache-Status")).isEqualTo("convoke; hit");
    }
  }

  @Test
  void aWriteThatBeginsInAnOutageEndsWellWhenItIsShort() throws Exception {
    try (Postgres postgres = Stores.forTests().ownPostgres();
        RedisServer redis = Stores.forTests().ownRedis();
        SyncHouse house = SyncHouse.open(database(postgres), redis, SyncTerms.defaults())) {
      house.awaitCoherent();
      var _ = post(house, "m", "in_progress", 200);
      postgres.stop();
      awaitDeaf(house);
      Thread back = Thread.ofVirtual().start(postgres::restart);
      var _ = post(house, "m", "success", 200);
      back.join();
      JsonNode end = get(house, "m").expect(200).json();
      assertThat(end.path("version").asInt()).as("counted once").isEqualTo(2);
    }
  }

  @Test
  void aReadersRefillNeverReplacesWhatIsNewer() throws Exception {
    try (RedisServer redis = Stores.forTests().ownRedis();
        SyncHouse house = SyncHouse.open(redis)) {
      house.awaitCoherent();
      SyncCache cache = new SyncCache(house.redis, Duration.ofHours(1));
      SyncCache.Look first = cache.look(java.util.List.of("m"));
      SyncCache.Look before =
          first.generation().isEmpty() ? cache.look(java.util.List.of("m")) : first;
      var _ = post(house, "m", "in_progress", 200);
      SyncRecord old = new SyncStore(house.database).find(java.util.Set.of("m")).get("m");
      var _ = post(house, "m", "success", 200);

      java.util.List<SyncJson.Text> olds =
          java.util.List.of(SyncJson.write(java.util.Objects.requireNonNull(old)));
      assertThat(cache.send(olds, before.generation()).toCompletableFuture().get())
          .as("older than what is there; nobody else has looked")
          .isEqualTo(java.util.List.of(0L, 0L));
      assertThat(house.cached("m")).contains("success");
      redis.flush();
      assertThat(cache.send(olds, before.generation()).toCompletableFuture().get())
          .as("Redis forgot meanwhile; who knows what, and who has looked")
          .isEqualTo(java.util.List.of(-1L, 1L));
      assertThat(house.cached("m")).as("no record").isEqualTo("{\"version\":0}");
      redis.flush();
      SyncCache.Look after = cache.look(java.util.List.of("m"));
      assertThat(after.generation()).isNotEqualTo(before.generation());
      cache.refill(java.util.Map.of("m", Optional.empty()), after);
      assertThat(cache.look(java.util.List.of("m")).kept()).containsKey("m");
      var _ = post(house, "m", "failure", 200);
      assertThat(house.cached("m")).as("anything is newer than nothing").contains("failure");
    }
  }

  /** A server that stood still with an update to put, while others wrote and Redis was emptied. */
  @Test
  void whatComesAfterRedisForgotShowsNobodyAnythingOlder() throws Exception {
    try (RedisServer redis = Stores.forTests().ownRedis();
        SyncHouse house = SyncHouse.open(redis)) {
      house.awaitCoherent();
      SyncCache late = new SyncCache(house.redis, Duration.ofHours(1));
      String before = late.look(java.util.List.of("m")).generation();
      var _ = post(house, "m", "in_progress", 200);
      java.util.List<SyncJson.Text> first = written(house);
      var _ = post(house, "m", "success", 200);
      java.util.List<SyncJson.Text> second = written(house);
      redis.flush();

      assertThat(late.send(first, before).toCompletableFuture().get())
          .as("a writer's")
          .isEqualTo(java.util.List.of(-1L, 1L));
      assertThat(late.send(first, "").toCompletableFuture().get())
          .as("a follower's: as old as is known already")
          .isEqualTo(java.util.List.of(-1L, 1L));
      SyncCache.Look look = late.look(java.util.List.of("m"));
      assertThat(look.kept()).as("what nobody can tell to be the newest").isEmpty();
      assertThat(status(get(house, "m"))).isEqualTo("success");
      assertThat(house.cached("m")).as("refilled").contains("success");

      redis.flush();
      SyncCache.Look anew = late.look(java.util.List.of("m"));
      assertThat(late.send(second, before).toCompletableFuture().get())
          .isEqualTo(java.util.List.of(-1L, 1L));
      assertThat(late.send(first, anew.generation()).toCompletableFuture().get())
          .as("a reader's that asked before the second was written")
          .isEqualTo(java.util.List.of(0L, 1L));
      assertThat(late.look(java.util.List.of("m")).kept()).isEmpty();
      assertThat(late.send(second, anew.generation()).toCompletableFuture().get())
          .as("a reader's that asked after it")
          .isEqualTo(java.util.List.of(1L, 1L));
      assertThat(house.cached("m")).contains("success");
    }
  }

  private static java.util.List<SyncJson.Text> written(SyncHouse house) {
    return new SyncStore(house.database)
        .find(java.util.Set.of("m")).values().stream().map(SyncJson::write).toList();
  }

  @Test
  void aReaderThatCannotTellTheCacheLetsTheOthersHearOfItFirst() {
    try (RedisServer redis = Stores.forTests().ownRedis();
        SyncHouse house = SyncHouse.open(redis)) {
      house.awaitCoherent();
      var _ = post(house, "m", "in_progress", 200);
      SyncReader apart =
          new SyncReader(
              new SyncStore(house.database),
              new SyncCache(nowhere(), Duration.ofHours(1)),
              house.sync.follower(),
              new SyncMeters(new io.micrometer.core.instrument.simple.SimpleMeterRegistry()),
              () -> 1);
      long asked = System.nanoTime();
      SyncReader.Reading told = apart.read("m");
      assertThat(Duration.ofNanos(System.nanoTime() - asked)).isGreaterThan(Hearsay.SPREAD);
      assertThat(told.source()).isEqualTo(SyncReader.Source.DATABASE);
    }
  }

  /**
   * While another node may tell what was before, for the length of a lease, a writer does not
   * answer.
   */
  @Test
  void anUpdateIsAnsweredWhenNobodyCanBeToldWhatWasBefore() {
    try (RedisServer redis = Stores.forTests().ownRedis();
        SyncHouse house = SyncHouse.open(redis);
        io.convoke.engine.redis.Redis elsewhere = io.convoke.engine.redis.Redis.open(redis.url());
        SyncCache other = new SyncCache(elsewhere, Duration.ofHours(1))) {
      house.awaitCoherent();
      SyncCache own = new SyncCache(house.redis, Duration.ofHours(1));
      var _ = post(house, "m", "in_progress", 200);
      java.util.List<SyncJson.Text> news =
          java.util.List.of(
              SyncJson.write(
                  java.util.Objects.requireNonNull(
                      new SyncStore(house.database).find(java.util.Set.of("m")).get("m"))));
      assertThat(own.put(news, own.generation())).as("nobody has looked").isZero();
      assertThat(own.look(java.util.List.of("m")).kept()).containsKey("m");
      assertThat(own.put(news, own.generation())).as("nobody else has").isZero();
      while (other.look(java.util.List.of("m")).kept().isEmpty()) {
        Thread.onSpinWait();
      }
      assertThat(own.put(news, own.generation())).isEqualTo(Memory.LEASE);
      long asked = System.nanoTime();
      var _ = post(house, "m", "success", 200);
      assertThat(Duration.ofNanos(System.nanoTime() - asked)).isGreaterThan(Memory.LEASE);
      redis.flush();
      assertThat(own.put(news, own.generation()))
          .as("Redis forgot who has")
          .isEqualTo(Memory.LEASE);
      assertThat(own.put(news, own.generation()))
          .as("whoever it forgot may tell it still")
          .isEqualTo(Memory.LEASE);
    }
  }

  @Test
  void onlyTheFirstWhoAreToldOfAVersionWait() {
    Hearsay hearsay = new Hearsay();
    java.util.List<SyncRecord> first = java.util.List.of(version(1));
    java.util.List<SyncRecord> second = java.util.List.of(version(2));
    assertThat(hearsay.left(first, 0)).isEqualTo(Hearsay.SPREAD);
    assertThat(hearsay.left(first, 50_000_000)).isEqualTo(Hearsay.SPREAD.minusMillis(50));
    assertThat(hearsay.left(second, 60_000_000)).isEqualTo(Hearsay.SPREAD);
    assertThat(hearsay.left(second, 900_000_000)).isEqualTo(Duration.ZERO);
  }

  private static SyncRecord version(long version) {
    return new SyncRecord(
        "m",
        Optional.empty(),
        SyncStatus.IN_PROGRESS,
        Optional.empty(),
        Optional.empty(),
        1,
        Optional.empty(),
        version,
        Optional.empty(),
        Optional.empty(),
        1,
        Optional.empty(),
        java.util.List.of(),
        Optional.empty());
  }

  @Test
  void whatAWriterCouldNotPutTheFollowerBrings() {
    try (RedisServer redis = Stores.forTests().ownRedis();
        SyncHouse house = SyncHouse.open(redis)) {
      house.awaitCoherent();
      var _ = post(house, "m", "in_progress", 200);
      try (Signal.Observation<SyncChange.Head> brought =
          house.sync.follower().brought().observe()) {
        // In a transaction of its own, on a node whose cache is somewhere else: as if it had died.
        SyncWriter stranger =
            new SyncWriter(
                house.database,
                house.journal,
                new SyncCache(nowhere(), Duration.ofHours(1)),
                new SyncMeters(new io.micrometer.core.instrument.simple.SimpleMeterRegistry()),
                Duration.ofSeconds(5));
        Applied _ =
            stranger.write(
                "m",
                new SyncUpdate.Posted(
                    SyncStatus.SUCCESS,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    "stranger"));
        SyncChange.Head _ =
            brought.await(head -> head.status() == SyncStatus.SUCCESS, SyncHouse.SOON);
      }
      assertThat(house.cached("m")).contains("success");
      Answered read = get(house, "m");
      assertThat(status(read)).isEqualTo("success");
      assertThat(read.header("Cache-Status")).isEqualTo("convoke; hit");
    }
  }

  @Test
  void anUpdateWhoseCommitNobodyConfirmedIsSentAgainAndCountsOnce() throws Exception {
    URI url = URI.create(Stores.forTests().freshDatabase());
    try (RedisServer redis = Stores.forTests().ownRedis();
        DeafClient wire = new DeafClient(url.getPort());
        SyncHouse house =
            SyncHouse.open(
                url.toString().replace(":" + url.getPort() + "/", ":" + wire.port() + "/"),
                redis,
                HASTY)) {
      var _ = post(house, "other", "in_progress", 200);
      wire.breakAfter("insert into events");

      JsonNode told = post(house, "m", "in_progress", 200);

      assertThat(wire.broke()).as("the commit was not confirmed").isTrue();
      assertThat(told.path("version").asLong()).isEqualTo(1);
      assertThat(house.journal.read(EventFilter.subject("meeting:m"), 0, 10)).hasSize(1);
      assertThat(post(house, "m", "in_progress", 200).path("version").asLong()).isEqualTo(2);
    }
  }

  private static io.convoke.engine.redis.Redis nowhere() {
    return io.convoke.engine.redis.Redis.open("redis://127.0.0.1:1");
  }

  private static String database(Postgres postgres) {
    postgres.createDatabase("sync", "template1");
    return postgres.url("sync");
  }

  private static void awaitDeaf(SyncHouse house) {
    try (Signal.Observation<Boolean> connected = house.listener.connected().observe()) {
      if (house.listener.listening()) {
        var _ = connected.await(is -> !is, SyncHouse.SOON);
      }
    }
  }
}
