package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PlaceTest {
  @Test
  void onOneRedisTheKeysAreTheContracts() {
    assertThat(Place.ONE.task("a1")).isEqualTo("convoke:task:a1");
    assertThat(Place.ONE.queue("eu-west-1")).isEqualTo("convoke:queue:eu-west-1");
    assertThat(Place.ONE.queue(Place.GLOBAL)).isEqualTo("convoke:queue:global");
  }

  @Test
  void onAClusterAllKeysOfAPlaceLieInOneSlot() {
    for (String region : List.of("eu-west-1", "us-east-1", Place.GLOBAL)) {
      Place place = Place.of(region);
      assertThat(
              Stream.of(
                  place.task("a:b"),
                  place.task("x"),
                  place.queue(region),
                  place.queue("global:" + region),
                  place.wake(region),
                  place.inbox("pod-1"),
                  place.tend(),
                  place.outbox(),
                  place.generation(),
                  place.server(),
                  place.own("leases:pod-1")))
          .allMatch(key -> SlotHash.getSlot(key) == place.slot());
    }
    assertThat(Place.of("eu-west-1").slot()).isNotEqualTo(Place.of("us-east-1").slot());
  }
}
