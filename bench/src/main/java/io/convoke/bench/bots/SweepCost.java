package io.convoke.bench.bots;

import io.convoke.simulator.process.JavaProcess;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** What a sweep reads of a table in which nearly everything is over, by Postgres' own count. */
final class SweepCost {
  private static final Duration INTERVAL = Duration.ofSeconds(4);
  private static final Duration WAIT_MAX = Duration.ofMinutes(2);

  private final BotsTestEnvironment botsTestEnvironment;

  SweepCost(BotsTestEnvironment botsTestEnvironment) {
    this.botsTestEnvironment = botsTestEnvironment;
  }

  /**
   * Read by one sweep, tables and indexes of {@code meetings} together.
   *
   * @param rows fetched from the table
   * @param scanned rows read by scans of the whole table
   * @param blocks touched, in memory or not
   */
  record SweepReads(double rows, double scanned, double blocks) {}

  private record TableReads(long sweeps, long rows, long scanned, long blocks) {}

  /** Sweeps with nothing to do, and then as many again after so many bots have fallen silent. */
  Map<String, SweepReads> measure(int sweeps, int due) throws SQLException {
    // The lease of a server that is gone would be waited for.
    botsTestEnvironment.run("delete from convoke.bot_sweep");
    try (JavaProcess _ =
        botsTestEnvironment.startServer(
            "sweeper",
            "api,bots",
            Map.of(
                "CONVOKE_BOTS_SWEEP_INTERVAL",
                INTERVAL.toMillis() + "ms",
                "CONVOKE_BOTS_HEARTBEAT_TIMEOUT",
                "1h"))) {
      // The first of them also settle what the start left behind.
      int _ = pass(3);
      SweepReads quiet = read(sweeps);
      botsTestEnvironment.run(
          """
          update convoke.meetings set updated_at = now() - interval '2 hours' where id in (
            select id from convoke.meetings where status = 'active' order by id limit %d)
          """
              .formatted(due));
      botsTestEnvironment.run("update convoke.bot_sweep set up_since = now() - interval '1 day'");
      SweepReads ending = read(2);
      long left =
          botsTestEnvironment.number(
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

  /** A sweep's look at the due rows as Postgres plans it. */
  long tableBlocks() throws SQLException {
    return botsTestEnvironment.number("select pg_relation_size('convoke.meetings') / 8192");
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
    // A connection tells what it did when it has been quiet for a second or two.
    LockSupport.parkNanos(INTERVAL.dividedBy(2).toNanos());
    return passed;
  }

  private long sweptAt() throws SQLException {
    return botsTestEnvironment.number(
        "select coalesce(max(extract(epoch from swept_at) * 1000)::bigint, 0) from"
            + " convoke.bot_sweep");
  }

  private TableReads stand() throws SQLException {
    return new TableReads(
        sweptAt(),
        botsTestEnvironment.number(
            "select idx_tup_fetch + seq_tup_read from pg_stat_user_tables where relname ="
                + " 'meetings'"),
        botsTestEnvironment.number(
            "select seq_tup_read from pg_stat_user_tables where relname = 'meetings'"),
        botsTestEnvironment.number(
            """
            select heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit
            from pg_statio_user_tables where relname = 'meetings'
            """));
  }
}
