package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.signal.Signal.Observation;
import io.convoke.lab.sim.SimulatorOptions;
import io.convoke.lab.stores.RedisFailover;
import io.convoke.lab.stores.Stores;
import io.convoke.server.presence.PresenceKit.Node;
import io.convoke.server.presence.PresenceSignals.Ended;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A replica takes the place of the Redis that died; it may lack what came last. */
class FailoverTest {
  private final RedisFailover redis = Stores.forTests().ownFailover();
  private final PresenceKit kit =
      new PresenceKit(SimulatorOptions.defaults(), redis.master(), redis.url());

  @AfterEach
  void close() {
    kit.close();
    redis.close();
  }

  @Test
  void eventsAreTakenInMeanwhileAndLiveMeetingsAreLookedAtOnceWithoutARestart() throws Exception {
    Node node = kit.node(PresenceKit.quick());
    long meeting = kit.meeting("room");
    try (Observation<Ended> ended = node.presence().signals().ended().observe()) {
      Ended _ = PresenceKit.polled(ended, meeting);

      redis.killMaster();
      assertThat(kit.webhook(node, PresenceKit.joined("e1", "room", "s1", Instant.now())))
          .isEqualTo(200);
      // The event of this one is lost with the master; only a look finds her.
      String _ = kit.join("room", "Ada");

      Ended _ = ended.await(it -> it.poll() && kit.numClients(meeting) == 2, PresenceKit.SOON);
      assertThat(kit.names(node, meeting)).containsExactlyInAnyOrder("s1", "Ada");

      kit.webhooksTo(node);
      String _ = kit.join("room", "Bob");
      Ended _ = ended.await(it -> it.poll() && kit.numClients(meeting) == 3, PresenceKit.SOON);
    }
    assertThat(kit.number("select count(*)::int from webhook_inbox")).isZero();
  }
}
