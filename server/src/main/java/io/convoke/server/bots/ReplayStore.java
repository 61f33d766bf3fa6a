package io.convoke.server.bots;

import io.convoke.engine.sql.Tx;
import io.convoke.server.meetings.MeetingStatusChange;
import java.util.Collection;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Reads for a replay, in pages of one snapshot. */
final class ReplayStore {
  /** Events, and rows, of one read. */
  static final int PAGE = 2_000;

  private ReplayStore() {}

  /** A row of the journal that the replay reads. */
  record ReplayLine(long seq, String type, JsonNode data) {}

  /** Fixes the snapshot of the transaction. */
  static void snapshot(Tx tx) {
    int _ = tx.sql("set transaction isolation level repeatable read, read only").update();
  }

  /** Moves and commands after a sequence. */
  static List<ReplayLine> lines(Tx tx, long after) {
    return tx.sql(
            """
            select seq, type, data from events
            where seq > ? and type in (?, ?) order by seq limit ?
            """)
        .with(after, MeetingStatusChange.TYPE, BotCommandQueue.SENT, PAGE)
        .list(
            resultRow ->
                new ReplayLine(
                    resultRow.longAt("seq"), resultRow.text("type"), resultRow.json("data")));
  }

  static List<BotRow> rows(Tx tx, Collection<Long> meetings) {
    return tx.sql("select " + BotRow.COLUMNS + " from meetings where not tracked and id = any(?)")
        .with((Object) meetings.toArray(Long[]::new))
        .list(BotRow::of);
  }

  /** A bot's row, and whether the journal has its start. */
  record BotOrigin(long meetingId, boolean ours, boolean journaled) {}

  /** Bots' rows after an id. Rows of an adopted database began elsewhere. */
  static List<BotOrigin> origins(Tx tx, long after) {
    return tx.sql(
            """
            select m.id, not m.adopted as ours, exists (
              select from events e where e.subject = 'meeting:' || m.id and e.type = ?
                and e.data ->> 'from' is null) as told
            from meetings m where m.id > ? and not m.tracked order by m.id limit ?
            """)
        .with(MeetingStatusChange.TYPE, after, PAGE)
        .list(
            resultRow ->
                new BotOrigin(
                    resultRow.longAt("id"),
                    resultRow.booleanAt("ours"),
                    resultRow.booleanAt("told")));
  }
}
