package io.convoke.chaos.presence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.convoke.chaos.history.ActualVisit;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.webhook.WebhookEndpointRequest;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An event counts as delivered if it was acked and Redis did not lose it. */
final class PresenceObservationsTest {

  @Test
  void anEventIsDeliveredWhenItWasAckedAndNotLost() throws Exception {
    WebServer endpoint =
        WebServer.builder()
            .host("127.0.0.1")
            .port(0)
            .routing(HttpRouting.builder().post("/", (request, response) -> response.send()))
            .build()
            .start();
    URI url = URI.create("http://127.0.0.1:" + endpoint.port() + "/");
    try (Simulator platform =
        Simulator.start(
            SimulatorConfig.defaults().withWebhook(WebhookEndpointRequest.to(url, "c2VjcmV0")))) {
      visit(platform, "answered");
      WebServer _ = endpoint.stop();
      visit(platform, "unanswered");

      assertThat(PresenceObservations.visits(platform.truth(), List.of()))
          .extracting(ActualVisit::room, ActualVisit::joinDelivered, ActualVisit::leaveDelivered)
          .containsExactly(tuple("answered", true, true), tuple("unanswered", false, false));
      assertThat(PresenceObservations.visits(platform.truth(), List.of(Instant.now())))
          .noneMatch(actualVisit -> actualVisit.joinDelivered() || actualVisit.leaveDelivered());
    }
  }

  private static void visit(Simulator platform, String room) throws Exception {
    var _ = platform.world().ensure(RoomRequest.named(room));
    if (platform.world().join(room, Visitor.named("Ada"))
        instanceof JoinResult.JoinedMeeting(var roomSession)) {
      assertThat(platform.world().leave(room, roomSession.sessionId(), LeaveReason.LEFT)).isTrue();
    }
    platform.awaitQuiet(Duration.ofSeconds(10));
  }
}
