package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.lease.Lease;
import io.convoke.engine.lease.LeaseConfig;
import io.convoke.engine.lease.LeaseRenewer;
import io.convoke.engine.redis.Redis;
import io.convoke.simulator.stores.EmbeddedRedisFailover;
import io.convoke.simulator.stores.LocalStores;
import io.convoke.simulator.stores.RedisFlavor;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tasks and leases on a master with two replicas and three Sentinels, through its death. */
@Tag("nightly")
class DispatchFailoverTest {
  private static final LeaseConfig CONFIG =
      new LeaseConfig(Duration.ofSeconds(20), Duration.ofMillis(500));

  static List<RedisFlavor> kinds() {
    return RedisFlavor.present();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void tasksEndAndLeasesAreKeptThroughTheDeathOfTheMaster(RedisFlavor kind)
      throws InterruptedException {
    try (EmbeddedRedisFailover redis = LocalStores.forTests().ownFailover(kind, 2, 3);
        DispatchTestFleet dispatchTestFleet = new DispatchTestFleet(redis.url());
        Redis own = Redis.open(redis.url());
        LeaseRenewer keeper = new LeaseRenewer(own, "here", new SimpleMeterRegistry());
        LeaseRenewer rival = new LeaseRenewer(own, "there", new SimpleMeterRegistry())) {
      CountDownLatch connected = new CountDownLatch(1);
      own.onConnect(connected::countDown);
      assertThat(connected.await(DispatchTestFleet.LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
      Lease lease = keeper.acquire("convoke:test:lease", CONFIG).orElseThrow();
      assertThat(own.<Long>call(commands -> commands.waitForReplication(2, 2000))).isEqualTo(2);
      dispatchTestFleet.runTicks();
      dispatchTestFleet.loadThrough(
          List.of("eu", "us", "ap", ""), KeySpace.ONE, redis::killMasterLosing);
      dispatchTestFleet.everyAcceptedTaskHasEnded();
      dispatchTestFleet.noAttemptWasHeldByTwo();
      assertThat(lease.held()).isTrue();
      assertThat(rival.acquire(lease.key(), CONFIG)).isEmpty();
      lease.close();
      assertThat(rival.acquire(lease.key(), CONFIG).orElseThrow().epoch())
          .isGreaterThan(lease.epoch());
    }
  }
}
