package io.convoke.server.bots;

import io.convoke.engine.sql.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What the sweeper reads: whose turn it is, and which rows are due, by {@link Deadlines} in one
 * statement.
 */
final class SweepStore {
  private final Database database;
  private final BotTerms terms;

  SweepStore(Database database, BotTerms terms) {
    this.database = database;
    this.terms = terms;
  }

  /**
   * A node's turn to sweep.
   *
   * @param upSince since when the control plane has been up: a gap since the last sweep moves it to
   *     now, so that bots are not blamed for a silence that was ours
   * @param live how many bots live: what a tenth is counted of
   */
  record Turn(Instant upSince, long live) {}

  /** Takes the sweep for this node, unless another has it. */
  Optional<Turn> take(String node) {
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
                    returning up_since, (
                      select count(*) from meetings
                      where not tracked
                        and status in ('requested', 'reserved', 'starting', 'active', 'stopping')
                    ) as live
                    """)
                .with(node, terms.sweepInterval().multipliedBy(11).dividedBy(10), longestGap())
                .first(row -> new Turn(row.instant("up_since"), row.longAt("live"))));
  }

  /** Rows past their deadline, the longest overdue first. */
  List<BotRow> due(Instant upSince, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    "select "
                        + BotRow.COLUMNS
                        + """
                         from meetings
                        where not tracked
                          and status in ('requested', 'reserved', 'starting', 'active', 'stopping')
                          and (
                            (status in ('requested', 'reserved')
                              and greatest(state_entered_at, start_at, ?) < now() - ? * interval '1 ms')
                            or (status = 'starting'
                              and greatest(state_entered_at, ?) < now() - greatest(?,
                                coalesce((bot -> 'automatic_leave' ->> 'waiting_room_timeout')::float8 * 1000, 300000)
                                + ?) * interval '1 ms')
                            or (status = 'active'
                              and greatest(updated_at, ?) < now() - ? * interval '1 ms')
                            or (status = 'stopping'
                              and greatest(state_entered_at, ?) < now() - ? * interval '1 ms')
                            or (desired = 'stop'
                              and greatest(stop_requested_at, ?) < now() - ? * interval '1 ms'))
                        order by state_entered_at, id limit ?
                        """)
                .with(
                    upSince,
                    terms.reservedTimeout(),
                    upSince,
                    terms.startingTimeout(),
                    Deadlines.LOBBY_MARGIN,
                    upSince,
                    terms.heartbeatTimeout(),
                    upSince,
                    terms.stoppingTimeout(),
                    upSince,
                    terms.stoppingTimeout(),
                    limit)
                .list(BotRow::of));
  }

  /** How long after a sweep the next may come before the time between counts as our own absence. */
  private Duration longestGap() {
    Duration unnoticed = terms.heartbeatTimeout().minus(terms.heartbeatInterval());
    Duration usual = terms.sweepInterval().multipliedBy(3).dividedBy(2);
    Duration least = terms.sweepInterval().multipliedBy(12).dividedBy(10);
    Duration gap = unnoticed.compareTo(usual) < 0 ? unnoticed : usual;
    return gap.compareTo(least) < 0 ? least : gap;
  }
}
