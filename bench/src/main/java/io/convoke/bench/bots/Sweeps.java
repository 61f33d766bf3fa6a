package io.convoke.bench.bots;

import io.convoke.lab.child.JavaProcess;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** What a sweep reads of a table in which nearly everything is over, by Postgres' own count. */
final class Sweeps {
  private static final Duration INTERVAL = Duration.ofSeconds(4);
  private static final Duration WAIT_MAX = Duration.ofMinutes(2);

  private final House house;

  Sweeps(House house) {
    this.house = house;
  }

  /**
   * Read by one sweep, tables and indexes of {@code meetings} together.
   *
   * @param rows fetched from the table
   * @param scanned rows read by scans of the whole table
   * @param blocks touched, in memory or not
   */
  record Read(double rows, double scanned, double blocks) {}

  private record Stand(long sweeps, long rows, long scanned, long blocks) {}

  /** Sweeps with nothing to do, and then as many again after so many bots have fallen silent. */
  Map<String, Read> measure(int sweeps, int due) throws SQLException {
    // The lease of a server that is gone would be waited for.
    house.run("delete from convoke.bot_sweep");
    try (JavaProcess _ =
        house.serve(
            "sweeper",
            "api,bots",
            Map.of(
                "CONVOKE_BOTS_SWEEP_INTERVAL",
                INTERVAL.toMillis() + "ms",
                "CONVOKE_BOTS_HEARTBEAT_TIMEOUT",
                "1h"))) {
      // The first of them also settle what the start left behind.
      int _ = pass(3);
      Read quiet = read(sweeps);
      house.run(
          """
          update convoke.meetings set updated_at = now() - interval '2 hours' where id in (
            select id from convoke.meetings where status = 'active' order by id limit %d)
          """
              .formatted(due));
      house.run("update convoke.bot_sweep set up_since = now() - interval '1 day'");
      Read ending = read(2);
      long left =
          house.number(
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
    return house.number("select pg_relation_size('convoke.meetings') / 8192");
  }

  private Read read(int sweeps) throws SQLException {
    Stand before = stand();
    int passed = pass(sweeps);
    Stand after = stand();
    return new Read(
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
    return house.number(
        "select coalesce(max(extract(epoch from swept_at) * 1000)::bigint, 0) from"
            + " convoke.bot_sweep");
  }

  private Stand stand() throws SQLException {
    return new Stand(
        sweptAt(),
        house.number(
            "select idx_tup_fetch + seq_tup_read from pg_stat_user_tables where relname ="
                + " 'meetings'"),
        house.number("select seq_tup_read from pg_stat_user_tables where relname = 'meetings'"),
        house.number(
            """
            select heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit
            from pg_statio_user_tables where relname = 'meetings'
            """));
  }
}
