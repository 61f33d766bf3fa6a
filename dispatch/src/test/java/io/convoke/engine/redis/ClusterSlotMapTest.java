package io.convoke.engine.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What nodes say of who has which slot, put together. */
class ClusterSlotMapTest {
  private static final NodeAddress ONE = new NodeAddress("10.0.0.1", 6379);
  private static final NodeAddress TWO = new NodeAddress("10.0.0.2", 6379);
  private static final NodeAddress THREE = new NodeAddress("10.0.0.3", 6379);

  private static final String BEFORE =
      """
      aa 10.0.0.1:6379@16379 myself,master - 0 0 1 connected 0-8191 8193 [8193->-bb]
      bb 10.0.0.2:6379@16379,two.example master - 0 0 2 connected 8192 8194-16383
      cc 10.0.0.3:6379@16379 slave aa 0 0 1 connected
      dd :0@0 master,noaddr - 0 0 9 disconnected 0-16383
      """;

  @Test
  void slotsAreTheirMastersAndReplicasAreMembers() {
    ClusterSlotMap map = ClusterSlotMap.of(Map.of(ONE, BEFORE));
    assertThat(map.owner(0)).contains(ONE);
    assertThat(map.owner(8191)).contains(ONE);
    assertThat(map.owner(8192)).contains(TWO);
    assertThat(map.owner(8193)).contains(ONE);
    assertThat(map.owner(16_383)).contains(TWO);
    assertThat(map.members()).containsExactlyInAnyOrder(ONE, TWO, THREE);
    assertThat(ClusterSlotMap.EMPTY.owner(0)).isEmpty();
    assertThat(ClusterSlotMap.EMPTY.owner(7)).isEmpty();
  }

  /** As it is among the nodes themselves. */
  @Test
  void aClaimWithTheSameEpochTakesNoSlotAway() {
    String both =
        """
        aa 10.0.0.1:6379@16379 myself,master - 0 0 1 connected 0-5
        bb 10.0.0.2:6379@16379 master - 0 0 1 connected 5-6
        """;
    ClusterSlotMap map = ClusterSlotMap.of(Map.of(ONE, both));
    assertThat(map.owner(5)).contains(ONE);
    assertThat(map.owner(6)).contains(TWO);
  }

  /** Nodes write such a line into their own files. */
  @Test
  void aLineThatIsTooShortForANodeIsLeftOut() {
    ClusterSlotMap map =
        ClusterSlotMap.of(Map.of(ONE, BEFORE + "vars currentEpoch 2 lastVoteEpoch 0\n\n"));
    assertThat(map.members()).containsExactlyInAnyOrder(ONE, TWO, THREE);
  }

  /** One that was cut off still thinks itself master; who was elected has the higher epoch. */
  @Test
  void whereNodesDisagreeTheHigherEpochHolds() {
    String after =
        """
        aa 10.0.0.1:6379@16379 master,fail - 0 0 1 disconnected
        bb 10.0.0.2:6379@16379 myself,master - 0 0 2 connected 8192 8194-16383
        cc 10.0.0.3:6379@16379 master - 0 0 3 connected 0-8191 8193
        """;
    ClusterSlotMap map = ClusterSlotMap.of(Map.of(ONE, BEFORE, TWO, after));
    assertThat(map.owner(0)).contains(THREE);
    assertThat(map.owners()).isEqualTo(Set.of(TWO, THREE));
    assertThat(map.heirs(ClusterSlotMap.of(Map.of(ONE, BEFORE)), ONE)).isEqualTo(Set.of(THREE));
  }

  @Test
  void aNodeThatDoesNotKnowItsOwnNameIsWhereItWasAsked() {
    ClusterSlotMap map =
        ClusterSlotMap.of(Map.of(TWO, "aa :6379@16379 myself,master - 0 0 0 connected 0-16383"));
    assertThat(map.owner(5)).isEqualTo(Optional.of(TWO));
    assertThat(map.moved(5, ONE).owner(5)).contains(ONE);
  }

  @Test
  void aClusterIsNamedBySomeOfItsNodes() {
    assertThat(RedisUrl.of("redis-cluster://:p%40ss@h1:7001,h2:7002/"))
        .isInstanceOfSatisfying(
            RedisUrl.ClusterUrl.class,
            clusterUrl -> {
              assertThat(clusterUrl.seeds()).extracting("host").containsExactly("h1", "h2");
              assertThat(clusterUrl.seeds()).extracting("port").containsExactly(7001, 7002);
              assertThat(clusterUrl.seeds()).allMatch(seed -> !seed.isSsl());
            });
    assertThat(RedisUrl.of("rediss-cluster://h1"))
        .isInstanceOfSatisfying(
            RedisUrl.ClusterUrl.class,
            clusterUrl -> assertThat(clusterUrl.seeds().getFirst().isSsl()).isTrue());
    for (String url :
        List.of("redis-cluster://", "redis-cluster://:s3cret@h/3", "redis-cluster://:s3cret@h,")) {
      assertThatThrownBy(() -> RedisUrl.of(url))
          .as(url)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageNotContaining("s3cret");
    }
  }
}
