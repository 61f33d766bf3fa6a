package io.convoke.engine.dispatch;

import io.convoke.lab.stores.RedisCluster;
import io.convoke.lab.stores.RedisFailover;
import io.convoke.lab.stores.RedisKind;
import io.convoke.lab.stores.RedisServer;
import io.convoke.lab.stores.Stores;
import java.util.List;

/**
 * Kills masters under load as often as it is told: {@code LongFailover cluster 20} or {@code
 * LongFailover sentinel 20}. On a cluster the places take turns, and who was killed comes back as a
 * replica.
 */
final class LongFailover {
  private static final List<String> REGIONS = List.of("eu-west-1", "us-east-1", "ap-south-1", "");

  private LongFailover() {}

  public static void main(String[] args) {
    int rounds = Integer.parseInt(args[1]);
    if (args[0].equals("cluster")) {
      cluster(rounds);
    } else {
      for (int round = 1; round <= rounds; round++) {
        sentinel(round);
      }
    }
  }

  private static void cluster(int rounds) {
    try (RedisCluster cluster = Stores.forTests().ownCluster(RedisKind.REDIS)) {
      for (int round = 1; round <= rounds; round++) {
        String region = REGIONS.get(round % REGIONS.size());
        Place place = Place.of(region.isEmpty() ? Place.GLOBAL : region);
        RedisServer[] dead = new RedisServer[1];
        try (Fleet fleet = new Fleet(cluster.url(), "r" + round)) {
          fleet.tend();
          fleet.loadThrough(
              REGIONS,
              place,
              meanwhile -> dead[0] = cluster.killMasterLosing(place.slot(), meanwhile));
          fleet.everyAcceptedTaskHasEnded();
          fleet.noAttemptWasHeldByTwo();
          System.out.printf("round %d, %s: %s%n", round, place.prefix(), fleet.sums());
        }
        dead[0].restart();
        cluster.awaitWhole();
      }
    }
  }

  private static void sentinel(int round) {
    try (RedisFailover redis = Stores.forTests().ownFailover(RedisKind.REDIS, 2, 3);
        Fleet fleet = new Fleet(redis.url(), "r" + round)) {
      fleet.tend();
      fleet.loadThrough(REGIONS, Place.ONE, redis::killMasterLosing);
      fleet.everyAcceptedTaskHasEnded();
      fleet.noAttemptWasHeldByTwo();
      System.out.printf("round %d: %s%n", round, fleet.sums());
    }
  }
}
