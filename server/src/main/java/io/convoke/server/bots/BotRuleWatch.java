package io.convoke.server.bots;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.bots.BotRulesConfig.NoProgressAction;
import io.convoke.server.meetings.MeetingStatusChange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntUnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks bots to leave that have broken a rule of the server, with each sweep. A bot then has the
 * time of a stop to leave; the sweep ends one that does not. For what a bot fails to report, one
 * sweep asks a bounded number: if more are due, their reports may be what is broken. A lifetime is
 * no report, and has no such bound.
 */
final class BotRuleWatch {
  /** Event type: what a bot reports to have heard does not grow. */
  static final String NO_PROGRESS = "bot.no_progress";

  private static final Logger log = LoggerFactory.getLogger(BotRuleWatch.class);
  private static final int AT_ONCE = 500;

  private final Database database;
  private final Journal journal;
  private final BotCommandQueue commands;
  private final BotRulesConfig terms;
  private final BotRuleCheck check;

  BotRuleWatch(Database database, Journal journal, BotCommandQueue commands, BotRulesConfig terms) {
    this.database = database;
    this.journal = journal;
    this.commands = commands;
    this.terms = terms;
    this.check = new BotRuleCheck(terms);
  }

  /**
   * Checks all bots once; true if more were to be asked to leave than may be.
   *
   * @param cap how many may be asked when so many are due
   */
  boolean enforce(Instant upSince, IntUnaryOperator cap) {
    List<Long> suspects = database.read(tx -> suspects(tx, upSince));
    if (suspects.isEmpty()) {
      return false;
    }
    int most = cap.applyAsInt(suspects.size());
    return database.transaction(tx -> enforce(tx, suspects, upSince, most));
  }

  private boolean enforce(Tx tx, List<Long> suspects, Instant upSince, int most) {
    Instant now = tx.sql("select now() as now").one(resultRow -> resultRow.instant("now"));
    Map<Long, String> reasons = new LinkedHashMap<>();
    List<BotRow> stalled = new ArrayList<>();
    int unheard = 0;
    for (BotRow row : BotStore.lockFree(tx, suspects)) {
      Optional<BotRule> rule = check.broken(row, now, upSince);
      if (rule.isPresent()) {
        boolean warns =
            rule.get() == BotRule.NO_PROGRESS && terms.noProgress() == NoProgressAction.WARN;
        if (rule.get() == BotRule.NO_PROGRESS && row.progress().stalledAt().isEmpty()) {
          stalled.add(row);
        }
        boolean capped = false;
        if (!warns && rule.get() != BotRule.MAX_LIFETIME) {
          unheard++;
          capped = unheard > most;
        }
        if (!warns && !capped) {
          reasons.put(row.id(), rule.get().reason());
        }
      }
    }
    if (!stalled.isEmpty()) {
      warn(tx, stalled);
    }
    if (!reasons.isEmpty()) {
      commands.send(
          tx,
          BotStore.requestEnd(tx, reasons),
          "leave",
          row -> Map.of("meeting_id", row.id(), BotCommandQueue.RULE, reasons.get(row.id())),
          "rule");
      tx.afterCommit(() -> log.info("bots asked to leave by rules: {}", reasons));
    }
    if (unheard > most) {
      tx.afterCommit(
          () ->
              log.error(
                  "more than {} bots are to leave at once for what they do not report; the rest"
                      + " waits for the next sweeps. Do reports reach us?",
                  most));
    }
    return unheard > most;
  }

  private void warn(Tx tx, List<BotRow> stalled) {
    BotStore.stalled(tx, stalled.stream().map(BotRow::id).toList());
    journal.append(tx, stalled.stream().map(BotRuleWatch::event).toList());
    tx.afterCommit(
        () ->
            log.warn(
                "bots whose reported audio has not grown, as meeting ids: {}",
                stalled.stream().map(BotRow::id).toList()));
  }

  private static NewJournalEvent event(BotRow row) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("meeting_id", row.id());
    data.put("user_id", row.meeting().userId());
    data.put("attempt", row.attempt());
    row.progress().changedAt().ifPresent(at -> data.put("since", at));
    row.progress().report().ifPresent(report -> data.put("progress", report));
    return NewJournalEvent.of(
        NO_PROGRESS,
        MeetingStatusChange.subject(row.id()),
        Optional.of(row.meeting().userId()),
        data);
  }

  /**
   * Rows that may have broken a rule, the longest running first, by the same times as {@link
   * BotRuleCheck}. It reads each live bot once, by the index of live bots, and none that ended.
   */
  private List<Long> suspects(Tx tx, Instant upSince) {
    return tx.sql(
            """
            select id from meetings
            where not tracked and status in ('starting', 'active') and desired = 'run'
              and end_requested_at is null
              and (start_time < now() - coalesce(max_lifetime_ms, ?) * interval '1 ms'
                or (status = 'active' and silence_timeout_ms is not null
                  and greatest(admitted_at, spoke_at, ?)
                    < now() - silence_timeout_ms * interval '1 ms')
                or (status = 'active' and ? and (stalled_at is null or ?)
                  and greatest(progressed_at, admitted_at, ?) < now() - ? * interval '1 ms'
                  and progressed_at is not null))
            order by start_time, id limit ?
            """)
        .with(
            terms.maxLifetime(),
            upSince,
            terms.noProgress() != NoProgressAction.OFF,
            terms.noProgress() == NoProgressAction.END,
            upSince,
            terms.noProgressAfter(),
            AT_ONCE)
        .list(resultRow -> resultRow.longAt("id"));
  }
}
