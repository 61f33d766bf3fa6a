package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeySpaceTest {
  @Test
  void onOneRedisTheKeysAreTheContracts() {
    assertThat(KeySpace.ONE.task("a1")).isEqualTo("convoke:task:a1");
    assertThat(KeySpace.ONE.queue("eu-west-1")).isEqualTo("convoke:queue:eu-west-1");
    assertThat(KeySpace.ONE.queue(KeySpace.GLOBAL)).isEqualTo("convoke:queue:global");
  }

  @Test
  void onAClusterAllKeysOfAPlaceLieInOneSlot() {
    for (String region : List.of("eu-west-1", "us-east-1", KeySpace.GLOBAL)) {
      KeySpace keySpace = KeySpace.of(region);
      assertThat(
              Stream.of(
                  keySpace.task("a:b"),
                  keySpace.task("x"),
                  keySpace.queue(region),
                  keySpace.queue("global:" + region),
                  keySpace.wake(region),
                  keySpace.wake(region, "snapshot"),
                  keySpace.inbox("pod-1"),
                  keySpace.maintenanceList(),
                  keySpace.outbox(),
                  keySpace.refused(),
                  keySpace.generation(),
                  keySpace.server(),
                  keySpace.leases("pod-1")))
          .allMatch(key -> SlotHash.getSlot(key) == keySpace.slot());
    }
    assertThat(KeySpace.of("eu-west-1").slot()).isNotEqualTo(KeySpace.of("us-east-1").slot());
  }

  @Test
  void onOneRedisAllRegionsAreAtHomeAndOnAClusterOneIs() {
    assertThat(KeySpace.ONE.isHomeOf("eu")).isTrue();
    assertThat(new KeySpace("test-1:").isHomeOf("eu")).isTrue();
    assertThat(KeySpace.of("eu").isHomeOf("eu")).isTrue();
    assertThat(KeySpace.of("eu").isHomeOf("us")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"eu, eu", "global, global", "global:eu, eu", "globality, globality"})
  void anOverflowQueueIsOfTheRegionThatItIsNamedAfter(String lane, String region) {
    assertThat(KeySpace.regionOf(lane)).isEqualTo(region);
  }
}
