package io.convoke.server.bots;

import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.bots.BotReplayState.MoveReplay;
import io.convoke.server.meetings.MeetingStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

/**
 * Replays the journal of every bot through the reducer and compares the result with the rows, field
 * by field. It reads one snapshot, so it may run beside working servers. In memory are the bots
 * that are live at that place of the journal and one page of ended ones, however long the journal
 * is.
 */
public final class BotReplay {
  private final Tx tx;
  private final Consumer<String> report;
  private final Map<Long, BotReplayState> living = new HashMap<>();
  private final Map<Long, BotReplayState> ended = new LinkedHashMap<>();

  /** Transitions of bots whose start is not in the journal; compared with their rows later. */
  private final Map<Long, Long> strangers = new LinkedHashMap<>();

  /** Reported once per bot: transitions after a wrong one carry no information. */
  private final Set<Long> given = new HashSet<>();

  private long events;
  private long moves;
  private long meetings;
  private long differences;

  private BotReplay(Tx tx, Consumer<String> report) {
    this.tx = tx;
    this.report = report;
  }

  /**
   * The result of a replay.
   *
   * @param events of the journal that were read
   * @param meetings bots replayed from their start
   * @param adopted bots of an imported database, whose start is not in the journal
   * @param differences between journal and rows
   */
  public record ReplayResult(
      long events, long moves, long meetings, long adopted, long differences) {}

  /** Replays everything; each difference is printed as one line. */
  public static ReplayResult run(Database database, Consumer<String> report) {
    return database.transaction(
        tx -> {
          ReplayStore.snapshot(tx);
          return new BotReplay(tx, report).all();
        });
  }

  private ReplayResult all() {
    long after = 0;
    List<ReplayStore.ReplayLine> lines;
    do {
      lines = ReplayStore.lines(tx, after);
      for (ReplayStore.ReplayLine replayLine : lines) {
        after = replayLine.seq();
        events++;
        read(replayLine);
      }
      if (ended.size() >= ReplayStore.PAGE) {
        compare(ended);
      }
    } while (!lines.isEmpty());
    compare(ended);
    compareLiving();
    return new ReplayResult(events, moves, meetings, rowsWithoutBeginning(), differences);
  }

  private void read(ReplayStore.ReplayLine replayLine) {
    long meeting = replayLine.data().path("meeting_id").asLong();
    if (replayLine.type().equals(BotCommandQueue.SENT)) {
      if (replayLine.data().path("action").asString("").equals("leave")
          && !replayLine.data().has(BotCommandQueue.RULE)) {
        living.computeIfPresent(meeting, (id, life) -> life.stopWanted());
      }
    } else if (replayLine.data().path("evidence").isObject()) {
      moves++;
      move(meeting, replayLine);
    }
  }

  private void move(long meeting, ReplayStore.ReplayLine replayLine) {
    JsonNode data = replayLine.data();
    if (data.path("from").isNull()) {
      meetings++;
      BotReplayState again = living.put(meeting, BotReplayState.reserved(attempt(data), at(data)));
      if (again != null || ended.containsKey(meeting)) {
        differ(meeting, "event " + replayLine.seq() + " begins it a second time");
      }
      return;
    }
    BotReplayState life = living.get(meeting);
    if (life == null) {
      if (ended.containsKey(meeting)) {
        differ(meeting, "event " + replayLine.seq() + " moves it after its end");
      } else if (!given.contains(meeting)) {
        strangers.put(meeting, replayLine.seq());
      }
      return;
    }
    BotReplayState.JournalMove journalMove =
        new BotReplayState.JournalMove(
            MeetingStatus.of(data.path("from").asString()),
            MeetingStatus.of(data.path("to").asString()),
            data.path("reason").asString(""),
            TransitionCause.event(data.path("event").asString(""), data.path("evidence")),
            attempt(data),
            at(data));
    switch (life.after(journalMove)) {
      case MoveReplay.MoveConfirmed(BotReplayState next) when next.state().status().terminal() -> {
        living.remove(meeting);
        ended.put(meeting, next);
      }
      case MoveReplay.MoveConfirmed(BotReplayState next) -> living.put(meeting, next);
      case MoveReplay.MoveDiffers(String why) -> {
        living.remove(meeting);
        given.add(meeting);
        differ(meeting, "event " + replayLine.seq() + " " + why);
      }
    }
  }

  private void compareLiving() {
    Map<Long, BotReplayState> page = new LinkedHashMap<>();
    for (Map.Entry<Long, BotReplayState> entry : living.entrySet()) {
      page.put(entry.getKey(), entry.getValue());
      if (page.size() == ReplayStore.PAGE) {
        compare(page);
      }
    }
    compare(page);
  }

  /** Compares replayed states with their rows and drops them. */
  private void compare(Map<Long, BotReplayState> lives) {
    Map<Long, BotRow> rows = new HashMap<>();
    if (!lives.isEmpty()) {
      ReplayStore.rows(tx, lives.keySet()).forEach(row -> rows.put(row.id(), row));
    }
    lives.forEach(
        (meeting, life) ->
            Optional.ofNullable(rows.get(meeting))
                .ifPresentOrElse(
                    row ->
                        fields(life, row)
                            .forEach(replayedField -> replayedField.check(this, meeting)),
                    () -> differ(meeting, "is in the journal and not in the table")));
    lives.clear();
  }

  /** A value that journal and row share. */
  private record ReplayedField(String name, Object row, Object journal) {
    void check(BotReplay botReplay, long meeting) {
      if (!row.equals(journal)) {
        botReplay.differ(
            meeting,
            "%s is %s in the table, %s by the journal".formatted(name, text(row), text(journal)));
      }
    }

    private static String text(Object value) {
      return value instanceof Optional<?> maybe
          ? maybe.map(Object::toString).orElse("nothing")
          : value.toString();
    }
  }

  private static List<ReplayedField> fields(BotReplayState life, BotRow row) {
    List<ReplayedField> fields = new ArrayList<>();
    fields.add(
        new ReplayedField("status", row.status().wireName(), life.state().status().wireName()));
    fields.add(new ReplayedField("attempt", row.attempt(), life.attempt()));
    fields.add(new ReplayedField("version", row.version(), life.moves()));
    fields.add(new ReplayedField("stop wanted", row.stopRequested(), life.state().stopRequested()));
    fields.add(
        new ReplayedField("state_entered_at", millis(row.stateEnteredAt()), life.enteredAt()));
    fields.add(
        new ReplayedField(
            "start_time", row.meeting().startTime().map(BotReplay::millis), life.startTime()));
    fields.add(
        new ReplayedField(
            "admitted_at", row.admittedAt().map(BotReplay::millis), life.admittedAt()));
    fields.add(
        new ReplayedField(
            "end_time", row.meeting().endTime().map(BotReplay::millis), life.endTime()));
    fields.add(new ReplayedField("outcome", row.state().outcome(), life.state().outcome()));
    return fields;
  }

  /** Rows without a start in the journal; imported ones are counted, others are differences. */
  private long rowsWithoutBeginning() {
    long adopted = 0;
    long after = 0;
    List<ReplayStore.BotOrigin> page;
    do {
      page = ReplayStore.origins(tx, after);
      for (ReplayStore.BotOrigin row : page) {
        after = row.meetingId();
        Optional<Long> moved = Optional.ofNullable(strangers.remove(row.meetingId()));
        if (!row.ours()) {
          adopted++;
        } else if (!row.journaled()) {
          differ(row.meetingId(), "is in the table, but its start is not in the journal");
        } else {
          moved.ifPresent(
              seq -> differ(row.meetingId(), "event " + seq + " moves it after its end"));
        }
      }
    } while (!page.isEmpty());
    strangers.forEach(
        (meeting, seq) -> differ(meeting, "event " + seq + " moves it, and it is in no table"));
    return adopted;
  }

  private void differ(long meeting, String what) {
    differences++;
    report.accept("meeting " + meeting + ": " + what);
  }

  private static int attempt(JsonNode data) {
    return data.path("attempt").asInt();
  }

  private static Instant at(JsonNode data) {
    return Instant.parse(data.path("at").asString(Json.time(Instant.EPOCH)));
  }

  private static Instant millis(Instant time) {
    return time.truncatedTo(ChronoUnit.MILLIS);
  }
}
