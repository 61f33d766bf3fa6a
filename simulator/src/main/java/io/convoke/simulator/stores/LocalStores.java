package io.convoke.simulator.stores;

import io.convoke.simulator.process.OrphanReaper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Postgres and a Redis. {@link #open} is for a data folder that stays, {@link #forTests} for a
 * pair that all tests of one process share and that is deleted afterwards.
 */
public final class LocalStores implements AutoCloseable {
  private static final int CLUSTER_MASTERS = 3;

  private final Path folder;
  private final OrphanReaper orphanReaper;
  private final EmbeddedPostgres embeddedPostgres;
  private final EmbeddedRedis redis;
  private final AtomicInteger names = new AtomicInteger();
  private final List<EmbeddedPostgres> others = new CopyOnWriteArrayList<>();

  private LocalStores(Path folder, boolean durable, List<String> postgresOptions) {
    this.folder = folder;
    this.orphanReaper = new OrphanReaper();
    this.embeddedPostgres =
        EmbeddedPostgres.start(
            StoreBinaries.postgres(),
            folder.resolve("postgres"),
            orphanReaper,
            durable,
            postgresOptions);
    this.redis = EmbeddedRedis.start(folder.resolve("redis"), orphanReaper);
  }

  /** Starts both on a folder, keeping what is in it. */
  public static LocalStores open(Path folder) {
    return open(folder, List.of());
  }

  /**
   * The same, with settings of the Postgres server such as {@code
   * shared_preload_libraries=pg_stat_statements}; a later start without them goes without them.
   */
  public static LocalStores open(Path folder, List<String> postgresOptions) {
    LocalStores localStores = new LocalStores(folder.toAbsolutePath(), true, postgresOptions);
    localStores.embeddedPostgres.createDatabase("convoke", "template1");
    return localStores;
  }

  /** The pair of this test process, started with the first call. */
  public static LocalStores forTests() {
    return SharedLocalStores.STORES;
  }

  public EmbeddedPostgres postgres() {
    return embeddedPostgres;
  }

  public EmbeddedRedis redis() {
    return redis;
  }

  /** The URL of a database that {@link #open} made. */
  public String databaseUrl() {
    return embeddedPostgres.url("convoke");
  }

  /** Makes a database that no other test uses and answers its URL. */
  public String freshDatabase(String template) {
    String name = "test_" + names.incrementAndGet();
    embeddedPostgres.createDatabase(name, template);
    return embeddedPostgres.url(name);
  }

  public String freshDatabase() {
    return freshDatabase("template1");
  }

  /** Starts one more Redis of its own, for a test that stops or floods it. */
  public EmbeddedRedis ownRedis() {
    return EmbeddedRedis.start(folder.resolve("redis-" + names.incrementAndGet()), orphanReaper);
  }

  /** Starts a Redis with a replica and a Sentinel, for a test of a failover. */
  public EmbeddedRedisFailover ownFailover() {
    return EmbeddedRedisFailover.start(
        folder.resolve("redis-" + names.incrementAndGet()), orphanReaper);
  }

  /** The same with more of both, and by the program that a test names. */
  public EmbeddedRedisFailover ownFailover(RedisFlavor kind, int replicas, int sentinels) {
    return EmbeddedRedisFailover.start(
        kind.program(), own("failover"), orphanReaper, replicas, sentinels);
  }

  /** Starts a Redis Cluster of three masters with a replica each. */
  public EmbeddedRedisCluster ownCluster(RedisFlavor kind) {
    return EmbeddedRedisCluster.start(
        kind.program(), own("cluster"), orphanReaper, CLUSTER_MASTERS);
  }

  private Path own(String what) {
    return folder.resolve(what + "-" + names.incrementAndGet());
  }

  /** Starts a PgBouncer before the Postgres; empty where it is not installed and cannot be. */
  public Optional<PgBouncer> ownPgBouncer() {
    return PgBouncer.isInstalled()
        ? Optional.of(PgBouncer.start(own("pgbouncer"), embeddedPostgres, orphanReaper))
        : Optional.empty();
  }

  /** Starts one more Postgres of its own, for a test that stops it. */
  public EmbeddedPostgres ownPostgres() {
    return ownPostgres(List.of());
  }

  /** The same with settings of the server. */
  public EmbeddedPostgres ownPostgres(List<String> options) {
    return own(StoreBinaries.postgres(), options);
  }

  /** The same of another version, from a jar of binaries that is not on the class path. */
  public EmbeddedPostgres ownPostgres(Path binaries) {
    return own(StoreBinaries.postgres(binaries), List.of());
  }

  private EmbeddedPostgres own(Path programs, List<String> options) {
    Path data = folder.resolve("postgres-" + names.incrementAndGet());
    EmbeddedPostgres started = EmbeddedPostgres.start(programs, data, orphanReaper, false, options);
    boolean _ = others.add(started);
    return started;
  }

  @Override
  public void close() {
    others.forEach(EmbeddedPostgres::close);
    redis.close();
    embeddedPostgres.close();
    orphanReaper.close();
  }

  /** Kills all stores: their data is not needed, so nothing is written for a next start. */
  private void abandon() {
    others.forEach(EmbeddedPostgres::stopImmediately);
    redis.close();
    embeddedPostgres.stopImmediately();
    orphanReaper.close();
  }

  private static final class SharedLocalStores {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long MEMORY_MIN = 16L << 30;
    private static final Pattern AVAILABLE = Pattern.compile("MemAvailable: *(\\d+) kB");

    static final LocalStores STORES = start();

    private static LocalStores start() {
      try {
        Path folder = Files.createTempDirectory(parent(), "convoke-test-stores");
        LocalStores localStores = new LocalStores(folder, false, List.of());
        // Thousands of files, for which this process does not wait.
        localStores.orphanReaper.deleteAtEnd(folder);
        Runtime.getRuntime().addShutdownHook(new Thread(localStores::abandon));
        return localStores;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /**
     * In memory where there is plenty, else where temporary files are: a run makes hundreds of
     * databases of 300 files, some 8 MB, each.
     */
    private static Path parent() throws IOException {
      Path meminfo = Path.of("/proc/meminfo");
      if (Files.isWritable(MEMORY)
          && Files.exists(meminfo)
          && Files.getFileStore(MEMORY).getUsableSpace() >= MEMORY_MIN / 2) {
        Matcher available = AVAILABLE.matcher(Files.readString(meminfo));
        if (available.find() && Long.parseLong(available.group(1)) << 10 >= MEMORY_MIN) {
          return MEMORY;
        }
      }
      return Path.of(System.getProperty("java.io.tmpdir"));
    }
  }
}
