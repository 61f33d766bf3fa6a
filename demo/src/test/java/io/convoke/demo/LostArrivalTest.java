package io.convoke.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.state.Lobby;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.webhook.WebhookDelivery;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The participant whose webhook the demo drops. */
class LostArrivalTest {
  private static final Duration SOON = Duration.ofSeconds(10);

  /** Else the meeting, its bot and its snapshot task never ended, and all slots were taken. */
  @Test
  void theyLeaveAgain() {
    try (Simulator simulator = Simulator.start(SimulatorConfig.defaults())) {
      simulator.world().create(RoomRequest.named("stand-up"));
      simulator.world().join("stand-up", Visitor.named("Ada"));

      arrival(simulator).visit("stand-up");

      assertThat(simulator.truth().sessions()).hasSize(2);
      assertThat(simulator.world().roomViews("stand-up").orElseThrow().present())
          .singleElement()
          .matches(session -> session.visitor().userName().orElseThrow().equals("Ada"));
    }
  }

  @Test
  void inARoomWithALobbyTheWebhookOfTheirJoinIsDropped() throws Exception {
    try (Simulator simulator = Simulator.start(SimulatorConfig.defaults())) {
      simulator.world().create(RoomRequest.named("interview").withLobby(new Lobby.ClosedLobby()));
      simulator.world().welcome("interview", Visitor.named("Ada"));

      arrival(simulator).visit("interview");

      WebhookDelivery dropped =
          simulator.awaitWebhook(sent -> sent.end() == WebhookDelivery.DeliveryEnd.DROPPED, SOON);
      assertThat(dropped.envelope().type()).isEqualTo("participant.joined");
    }
  }

  @Test
  void theirDetectionIsToldOnce() {
    try (Simulator simulator = Simulator.start(SimulatorConfig.defaults())) {
      simulator.world().create(RoomRequest.named("stand-up"));
      LostArrival arrival = arrival(simulator);

      arrival.visit("stand-up");

      assertThat(arrival.detected("stand-up", "Ada", "poll")).isEmpty();
      assertThat(arrival.detected("stand-up", "Noor Haddad", "poll"))
          .contains(" s by poll, without the webhook");
      assertThat(arrival.detected("stand-up", "Noor Haddad", "poll")).isEmpty();
    }
  }

  private static LostArrival arrival(Simulator simulator) {
    return new LostArrival(simulator, new DemoLog(room -> room), Duration.ZERO);
  }
}
