package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.BotConfig;
import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.meetings.MeetingStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Rows of bots whose host is gone for good: ended by an operator, or after a bound. */
class AbandonTest {
  private static final List<String> ADMIN = List.of("X-Admin-API-Key", "the-admin-key");

  private final FakeLauncher launcher = new FakeLauncher();
  private final BotsTestServer testServer = BotsTestServer.open(launcher);
  private final long user = testServer.user(Optional.of(1));

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void anOperatorEndsTheRowOfALostBotAndTheBotThatComesBackHears410() throws Exception {
    long meeting = active("lost");
    BotConfig bot = testServer.configOf(meeting);
    launcher.unreachable = true;
    testServer.start(user, "other").expect(429);
    testServer.user(user, "POST", "/bots/" + meeting + "/abandon", Map.of()).expect(403);
    JsonNode status = abandon(meeting).expect(200).json();
    assertThat(status.path("status").asString("")).isEqualTo("failed");
    assertThat(testServer.outcome(meeting).path("reason").asString("")).isEqualTo("host_lost");
    assertThat(testServer.outcome(meeting).path("attribution").asString("")).isEqualTo("us");
    // Its place and its meeting are free, and work after the meeting does not wait for the host.
    testServer.start(user, "lost").expect(201);
    assertThat(testServer.bots.remove(meeting)).isEqualTo("abandoned");

    testServer.callback(bot, "heartbeat", Map.of()).expect(410);
    launcher.unreachable = false;
    assertThat(abandon(meeting).expect(200).json().path("status").asString("")).isEqualTo("failed");
    abandon(999_999).expect(404);
  }

  /** A bot whose host is lost has no exit code, and its outcome says so with null. */
  @Test
  void dataOfAUserReplacesWhatTheyStoredAndNoneOfTheOutcome() throws Exception {
    long meeting = active("noted");
    String path = "/meetings/" + meeting;
    abandon(meeting).expect(200);
    JsonNode outcome = testServer.outcome(meeting);
    Map<String, ?> mine = Map.of("data", Map.of("title", "Stand-up", "outcome", "mine"));
    JsonNode shown = testServer.user(user, "PATCH", path, mine).expect(200).json().path("data");
    assertThat(shown.path("title").asString("")).isEqualTo("Stand-up");
    assertThat(shown.path("outcome")).isEqualTo(outcome);
    assertThat(outcome.properties()).anyMatch(field -> field.getValue().isNull());
  }

  @Test
  void aBotOutOfItsLaunchersReachIsGivenUpAfterTheBoundAndNotBefore() throws Exception {
    long meeting = active("far");
    launcher.unreachable = true;
    testServer.upForEver();
    testServer.age(meeting, Duration.ofHours(6));
    assertThat(testServer.bots.sweeper().sweep().unreachable()).isEqualTo(1);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.ACTIVE);
    testServer.age(meeting, Duration.ofMinutes(3));
    assertThat(testServer.bots.sweeper().sweep().ended()).isEqualTo(1);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString("")).isEqualTo("host_lost");
  }

  @Test
  void ourOwnAbsenceDoesNotCountForGivingABotUp() throws Exception {
    long meeting = active("absent");
    launcher.unreachable = true;
    testServer.upForEver();
    testServer.age(meeting, Duration.ofHours(7));
    int _ =
        testServer.database.read(
            tx -> tx.sql("update bot_sweep set up_since = now() - interval '10 minutes'").update());
    assertThat(testServer.bots.sweeper().sweep().unreachable()).isEqualTo(1);
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.ACTIVE);
    testServer.upForEver();
    assertThat(testServer.bots.sweeper().sweep().ended()).isEqualTo(1);
  }

  @Test
  void aLaunchThatMayLackAPartIsRepeatedAndItsHandleIsNotTakenFromAListing() throws Exception {
    long meeting = testServer.start(user, "half").expect(201).json().path("id").asLong();
    BotRow row = testServer.row(meeting);
    String _ = launcher.launch(new LaunchSpec(meeting, 1, "connection", row.containerName(), "{}"));
    launcher.unfinished.add(row.containerName());
    // The sweep also repeats the launch, at the same time: only listings are looked at here.
    launcher.noLaunches = true;
    var _ = testServer.bots.sweeper().sweep();
    assertThat(testServer.row(meeting).handle()).isEmpty();
    launcher.unfinished.clear();
    var _ = testServer.bots.sweeper().sweep();
    assertThat(testServer.row(meeting).handle()).isPresent();
  }

  private BotsTestServer.Answered abandon(long meeting) {
    return testServer.call("POST", "/bots/" + meeting + "/abandon", ADMIN, Map.of());
  }

  private long active(String room) throws LaunchException {
    long meeting = testServer.start(user, room).expect(201).json().path("id").asLong();
    BotRow row = testServer.row(meeting);
    String handle =
        launcher.launch(new LaunchSpec(meeting, 1, "connection", row.containerName(), "{}"));
    var _ = new BotStore(testServer.database).launched(row, handle);
    BotConfig bot = testServer.configOf(meeting);
    testServer.started(bot).expect(200);
    testServer.callback(bot, "joined", Map.of()).expect(200);
    return meeting;
  }
}
