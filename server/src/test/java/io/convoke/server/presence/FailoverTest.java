package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.presence.PresenceTestKit.Node;
import io.convoke.server.presence.PresenceTestSignals.ClaimEnded;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.stores.EmbeddedRedisFailover;
import io.convoke.simulator.stores.LocalStores;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A replica replaces a dead Redis; it may lack the last writes. */
@Tag("nightly")
class FailoverTest {
  private final EmbeddedRedisFailover redis = LocalStores.forTests().ownFailover();
  private final PresenceTestKit kit =
      new PresenceTestKit(SimulatorConfig.defaults(), redis.master(), redis.url());

  @AfterEach
  void close() {
    kit.close();
    redis.close();
  }

  @Test
  void eventsAreTakenInMeanwhileAndLiveMeetingsAreLookedAtOnceWithoutARestart() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    long meeting = kit.meeting("room");
    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);

      redis.killMaster();
      assertThat(kit.webhook(node, PresenceTestKit.joined("e1", "room", "s1", Instant.now())))
          .isEqualTo(200);
      // This event is lost with the master; only a poll finds her.
      String _ = kit.join("room", "Ada");

      ClaimEnded _ =
          ended.await(it -> it.poll() && kit.numClients(meeting) == 2, PresenceTestKit.SOON);
      assertThat(kit.names(node, meeting)).containsExactlyInAnyOrder("s1", "Ada");

      kit.webhooksTo(node);
      String _ = kit.join("room", "Bob");
      ClaimEnded _ =
          ended.await(it -> it.poll() && kit.numClients(meeting) == 3, PresenceTestKit.SOON);
    }
    assertThat(kit.number("select count(*)::int from webhook_inbox")).isZero();
  }
}
