package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.BotConfig;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.Migrations;
import io.convoke.server.launch.LaunchSpec;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The metrics of bots. */
class BotMetricsTest {
  private final FakeLauncher launcher = new FakeLauncher();
  private final BotsTestServer testServer = BotsTestServer.open(launcher);
  private final long user = testServer.user(Optional.empty());

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void theFleetIsCountedByStateAndByTheLongestOverdue() throws Exception {
    assertThat(metrics()).contains("convoke_bots_live{status=\"active\"} 0.0");
    assertThat(metrics()).contains("convoke_bots_overdue_seconds 0.0");
    long reserved = testServer.start(user, "a").expect(201).json().path("id").asLong();
    long active = active("b");
    testServer.age(active, Duration.ofMinutes(3));
    await("convoke_bots_live{status=\"reserved\"} 1.0");
    await("convoke_bots_live{status=\"active\"} 1.0");
    assertThat(overdue()).isBetween(60.0, 80.0);
    assertThat(testServer.row(reserved).handle()).isEmpty();
  }

  @Test
  void launchesEndsHeartbeatsAndSweepsAreCounted() throws Exception {
    long one = active("a");
    testServer.callback(testServer.configOf(one), "heartbeat", Map.of()).expect(200);
    testServer.callback(
        testServer.configOf(one), "exited", Map.of("exit_code", 3, "reason", "my own word"));
    long silent = active("b");
    testServer.upForEver();
    testServer.age(silent, Duration.ofMinutes(5));
    assertThat(testServer.bots.sweeper().sweep().ended()).isEqualTo(1);
    launcher.failing = true;
    long failed = testServer.start(user, "c").expect(201).json().path("id").asLong();
    var handled = testServer.bots.launching().handled().observe();
    testServer.bots.launching().wake(failed);
    var _ = handled.await(id -> id == failed, BotsTestServer.SOON);

    assertThat(metrics())
        .contains(ended("us", "other"), ended("us", "heartbeat_lost"), ended("us", "start_failed"))
        .contains("convoke_bots_launches_total{outcome=\"failed\"} 1.0")
        .contains("convoke_bots_sweeps_total 1.0", "convoke_bots_sweep_ended_total 1.0")
        .contains("convoke_bots_sweep_capped_total 0.0")
        .contains("convoke_bots_heartbeat_lag_seconds_count 1")
        .contains("convoke_bots_heartbeat_batch_count 1");
  }

  /** Else a scrape waits once for each gauge, and Prometheus gives it up. */
  @Test
  void aScrapeDoesNotAskAnUnreachableDatabaseForEachGauge() {
    PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    BotsConfig terms = testServer.terms;
    try (Database away =
        Database.open(
            DatabaseUrl.parse("postgresql://user@127.0.0.1:1/none"),
            1,
            "test",
            Migrations.SCHEMAS,
            Duration.ofMillis(300))) {
      new FleetGauges(new BotStore(away), new SweepStore(away, terms), new BotDeadlines(terms))
          .register(meters);
      assertThat(meters.scrape())
          .contains("convoke_bots_live{status=\"active\"} NaN", "convoke_bots_overdue_seconds NaN");
      assertThat(away.turns()).isLessThan(3);
    }
  }

  private static String ended(String attribution, String reason) {
    return "convoke_bots_ended_total{attribution=\"%s\",reason=\"%s\",status=\"failed\"} 1.0"
        .formatted(attribution, reason);
  }

  private String metrics() {
    return testServer.meters.scrape();
  }

  /** A reading is cached for a second. */
  private void await(String line) {
    long deadline = System.nanoTime() + BotsTestServer.SOON.toNanos();
    while (!metrics().contains(line)) {
      assertThat(System.nanoTime() - deadline).as(line).isNegative();
      LockSupport.parkNanos(10_000_000);
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
