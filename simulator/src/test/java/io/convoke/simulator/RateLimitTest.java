package io.convoke.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.simulator.time.ManualClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Daily's budgets, on a clock that the test advances. */
final class RateLimitTest {

  private final ManualClock time = new ManualClock(Instant.parse("2026-03-02T09:00:00Z"));
  private final Simulator sim = Simulator.start(SimulatorConfig.defaults().withTime(time));
  private final SimulatorTestClient simulatorTestClient = new SimulatorTestClient(sim);

  @AfterEach
  void stop() {
    simulatorTestClient.close();
    sim.close();
  }

  @Test
  void the101stRequestWithinFiveSecondsIsRefused() {
    for (int i = 0; i < 100; i++) {
      assertThat(simulatorTestClient.get("/v1/presence").status()).isEqualTo(200);
    }
    time.advance(Duration.ofMillis(1500));
    SimulatorTestClient.Reply refused = simulatorTestClient.get("/v1/presence");
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.error()).isEqualTo("rate-limit-error");
    assertThat(refused.header("Retry-After")).contains("4");

    time.advance(Duration.ofMillis(3499));
    assertThat(simulatorTestClient.get("/v1/presence").status()).isEqualTo(429);
    time.advance(Duration.ofMillis(1));
    assertThat(simulatorTestClient.get("/v1/presence").status()).isEqualTo(200);
  }

  @Test
  void listingRecordingsHasABudgetOfItsOwn() {
    for (int i = 0; i < 50; i++) {
      assertThat(simulatorTestClient.get("/v1/recordings").status()).isEqualTo(200);
    }
    assertThat(simulatorTestClient.get("/v1/recordings").status()).isEqualTo(429);
    assertThat(simulatorTestClient.delete("/v1/rooms/none").status()).isEqualTo(429);
    assertThat(simulatorTestClient.get("/v1/presence").status()).isEqualTo(200);
    time.advance(Duration.ofSeconds(30));
    assertThat(simulatorTestClient.get("/v1/recordings").status()).isEqualTo(200);
  }

  @Test
  void aRecordingMayBeStartedOnceASecond() {
    for (int i = 0; i < 5; i++) {
      assertThat(simulatorTestClient.post("/v1/rooms/none/recordings/start", "").status())
          .isEqualTo(404);
    }
    assertThat(simulatorTestClient.post("/v1/rooms/none/recordings/start", "").status())
        .isEqualTo(429);
    time.advance(Duration.ofSeconds(5));
    assertThat(simulatorTestClient.post("/v1/rooms/none/recordings/start", "").status())
        .isEqualTo(404);
  }

  @Test
  void limitsCanBeTurnedOff() {
    try (Simulator generous = Simulator.start(SimulatorConfig.defaults().withoutRateLimits());
        SimulatorTestClient caller = new SimulatorTestClient(generous)) {
      for (int i = 0; i < 120; i++) {
        assertThat(caller.get("/v1/presence").status()).isEqualTo(200);
      }
    }
  }
}
