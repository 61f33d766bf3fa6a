package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.lease.Lease;
import io.convoke.engine.lease.LeaseKeeper;
import io.convoke.engine.lease.LeaseTerms;
import io.convoke.engine.redis.Redis;
import io.convoke.lab.stores.RedisFailover;
import io.convoke.lab.stores.RedisKind;
import io.convoke.lab.stores.Stores;
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
  private static final LeaseTerms TERMS =
      new LeaseTerms(Duration.ofSeconds(20), Duration.ofMillis(500));

  static List<RedisKind> kinds() {
    return RedisKind.present();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void tasksEndAndLeasesAreKeptThroughTheDeathOfTheMaster(RedisKind kind)
      throws InterruptedException {
    try (RedisFailover redis = Stores.forTests().ownFailover(kind, 2, 3);
        Fleet fleet = new Fleet(redis.url());
        Redis own = Redis.open(redis.url());
        LeaseKeeper keeper = new LeaseKeeper(own, "here", new SimpleMeterRegistry());
        LeaseKeeper rival = new LeaseKeeper(own, "there", new SimpleMeterRegistry())) {
      CountDownLatch connected = new CountDownLatch(1);
      own.onConnect(connected::countDown);
      assertThat(connected.await(Fleet.LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
      Lease lease = keeper.acquire("convoke:test:lease", TERMS).orElseThrow();
      assertThat(own.<Long>call(commands -> commands.waitForReplication(2, 2000))).isEqualTo(2);
      fleet.tend();
      fleet.loadThrough(List.of("eu", "us", "ap", ""), Place.ONE, redis::killMasterLosing);
      fleet.everyAcceptedTaskHasEnded();
      fleet.noAttemptWasHeldByTwo();
      assertThat(lease.held()).isTrue();
      assertThat(rival.acquire(lease.key(), TERMS)).isEmpty();
      lease.close();
      assertThat(rival.acquire(lease.key(), TERMS).orElseThrow().epoch())
          .isGreaterThan(lease.epoch());
    }
  }
}
