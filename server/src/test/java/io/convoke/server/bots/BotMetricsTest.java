package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.BotConfig;
import io.convoke.server.launch.LaunchSpec;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The metrics of bots. */
class BotMetricsTest {
  private final FakeLauncher launcher = new FakeLauncher();
  private final BotsTestServer house = BotsTestServer.open(launcher);
  private final long user = house.user(Optional.empty());

  @AfterEach
  void close() {
    house.close();
  }

  @Test
  void theFleetIsCountedByStateAndByTheLongestOverdue() throws Exception {
    assertThat(metrics()).contains("convoke_bots_live{status=\"active\"} 0.0");
    assertThat(metrics()).contains("convoke_bots_overdue_seconds 0.0");
    long reserved = house.start(user, "a").expect(201).json().path("id").asLong();
    long active = active("b");
    house.age(active, Duration.ofMinutes(3));
    await("convoke_bots_live{status=\"reserved\"} 1.0");
    await("convoke_bots_live{status=\"active\"} 1.0");
    assertThat(overdue()).isBetween(60.0, 80.0);
    assertThat(house.row(reserved).handle()).isEmpty();
  }

  @Test
  void launchesEndsHeartbeatsAndSweepsAreCounted() throws Exception {
    long one = active("a");
    house.callback(house.configOf(one), "heartbeat", Map.of()).expect(200);
    house.callback(house.configOf(one), "exited", Map.of("exit_code", 3, "reason", "my own word"));
    long silent = active("b");
    house.upForEver();
    house.age(silent, Duration.ofMinutes(5));
    assertThat(house.bots.sweeper().sweep().ended()).isEqualTo(1);
    launcher.failing = true;
    long failed = house.start(user, "c").expect(201).json().path("id").asLong();
    var handled = house.bots.launching().handled().observe();
    house.bots.launching().wake(failed);
    var _ = handled.await(id -> id == failed, BotsTestServer.SOON);

    assertThat(metrics())
        .contains(ended("us", "other"), ended("us", "heartbeat_lost"), ended("us", "start_failed"))
        .contains("convoke_bots_launches_total{outcome=\"failed\"} 1.0")
        .contains("convoke_bots_sweeps_total 1.0", "convoke_bots_sweep_ended_total 1.0")
        .contains("convoke_bots_sweep_capped_total 0.0")
        .contains("convoke_bots_heartbeat_lag_seconds_count 1")
        .contains("convoke_bots_heartbeat_batch_count 1");
  }

  private static String ended(String attribution, String reason) {
    return "convoke_bots_ended_total{attribution=\"%s\",reason=\"%s\",status=\"failed\"} 1.0"
        .formatted(attribution, reason);
  }

  private String metrics() {
    return house.meters.scrape();
  }

  /** A reading is cached for a second. */
  private void await(String line) {
    long deadline = System.nanoTime() + BotsTestServer.SOON.toNanos();
    while (!metrics().contains(line)) {
      assertThat(System.nanoTime() - deadline).as(line).isNegative();
    }
  }

  private double overdue() {
    String name = "convoke_bots_overdue_seconds ";
    return metrics()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
        .findFirst()
        .orElseThrow();
  }

  private long active(String room) throws Exception {
    long meeting = house.start(user, room).expect(201).json().path("id").asLong();
    BotRow row = house.row(meeting);
    String handle =
        launcher.launch(new LaunchSpec(meeting, 1, "connection", row.containerName(), "{}"));
    var _ = new BotStore(house.database).launched(row, handle);
    BotConfig bot = house.configOf(meeting);
    house.started(bot).expect(200);
    house.callback(bot, "joined", Map.of()).expect(200);
    return meeting;
  }
}
