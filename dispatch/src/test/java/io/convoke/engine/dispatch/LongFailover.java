package io.convoke.engine.dispatch;

import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.EmbeddedRedisCluster;
import io.convoke.simulator.stores.EmbeddedRedisFailover;
import io.convoke.simulator.stores.LocalStores;
import io.convoke.simulator.stores.RedisFlavor;
import java.util.List;

/**
 * Kills masters under load a number of times: {@code LongFailover cluster 20} or {@code
 * LongFailover sentinel 20}. On a cluster the key spaces take turns, and a killed master returns as
 * a replica.
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
    try (EmbeddedRedisCluster cluster = LocalStores.forTests().ownCluster(RedisFlavor.REDIS)) {
      for (int round = 1; round <= rounds; round++) {
        String region = REGIONS.get(round % REGIONS.size());
        KeySpace keySpace = KeySpace.of(region.isEmpty() ? KeySpace.GLOBAL : region);
        EmbeddedRedis[] dead = new EmbeddedRedis[1];
        try (DispatchTestFleet dispatchTestFleet =
            new DispatchTestFleet(cluster.url(), "r" + round)) {
          dispatchTestFleet.runTicks();
          dispatchTestFleet.loadThrough(
              REGIONS,
              keySpace,
              meanwhile -> dead[0] = cluster.killMasterLosing(keySpace.slot(), meanwhile));
          dispatchTestFleet.everyAcceptedTaskHasEnded();
          dispatchTestFleet.noAttemptWasHeldByTwo();
          System.out.printf(
              "round %d, %s: %s%n", round, keySpace.prefix(), dispatchTestFleet.sums());
        }
        dead[0].restart();
        cluster.awaitWhole();
      }
    }
  }

  private static void sentinel(int round) {
    try (EmbeddedRedisFailover redis = LocalStores.forTests().ownFailover(RedisFlavor.REDIS, 2, 3);
        DispatchTestFleet dispatchTestFleet = new DispatchTestFleet(redis.url(), "r" + round)) {
      dispatchTestFleet.runTicks();
      dispatchTestFleet.loadThrough(REGIONS, KeySpace.ONE, redis::killMasterLosing);
      dispatchTestFleet.everyAcceptedTaskHasEnded();
      dispatchTestFleet.noAttemptWasHeldByTwo();
      System.out.printf("round %d: %s%n", round, dispatchTestFleet.sums());
    }
  }
}
