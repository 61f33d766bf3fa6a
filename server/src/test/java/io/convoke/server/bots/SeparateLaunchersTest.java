package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.BotConfig;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two servers, each with a machine of its own that the other does not reach, and a silent bot of
 * the server that does not have the turn to sweep.
 */
class SeparateLaunchersTest {
  private final FakeLauncher first = new FakeLauncher("fake-first:");
  private final FakeLauncher second = new FakeLauncher("fake-second:");
  private final String database = MigratedDatabase.url();
  private final SecretBox secrets = SecretBox.of(SecretBox.newKey());
  private final BotsTestServer sweeping = node(first);
  private final BotsTestServer other = node(second);
  private long meeting;

  @BeforeEach
  void joinAMeeting() throws Exception {
    long user = other.user(Optional.empty());
    meeting = other.start(user, "standup").expect(201).json().path("id").asLong();
    BotRow row = other.row(meeting);
    String handle =
        second.launch(new LaunchSpec(meeting, 1, "connection", row.containerName(), "{}"));
    var _ = new BotStore(other.database).launched(row, handle);
    BotConfig bot = other.configOf(meeting);
    other.started(bot).expect(200);
    other.callback(bot, "joined", Map.of()).expect(200);
  }

  @AfterEach
  void close() {
    other.close();
    sweeping.close();
  }

  @Test
  void theServerWhoseLauncherRunsASilentBotEndsIt() {
    sweeping.upForEver();
    other.age(meeting, Duration.ofMinutes(3));
    for (int sweeps = 0; sweeps < 2; sweeps++) {
      assertThat(sweeping.bots.sweeper().sweep().unreachable()).isEqualTo(1);
      assertThat(leftToTheOther()).as("in the turn of the node that sweeps").isZero();
    }
    assertThat(sweeping.bots.sweeper().sweep().unreachable()).isEqualTo(1);
    assertThat(leftToTheOther()).isEqualTo(1);
    assertThat(second.stops).containsExactly(other.row(meeting).containerName());
    assertThat(other.status(meeting)).isEqualTo(MeetingStatus.FAILED);
    assertThat(other.outcome(meeting).path("reason").asString()).isEqualTo("heartbeat_lost");
  }

  @Test
  void theTimeWithoutServersDoesNotCountThereEither() {
    other.age(meeting, Duration.ofHours(1));
    for (int sweeps = 0; sweeps < 3; sweeps++) {
      assertThat(sweeping.bots.sweeper().sweep().ours()).isTrue();
      assertThat(leftToTheOther()).isZero();
    }
    assertThat(other.status(meeting)).isEqualTo(MeetingStatus.ACTIVE);
  }

  /** How many bots a sweep of the server ends that does not have the turn. */
  private int leftToTheOther() {
    BotSweeper.BotSweepResult result = other.bots.sweeper().sweep();
    assertThat(result.ours()).isFalse();
    return result.ended();
  }

  private BotsTestServer node(FakeLauncher launcher) {
    return BotsTestServer.node(
        database,
        LocalStores.forTests().redis().url(),
        secrets,
        BotsTestServer.freePort(),
        launcher,
        terms -> terms);
  }
}
