package io.convoke.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import io.convoke.simulator.script.OfficeDayGenerator;
import io.convoke.simulator.time.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Control of a running simulation, and its actual state. */
final class ControlApiTest {

  private final ManualClock time = new ManualClock(Instant.parse("2026-03-02T09:00:00Z"));
  private final Simulator sim = Simulator.start(SimulatorConfig.defaults().withTime(time));
  private final SimulatorTestClient simulatorTestClient =
      new SimulatorTestClient(sim.url(), Optional.empty());

  @AfterEach
  void stop() {
    simulatorTestClient.close();
    sim.close();
  }

  @Test
  void participantsAreMovedByHand() {
    assertThat(simulatorTestClient.post("/control/rooms", "{\"name\":\"standup\"}").status())
        .isEqualTo(200);
    assertThat(simulatorTestClient.post("/control/rooms", "{\"name\":\"standup\"}").status())
        .isEqualTo(409);
    String ada =
        simulatorTestClient
            .post("/control/rooms/standup/join", "{\"user_name\":\"Ada\",\"user_id\":\"ada\"}")
            .body()
            .path("session_id")
            .stringValue();
    simulatorTestClient.post("/control/rooms/standup/join", "{}");
    time.advance(Duration.ofSeconds(30));

    JsonNode said =
        simulatorTestClient
            .post("/control/rooms/standup/say", "{\"user_id\":\"ada\",\"text\":\"Hi\"}")
            .body();
    assertThat(said.path("session_ids").path(0).stringValue()).isEqualTo(ada);
    simulatorTestClient.post("/control/rooms/standup/leave", "{\"session_id\":\"" + ada + "\"}");
    assertThat(
            simulatorTestClient
                .post("/control/rooms/standup/leave", "{\"user_name\":\"Ada\"}")
                .status())
        .isEqualTo(404);

    JsonNode truth = simulatorTestClient.get("/control/truth").body();
    assertThat(truth.path("sessions").size()).isEqualTo(2);
    JsonNode session = truth.path("sessions").path(0);
    assertThat(session.path("room").stringValue()).isEqualTo("standup");
    assertThat(session.path("joined_at").stringValue()).isEqualTo("2026-03-02T09:00:00.000Z");
    assertThat(session.path("left_at").stringValue()).isEqualTo("2026-03-02T09:00:30.000Z");
    assertThat(truth.path("sessions").path(1).path("left_at").isNull()).isTrue();
    assertThat(truth.path("webhooks").path(0).path("fate").stringValue())
        .isIn("pending", "unwanted");
  }

  @Test
  void faultsAreSetSeenAndCleared() {
    SimulatorTestClient.Reply set =
        simulatorTestClient.send(
            "PATCH",
            "/control/faults",
            """
            {"webhook_drop":0.3,"seed":9,
             "presence_stale":{"probability":0.5,"amount_s":12.5,"on":"/v1/presence","times":3}}
            """);
    assertThat(set.status()).isEqualTo(200);
    assertThat(sim.faults().get(FaultKind.WEBHOOK_DROP).probability()).isEqualTo(0.3);
    assertThat(sim.faults().get(FaultKind.PRESENCE_STALE))
        .isEqualTo(
            FaultSetting.of(0.5).lasting(Duration.ofMillis(12_500)).on("/v1/presence").times(3));
    JsonNode seen =
        simulatorTestClient.get("/control/state").body().path("faults").path("presence_stale");
    assertThat(seen.path("amount_s").doubleValue()).isEqualTo(12.5);

    assertThat(
            simulatorTestClient
                .send("PATCH", "/control/faults", "{\"webhook_drop\":0,\"gremlins\":1}")
                .status())
        .isEqualTo(400);
    assertThat(
            simulatorTestClient.send("PATCH", "/control/faults", "{\"webhook_drop\":2}").status())
        .isEqualTo(400);
    assertThat(sim.faults().get(FaultKind.WEBHOOK_DROP).probability()).isEqualTo(0.3);

    simulatorTestClient.delete("/control/faults");
    assertThat(sim.faults().get(FaultKind.WEBHOOK_DROP)).isEqualTo(FaultSetting.NEVER);
  }

  @Test
  void aFaultOfAnotherTypeIsRefused() {
    for (String fault :
        List.of(
            "null",
            "true",
            "\"0.3\"",
            "[0.3]",
            "{\"probability\":\"0.3\"}",
            "{\"amount_s\":\"5\"}",
            "{\"on\":5}",
            "{\"times\":\"3\"}")) {
      assertThat(
              simulatorTestClient
                  .send("PATCH", "/control/faults", "{\"webhook_drop\":" + fault + "}")
                  .status())
          .as(fault)
          .isEqualTo(400);
    }
    assertThat(simulatorTestClient.send("PATCH", "/control/faults", "{\"seed\":\"9\"}").status())
        .isEqualTo(400);
    assertThat(sim.faults().get(FaultKind.WEBHOOK_DROP)).isEqualTo(FaultSetting.NEVER);
  }

  @Test
  void eachFaultHasADescriptionAndWhetherItDelays() {
    JsonNode faults = simulatorTestClient.get("/control/state").body().path("faults");
    assertThat(faults.size()).isEqualTo(FaultKind.values().length);
    assertThat(faults.path("api_slow").path("lasting").booleanValue()).isTrue();
    assertThat(faults.path("webhook_drop").path("lasting").booleanValue()).isFalse();
    assertThat(faults.path("webhook_drop").path("effect").stringValue()).isEqualTo("never sent");
  }

  @Test
  void theStateNamesScenarioSeedAndSpeed() {
    JsonNode before = simulatorTestClient.get("/control/state").body();
    assertThat(before.path("scenario").stringValue()).isEqualTo("none");
    assertThat(before.path("seed").longValue()).isEqualTo(1);
    assertThat(before.path("speed").doubleValue()).isEqualTo(1);
    sim.playForever("office", new OfficeDayGenerator(3));
    assertThat(simulatorTestClient.get("/control/state").body().path("scenario").stringValue())
        .isEqualTo("office");
  }

  @Test
  void theStateIsReadFromATimeOn() {
    simulatorTestClient.post("/control/rooms/early/join", "{\"user_name\":\"Ada\"}");
    simulatorTestClient.post("/control/rooms/early/leave", "{\"user_name\":\"Ada\"}");
    time.advance(Duration.ofMinutes(10));
    simulatorTestClient.post("/control/rooms/late/join", "{\"user_name\":\"Bob\"}");

    assertThat(simulatorTestClient.get("/control/truth").body().path("sessions").size())
        .isEqualTo(2);
    JsonNode late = simulatorTestClient.get("/control/truth?after=2026-03-02T09:05:00Z").body();
    assertThat(late.path("sessions").size()).isEqualTo(1);
    assertThat(late.path("sessions").path(0).path("room").stringValue()).isEqualTo("late");
    assertThat(late.path("webhooks").findValues("room")).hasSize(2);
    assertThat(simulatorTestClient.get("/control/truth?after=lunch").status()).isEqualTo(400);
  }

  @Test
  void theLagIsASetting() {
    assertThat(
            simulatorTestClient
                .send("PATCH", "/control/settings", "{\"presence_lag_s\":12}")
                .status())
        .isEqualTo(200);
    assertThat(sim.presence().lag()).isEqualTo(Duration.ofSeconds(12));
    assertThat(
            simulatorTestClient
                .send("PATCH", "/control/settings", "{\"presence_lag_s\":16}")
                .status())
        .isEqualTo(400);
    assertThat(simulatorTestClient.send("PATCH", "/control/settings", "{}").status())
        .isEqualTo(400);
  }

  @Test
  void aScenarioIsPlayedOnRequest() {
    SimulatorTestClient.Reply reply =
        simulatorTestClient.post(
            "/control/scenarios",
            """
            name: short
            meetings:
              - {room: chat, at: 10s, lasts: 1m, people: [{name: Ada}]}
            """);
    assertThat(reply.body().path("playing").stringValue()).isEqualTo("short");
    assertThat(
            simulatorTestClient
                .get("/control/state")
                .body()
                .path("upcoming")
                .path(0)
                .path("starts_at")
                .stringValue())
        .isEqualTo("2026-03-02T09:00:10.000Z");
    time.advance(Duration.ofSeconds(10));
    JsonNode state = simulatorTestClient.get("/control/state").body();
    assertThat(state.path("upcoming").size()).isZero();
    assertThat(state.path("rooms").path(0).path("participants").size()).isEqualTo(1);
    assertThat(simulatorTestClient.post("/control/scenarios", "meetings: 3").status())
        .isEqualTo(400);
  }

  @Test
  void recordingsAreStartedAndStopped() {
    simulatorTestClient.post("/control/rooms/standup/join", "{\"user_name\":\"Ada\"}");
    String start = "/control/rooms/standup/recordings/start";
    assertThat(simulatorTestClient.post(start, "{\"type\":\"raw-tracks\"}").status())
        .isEqualTo(200);
    assertThat(simulatorTestClient.post(start, "{}").status()).isEqualTo(409);
    assertThat(simulatorTestClient.post(start, "{\"outcome\":\"great\"}").status()).isEqualTo(400);
    assertThat(simulatorTestClient.post("/control/rooms/standup/recordings/stop", "").status())
        .isEqualTo(200);
    assertThat(simulatorTestClient.post("/control/rooms/standup/recordings/stop", "").status())
        .isEqualTo(404);
    assertThat(simulatorTestClient.post(start, "{\"outcome\":\"finished_after_error\"}").status())
        .isEqualTo(200);
    assertThat(simulatorTestClient.post("/control/rooms/standup/recordings/fail", "").status())
        .isEqualTo(200);
    assertThat(simulatorTestClient.post("/control/rooms/none/recordings/fail", "").status())
        .isEqualTo(404);
  }

  @Test
  void missingResourcesAre404() {
    assertThat(simulatorTestClient.post("/control/rooms/none/end", "").status()).isEqualTo(404);
    assertThat(simulatorTestClient.post("/control/rooms/none/say", "{\"text\":\"a\"}").status())
        .isEqualTo(404);
    assertThat(simulatorTestClient.get("/control/nothing").status()).isEqualTo(404);
  }
}
