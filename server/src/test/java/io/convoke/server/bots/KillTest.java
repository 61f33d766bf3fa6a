package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A stop with {@code kill}: the server does not wait for a bot that ignores signals. */
class KillTest {
  private final FakeLauncher launcher = new FakeLauncher();
  private final BotsTestServer testServer = BotsTestServer.open(launcher);
  private final long user = testServer.user(Optional.empty());

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void aDeafBotIsEndedAtOnceAndItsRowFollowsTheProcess() throws Exception {
    long meeting = active("deaf");
    testServer.bots.start();
    try (var moves = testServer.moves()) {
      testServer
          .user(user, "POST", "/bots/stop", Map.of("meeting_id", meeting, "kill", true))
          .expect(202);
      Meeting _ = moves.await(it -> it.id() == meeting, BotsTestServer.SOON);
    }
    assertThat(launcher.stops).containsExactly(testServer.row(meeting).containerName());
    assertThat(launcher.alive).isEmpty();
    assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("stop_unheeded");
    assertThat(testServer.outcome(meeting).path("attribution").asString()).isEqualTo("user");
  }

  @Test
  void theListHasLiveBotsOnlyIfAskedAndTheCommandsOfEach() throws Exception {
    long one = active("one");
    long two = active("two");
    testServer.user(user, "POST", "/bots/stop", Map.of("meeting_id", one)).expect(202);
    testServer
        .callback(testServer.configOf(two), "exited", Map.of("exit_code", 0, "reason", "left"))
        .expect(200);
    JsonNode all = testServer.get(user, "/bots/status").expect(200).json().path("items");
    assertThat(all).hasSize(2);
    JsonNode live = testServer.get(user, "/bots/status?live=true").expect(200).json().path("items");
    assertThat(live).hasSize(1);
    assertThat(live.path(0).path("meeting_id").asLong()).isEqualTo(one);
    assertThat(live.path(0).path("pending_commands").findValuesAsString("action"))
        .containsExactly("leave");
  }

  private long active(String room) throws Exception {
    long meeting = testServer.start(user, room).expect(201).json().path("id").asLong();
    BotRow row = testServer.row(meeting);
    String handle =
        launcher.launch(new LaunchSpec(meeting, 1, "connection", row.containerName(), "{}"));
    var _ = new BotStore(testServer.database).launched(row, handle);
    testServer.started(testServer.configOf(meeting)).expect(200);
    testServer.callback(testServer.configOf(meeting), "joined", Map.of()).expect(200);
    return meeting;
  }
}
