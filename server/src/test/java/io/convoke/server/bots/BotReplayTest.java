package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.BotConfig;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.meetings.MeetingStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The journal alone reproduces every row; a row changed by hand is reported (bots-17). */
@Tag("nightly")
class BotReplayTest {
  private final FakeLauncher launcher = new FakeLauncher();
  private final BotsTestServer testServer = BotsTestServer.open(launcher);
  private final long user = testServer.user(Optional.empty());
  private final List<String> told = new ArrayList<>();
  private long completed;

  @AfterEach
  void close() {
    testServer.close();
  }

  /** One bot for each path through the lifecycle, and some live ones. */
  @BeforeEach
  void manyLives() throws Exception {
    completed = active("completed");
    testServer.callback(
        bot(completed), "status", Map.of("status", "stopping", "reason", "left_alone"));
    testServer.callback(bot(completed), "exited", Map.of("exit_code", 0, "reason", "left_alone"));

    long denied = starting("denied");
    testServer.callback(
        bot(denied), "exited", Map.of("exit_code", 10, "reason", "admission_denied"));

    long stopped = active("stopped");
    stop(stopped);
    stop(stopped);
    testServer.callback(bot(stopped), "status", Map.of("status", "stopping"));
    testServer.callback(bot(stopped), "exited", Map.of("exit_code", 0, "reason", "stopped"));

    long crashed = active("crashed");
    apply(crashed, new BotEvent.BotProcessEnded(Optional.of(137), Optional.of("out_of_memory")));
    long vanished = starting("vanished");
    apply(vanished, new BotEvent.BotProcessEnded(Optional.empty()));
    long cancelled = reserved("cancelled");
    stop(cancelled);
    apply(cancelled, new BotEvent.LaunchCancelled());
    long deaf = active("deaf");
    stop(deaf);
    apply(deaf, new BotEvent.BotKilled());
    long unlaunched = reserved("unlaunched");
    apply(unlaunched, new BotEvent.LaunchFailed("start_failed"));

    long silent = active("silent");
    testServer.age(silent, Duration.ofMinutes(5));
    testServer.upForEver();
    assertThat(testServer.bots.sweeper().sweep().ended()).isEqualTo(1);

    reserved("waits");
    starting("comes");
    stop(active("goes"));
    testServer.user(user, "POST", "/meetings", BotsTestServer.startBody("tracked")).expect(201);
    for (long over : List.of(completed, denied, stopped, crashed, vanished, cancelled, deaf)) {
      assertThat(testServer.status(over).terminal()).isTrue();
    }
  }

  @Test
  void theJournalReproducesEveryRow() {
    BotReplay.ReplayResult replayResult = replay();
    assertThat(told).isEmpty();
    assertThat(replayResult.meetings()).isEqualTo(12);
    assertThat(replayResult.moves()).isEqualTo(12 + 4 + 2 + 4 + 3 + 2 + 1 + 3 + 1 + 3 + 1 + 2);
    assertThat(replayResult.differences()).isZero();
  }

  @Test
  void eachFieldChangedByHandIsReported() {
    Map<String, String> touches =
        Map.of(
            "status = 'failed'", "status is failed in the table, completed by the journal",
            "attempt = 2", "attempt is 2 in the table, 1 by the journal",
            "version = 9", "version is 9 in the table, 4 by the journal",
            "stop_requested_at = now()", "stop wanted is true in the table",
            "state_entered_at = '2020-01-01Z'", "state_entered_at is 2020-01-01T00:00:00Z",
            "start_time = null", "start_time is nothing in the table",
            "admitted_at = null", "admitted_at is nothing in the table",
            "end_time = '2020-01-01Z'", "end_time is 2020-01-01T00:00:00Z in the table",
            "data = '{}'", "outcome is BotOutcome[reason=unknown");
    touches.forEach(
        (touch, difference) -> {
          String row = "select to_jsonb(m) as row from meetings m where id = ?";
          var before =
              testServer.database.read(tx -> tx.sql(row).with(completed).one(it -> it.json("row")));
          sql("update meetings set " + touch + " where id = ?", completed);
          told.clear();
          assertThat(replay().differences()).as(touch).isEqualTo(1);
          assertThat(told.getFirst()).startsWith("meeting " + completed + ": " + difference);
          int _ =
              testServer.database.read(
                  tx ->
                      tx.sql(
                              """
                              update meetings m set (status, attempt, version, stop_requested_at,
                                state_entered_at, start_time, admitted_at, end_time, data) =
                                (select o.status, o.attempt, o.version, o.stop_requested_at,
                                  o.state_entered_at, o.start_time, o.admitted_at, o.end_time, o.data
                                 from jsonb_populate_record(m, ?) o) where id = ?
                              """)
                          .with(before, completed)
                          .update());
        });
    told.clear();
    assertThat(replay().differences()).isZero();
  }

  @Test
  void aTransitionThatTheReducerRefusesIsReported() {
    sql(
        """
        update events set data = jsonb_set(data, '{evidence,exit_code}', '3')
        where subject = 'meeting:' || ? and data ->> 'to' = 'completed'
        """,
        completed);
    assertThat(replay().differences()).isEqualTo(1);
    assertThat(told.getFirst()).contains("moves it to completed (left_alone), the reducer to fail");
  }

  @Test
  void aLostEventARowWithoutEventsAndAnEventWithoutARowAreReported() {
    sql(
        "delete from events where subject = 'meeting:' || ? and data ->> 'to' = 'starting'",
        completed);
    long unknown = reserved("unknown");
    sql("delete from events where subject = 'meeting:' || ?", unknown);
    sql("update events set data = data || '{\"meeting_id\": 777}' where seq = ?", lastBeginning());
    assertThat(replay().differences()).isGreaterThanOrEqualTo(3);
    assertThat(told)
        .anyMatch(line -> line.contains("moves it from starting, it was reserved"))
        .anyMatch(line -> line.equals("meeting " + unknown + ": " + WITHOUT_BEGINNING))
        .anyMatch(line -> line.equals("meeting 777: is in the journal and not in the table"));
  }

  @Test
  void aBotOfADatabaseThatWasTakenOverIsLeftOut() {
    long adopted = reserved("adopted");
    sql("delete from events where subject = 'meeting:' || ?", adopted);
    sql("update meetings set adopted = true where id = ?", adopted);
    BotReplay.ReplayResult replayResult = replay();
    assertThat(told).isEmpty();
    assertThat(replayResult.adopted()).isEqualTo(1);
  }

  private static final String WITHOUT_BEGINNING =
      "is in the table, but its start is not in the journal";

  private BotReplay.ReplayResult replay() {
    return BotReplay.run(testServer.database, told::add);
  }

  private long lastBeginning() {
    return testServer.database.read(
        tx ->
            tx.sql(
                    """
                    select max(seq) as seq from events
                    where data ->> 'from' is null and data ->> 'to' = 'reserved'
                    """)
                .one(resultRow -> resultRow.longAt("seq")));
  }

  private void sql(String text, long id) {
    int changed = testServer.database.read(tx -> tx.sql(text).with(id).update());
    assertThat(changed).isPositive();
  }

  private void apply(long meeting, BotEvent event) {
    BotTransitions.BotTransitionResult botTransitionResult =
        testServer
            .bots
            .transitions()
            .apply(
                meeting,
                BotTransitions.TransitionGuard.launchOf(testServer.row(meeting)),
                event,
                "the scenario");
    assertThat(botTransitionResult).isInstanceOf(BotTransitions.BotTransitionResult.BotMoved.class);
  }

  private void stop(long meeting) {
    testServer.user(user, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(202);
  }

  private BotConfig bot(long meeting) {
    return testServer.configOf(meeting);
  }

  private long reserved(String room) {
    return testServer.start(user, room).expect(201).json().path("id").asLong();
  }

  private long starting(String room) throws Exception {
    long meeting = reserved(room);
    String handle =
        launcher.launch(
            new LaunchSpec(
                meeting, 1, "connection", testServer.row(meeting).containerName(), "{}"));
    var _ = new BotStore(testServer.database).launched(testServer.row(meeting), handle);
    testServer.started(bot(meeting)).expect(200);
    return meeting;
  }

  private long active(String room) throws Exception {
    long meeting = starting(room);
    testServer.callback(bot(meeting), "joined", Map.of()).expect(200);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.ACTIVE);
    return meeting;
  }
}
