package io.convoke.lab.stores;

import io.convoke.lab.child.Guardian;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A Postgres and a Redis that belong together. {@link #open} is for a data folder that stays,
 * {@link #forTests} for a pair that all tests of one process share and that is gone afterwards.
 */
public final class Stores implements AutoCloseable {
  private static final int CLUSTER_MASTERS = 3;

  private final Path folder;
  private final Guardian guardian;
  private final Postgres postgres;
  private final RedisServer redis;
  private final AtomicInteger names = new AtomicInteger();
  private final List<Postgres> others = new CopyOnWriteArrayList<>();

  private Stores(Path folder, boolean durable, List<String> postgresOptions) {
    this.folder = folder;
    this.guardian = new Guardian();
    this.postgres =
        Postgres.start(
            Binaries.postgres(), folder.resolve("postgres"), guardian, durable, postgresOptions);
    this.redis = RedisServer.start(folder.resolve("redis"), guardian);
  }

  /** Starts both on a folder, keeping what is in it. */
  public static Stores open(Path folder) {
    return open(folder, List.of());
  }

  /**
   * The same, with settings of the Postgres server such as {@code
   * shared_preload_libraries=pg_stat_statements}; a later start without them goes without them.
   */
  public static Stores open(Path folder, List<String> postgresOptions) {
    Stores stores = new Stores(folder.toAbsolutePath(), true, postgresOptions);
    stores.postgres.createDatabase("convoke", "template1");
    return stores;
  }

  /** The pair of this test process, started with the first call. */
  public static Stores forTests() {
    return Shared.STORES;
  }

  public Postgres postgres() {
    return postgres;
  }

  public RedisServer redis() {
    return redis;
  }

  /** The URL of a database that {@link #open} made. */
  public String databaseUrl() {
    return postgres.url("convoke");
  }

  /** Makes a database that no other test uses and answers its URL. */
  public String freshDatabase(String template) {
    String name = "test_" + names.incrementAndGet();
    postgres.createDatabase(name, template);
    return postgres.url(name);
  }

  public String freshDatabase() {
    return freshDatabase("template1");
  }

  /** Starts one more Redis of its own, for a test that stops or floods it. */
  public RedisServer ownRedis() {
    return RedisServer.start(folder.resolve("redis-" + names.incrementAndGet()), guardian);
  }

  /** Starts a Redis with a replica and a Sentinel, for a test of a failover. */
  public RedisFailover ownFailover() {
    return RedisFailover.start(folder.resolve("redis-" + names.incrementAndGet()), guardian);
  }

  /** The same with more of both, and by the program that a test names. */
  public RedisFailover ownFailover(RedisKind kind, int replicas, int sentinels) {
    return RedisFailover.start(kind.program(), own("failover"), guardian, replicas, sentinels);
  }

  /** Starts a Redis Cluster of three masters with a replica each. */
  public RedisCluster ownCluster(RedisKind kind) {
    return RedisCluster.start(kind.program(), own("cluster"), guardian, CLUSTER_MASTERS);
  }

  private Path own(String what) {
    return folder.resolve(what + "-" + names.incrementAndGet());
  }

  /** Starts one more Postgres of its own, for a test that stops it. */
  public Postgres ownPostgres() {
    return ownPostgres(List.of());
  }

  /** The same with settings of the server. */
  public Postgres ownPostgres(List<String> options) {
    return own(Binaries.postgres(), options);
  }

  /** The same of another version, from a jar of binaries that is not on the class path. */
  public Postgres ownPostgres(Path binaries) {
    return own(Binaries.postgres(binaries), List.of());
  }

  private Postgres own(Path programs, List<String> options) {
    Path data = folder.resolve("postgres-" + names.incrementAndGet());
    Postgres started = Postgres.start(programs, data, guardian, false, options);
    boolean _ = others.add(started);
    return started;
  }

  @Override
  public void close() {
    others.forEach(Postgres::close);
    redis.close();
    postgres.close();
    guardian.close();
  }

  /** Kills all stores: their data is not needed, so nothing is written for a next start. */
  private void abandon() {
    others.forEach(Postgres::stopImmediately);
    redis.close();
    postgres.stopImmediately();
    guardian.close();
  }

  private static final class Shared {
    static final Stores STORES = start();

    private static Stores start() {
      try {
        Path folder = Files.createTempDirectory("convoke-test-stores");
        Stores stores = new Stores(folder, false, List.of());
        Runtime.getRuntime()
            .addShutdownHook(
                new Thread(
                    () -> {
                      stores.abandon();
                      try {
                        Folders.delete(folder);
                      } catch (IOException e) {
                        throw new UncheckedIOException(e);
                      }
                    }));
        return stores;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
