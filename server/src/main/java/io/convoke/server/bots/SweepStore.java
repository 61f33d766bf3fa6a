package io.convoke.server.bots;

import io.convoke.engine.sql.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The sweeper's queries: which node sweeps, and which rows are due, by {@link BotDeadlines} in one
 * statement.
 */
final class SweepStore {
  /** Tolerance for a busy machine on top of a short interval. */
  private static final Duration PAUSE_MAX = Duration.ofSeconds(2);

  private final Database database;
  private final BotsConfig terms;

  SweepStore(Database database, BotsConfig terms) {
    this.database = database;
    this.terms = terms;
  }

  /**
   * A node's turn to sweep.
   *
   * @param upSince since when the control plane has been up: a gap since the last sweep moves it to
   *     now, so that the downtime of the servers does not count against bots
   * @param idle whether no bot lives anywhere
   */
  record SweepTurn(Instant upSince, boolean idle) {}

  /** Claims the sweep for this node, unless another node has it. */
  Optional<SweepTurn> tryAcquire(String node) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    insert into bot_sweep as s (only_row, node, lease_until, swept_at, up_since)
                    values (true, ?, now() + ? * interval '1 ms', now(), now())
                    on conflict (only_row) do update set
                      node = excluded.node,
                      lease_until = excluded.lease_until,
                      swept_at = now(),
                      up_since = case when s.swept_at < now() - ? * interval '1 ms'
                                      then now() else s.up_since end
                    where s.lease_until < now() or s.node = excluded.node
                    returning up_since, not exists (
                      select from meetings
                      where not tracked
                        and status in ('requested', 'reserved', 'starting', 'active', 'stopping')
                    ) as idle
                    """)
                .with(node, terms.sweepInterval().multipliedBy(11).dividedBy(10), longestGap())
                .first(
                    resultRow ->
                        new SweepTurn(resultRow.instant("up_since"), resultRow.booleanAt("idle"))));
  }

  /** Since when the control plane has been up, by the last turn; empty before any. */
  Optional<Instant> upSince() {
    return database.read(
        tx ->
            tx.sql("select up_since from bot_sweep")
                .first(resultRow -> resultRow.instant("up_since")));
  }

  /** Records the end of this node's sweep, so that its duration does not count as downtime. */
  void ended(String node) {
    database.run(
        tx -> {
          int _ =
              tx.sql("update bot_sweep set swept_at = now() where node = ?").with(node).update();
        });
  }

  /** How many bots live. */
  long live() {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select count(*) as bots from meetings
                    where not tracked
                      and status in ('requested', 'reserved', 'starting', 'active', 'stopping')
                    """)
                .one(resultRow -> resultRow.longAt("bots")));
  }

  /**
   * Rows past their deadline, the longest overdue first. Each part reads a range of an index, and
   * nothing of a bot whose time has not come; a time before {@code upSince} does not count, so a
   * part whose time has not passed since then reads nothing at all.
   */
  List<BotRow> due(Instant upSince, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    with due as (
                      select id, state_entered_at from meetings
                      where not tracked and status in ('requested', 'reserved')
                        and state_entered_at < now() - ? * interval '1 ms'
                        and (start_at is null or start_at < now() - ? * interval '1 ms')
                        and ? < now() - ? * interval '1 ms'
                      union select id, state_entered_at from meetings
                      where not tracked and status = 'starting'
                        and state_entered_at < now() - ? * interval '1 ms'
                        and greatest(state_entered_at, ?) < now() - interval '1 ms' * case
                          when (bot -> 'automatic_leave' ->> 'waiting_room_timeout')::float8 * 1000 > ?
                          then (bot -> 'automatic_leave' ->> 'waiting_room_timeout')::float8 * 1000 + ?
                          else ? end
                      union select id, state_entered_at from meetings
                      where not tracked and status = 'active'
                        and updated_at < now() - ? * interval '1 ms'
                        and ? < now() - ? * interval '1 ms'
                      union select id, state_entered_at from meetings
                      where not tracked and status = 'stopping'
                        and state_entered_at < now() - ? * interval '1 ms'
                        and ? < now() - ? * interval '1 ms'
                      union select id, state_entered_at from meetings
                      where not tracked and desired = 'stop'
                        and status in ('requested', 'reserved', 'starting', 'active', 'stopping')
                        and stop_requested_at < now() - ? * interval '1 ms'
                        and ? < now() - ? * interval '1 ms'
                      union select id, state_entered_at from meetings
                      where not tracked and end_requested_at is not null
                        and status in ('requested', 'reserved', 'starting', 'active', 'stopping')
                        and end_requested_at < now() - ? * interval '1 ms'
                        and ? < now() - ? * interval '1 ms'
                      order by state_entered_at, id limit ?)
                    select COLUMNS from meetings where id in (select id from due)
                    order by state_entered_at, id
                    """
                        .replace("COLUMNS", BotRow.COLUMNS))
                .with(
                    terms.reservedTimeout(),
                    terms.reservedTimeout(),
                    upSince,
                    terms.reservedTimeout(),
                    terms.startingTimeout(),
                    upSince,
                    terms.startingTimeout(),
                    BotDeadlines.LOBBY_MARGIN,
                    terms.startingTimeout(),
                    terms.heartbeatTimeout(),
                    upSince,
                    terms.heartbeatTimeout(),
                    terms.stoppingTimeout(),
                    upSince,
                    terms.stoppingTimeout(),
                    terms.stoppingTimeout(),
                    upSince,
                    terms.stoppingTimeout(),
                    terms.stoppingTimeout(),
                    upSince,
                    terms.stoppingTimeout(),
                    limit)
                .list(BotRow::of));
  }

  /** Time after a sweep beyond which the gap counts as downtime of the servers. */
  private Duration longestGap() {
    Duration unnoticed = terms.heartbeatTimeout().minus(terms.heartbeatInterval());
    Duration half = terms.sweepInterval().dividedBy(2);
    Duration usual = terms.sweepInterval().plus(half.compareTo(PAUSE_MAX) > 0 ? half : PAUSE_MAX);
    Duration least = terms.sweepInterval().multipliedBy(12).dividedBy(10);
    Duration gap = unnoticed.compareTo(usual) < 0 ? unnoticed : usual;
    return gap.compareTo(least) < 0 ? least : gap;
  }
}
