package io.convoke.bench.bots;

import io.convoke.bench.BenchEnvironment;
import io.convoke.bench.load.ServerCandidate;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** The reads of a sweep over a table of mostly ended bots, by Postgres' statistics. */
final class SweepCost {
  private static final Duration INTERVAL = Duration.ofSeconds(4);
  private static final Duration WAIT_MAX = Duration.ofMinutes(2);

  private final BenchEnvironment environment;

  SweepCost(BenchEnvironment environment) {
    this.environment = environment;
  }

  /**
   * Read by one sweep, tables and indexes of {@code meetings} together.
   *
   * @param rows fetched from the table
   * @param scanned rows read by scans of the whole table
   * @param blocks touched, in memory or not
   */
  record SweepReads(double rows, double scanned, double blocks) {}

  private record TableReads(long rows, long scanned, long blocks) {}

  /** Sweeps with nothing to do, and then as many again after so many bots have fallen silent. */
  Map<String, SweepReads> measure(int sweeps, int due) throws SQLException {
    // A sweep would wait for the lease of the stopped server.
    environment.run("delete from convoke.bot_sweep");
    try (ServerCandidate _ =
        environment.startServer(
            "sweeper",
            "api,bots",
            Map.of(
                "CONVOKE_BOTS_SWEEP_INTERVAL",
                INTERVAL.toMillis() + "ms",
                "CONVOKE_BOTS_HEARTBEAT_TIMEOUT",
                "1h"))) {
      // The first ones also handle leftovers of the start.
      int _ = pass(3);
      SweepReads quiet = read(sweeps);
      environment.run(
          """
          update convoke.meetings set updated_at = now() - interval '2 hours' where id in (
            select id from convoke.meetings where status = 'active' order by id limit %d)
          """
              .formatted(due));
      environment.run("update convoke.bot_sweep set up_since = now() - interval '1 day'");
      SweepReads ending = read(2);
      long left =
          environment.number(
              """
              select count(*) from convoke.meetings
              where status = 'active' and updated_at < now() - interval '1 hour'
              """);
      if (left > 0) {
        throw new IllegalStateException(left + " silent bots were not ended");
      }
      return Map.of("quiet", quiet, "ending", ending);
    }
  }

  /** The size of the table in blocks. */
  long tableBlocks() throws SQLException {
    return environment.number("select pg_relation_size('convoke.meetings') / 8192");
  }

  private SweepReads read(int sweeps) throws SQLException {
    TableReads before = stand();
    int passed = pass(sweeps);
    TableReads after = stand();
    return new SweepReads(
        (double) (after.rows() - before.rows()) / passed,
        (double) (after.scanned() - before.scanned()) / passed,
        (double) (after.blocks() - before.blocks()) / passed);
  }

  /** Waits for so many sweeps, and until Postgres has counted them. */
  private int pass(int sweeps) throws SQLException {
    long end = System.nanoTime() + WAIT_MAX.toNanos();
    int passed = 0;
    long last = sweptAt();
    while (passed < sweeps) {
      LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
      long now = sweptAt();
      if (now != last) {
        passed++;
        last = now;
      }
      if (System.nanoTime() > end) {
        throw new IllegalStateException(passed + " sweeps within " + WAIT_MAX);
      }
    }
    // A connection reports its statistics after a second or two without a query.
    LockSupport.parkNanos(INTERVAL.dividedBy(2).toNanos());
    return passed;
  }

  private long sweptAt() throws SQLException {
    return environment.number(
        "select coalesce(max(extract(epoch from swept_at) * 1000)::bigint, 0) from"
            + " convoke.bot_sweep");
  }

  private TableReads stand() throws SQLException {
    return new TableReads(
        environment.number(
            "select idx_tup_fetch + seq_tup_read from pg_stat_user_tables where relname ="
                + " 'meetings'"),
        environment.number(
            "select seq_tup_read from pg_stat_user_tables where relname = 'meetings'"),
        environment.number(
            """
            select heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit
            from pg_statio_user_tables where relname = 'meetings'
            """));
  }
}
