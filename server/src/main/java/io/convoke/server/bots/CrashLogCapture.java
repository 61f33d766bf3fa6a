package io.convoke.server.bots;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.sql.Tx;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.Launcher.BotExitDetails;
import io.convoke.server.meetings.MeetingStatusChange;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the last output of a failed bot on its meeting's timeline, as one {@code bot.log} event
 * for each attempt, from the node that notices the exit first. Tokens, passwords in URLs and the
 * meeting's passcode are redacted.
 */
final class CrashLogCapture {
  private static final Logger log = LoggerFactory.getLogger(CrashLogCapture.class);
  private static final Pattern TOKEN = Pattern.compile("cvb_[A-Za-z0-9_-]+");
  private static final Pattern CREDENTIALS = Pattern.compile("://[^/@\\s]*@");
  private static final String STRUCK = "***";

  private final Database database;
  private final Journal journal;
  private final Launcher launcher;
  private final Sealer sealer;

  CrashLogCapture(Database database, Journal journal, Launcher launcher, Sealer sealer) {
    this.database = database;
    this.journal = journal;
    this.launcher = launcher;
    this.sealer = sealer;
  }

  /**
   * Stores the last output of a bot unless it exited with 0; returns the reason of its exit, where
   * known.
   *
   * @param handle from the exit; a bot may exit before the row has its handle
   */
  Optional<String> of(BotRow row, String handle, Optional<Integer> exitCode) {
    if (exitCode.filter(code -> code == 0).isPresent()) {
      return Optional.empty();
    }
    BotExitDetails botExitDetails = launcher.remains(handle);
    if (botExitDetails.reason().isPresent() || !botExitDetails.lastLines().isEmpty()) {
      try {
        database.transaction(
            tx -> {
              append(tx, row, exitCode, botExitDetails);
              return true;
            });
      } catch (StoreUnavailable e) {
        log.warn(
            "the last output of the bot of meeting {} is not stored: {}", row.id(), e.getMessage());
      }
    }
    return botExitDetails.reason();
  }

  private void append(
      Tx tx, BotRow row, Optional<Integer> exitCode, BotExitDetails botExitDetails) {
    Optional<BotRow> locked = BotStore.lock(tx, row.id());
    if (locked.isEmpty() || known(tx, row)) {
      return;
    }
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("meeting_id", row.id());
    data.put("attempt", row.attempt());
    data.put("exit_code", exitCode.orElse(null));
    data.put("reason", botExitDetails.reason().orElse(null));
    data.put("lines", struck(row, botExitDetails.lastLines()));
    journal.append(
        tx,
        List.of(
            NewJournalEvent.of(
                "bot.log",
                MeetingStatusChange.subject(row.id()),
                Optional.of(row.meeting().userId()),
                data)));
  }

  private static boolean known(Tx tx, BotRow row) {
    return tx.sql(
            """
            select true as known from events
            where subject = ? and type = 'bot.log' and (data ->> 'attempt')::int = ? limit 1
            """)
        .with(MeetingStatusChange.subject(row.id()), row.attempt())
        .first(found -> found.booleanAt("known"))
        .isPresent();
  }

  private List<String> struck(BotRow row, List<String> lines) {
    Optional<String> passcode = row.spec().passcode().map(sealer::open);
    return lines.stream()
        .map(line -> TOKEN.matcher(line).replaceAll(STRUCK))
        .map(line -> CREDENTIALS.matcher(line).replaceAll("://" + STRUCK + "@"))
        .map(line -> passcode.map(secret -> line.replace(secret, STRUCK)).orElse(line))
        .toList();
  }
}
