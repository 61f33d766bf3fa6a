package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class FloorTest {
  private static final Instant ONE = Instant.ofEpochSecond(1);
  private static final Instant TWO = Instant.ofEpochSecond(2);
  private static final Instant THREE = Instant.ofEpochSecond(3);

  private final Floor floor = new Floor();

  @Test
  void itRisesToWhatWasReadAndFallsToWhatIsAnnounced() {
    assertThat(floor.begin()).isEqualTo(Instant.MIN);
    floor.read(THREE);
    assertThat(floor.begin()).isEqualTo(THREE);
    floor.announce(TWO);
    floor.announce(THREE);
    assertThat(floor.begin()).isEqualTo(TWO);
  }

  @Test
  void whatIsAnnouncedDuringAClaimCountsForTheNextOne() {
    assertThat(floor.begin()).isEqualTo(Instant.MIN);
    floor.announce(ONE);
    floor.read(THREE);
    assertThat(floor.begin()).isEqualTo(ONE);
    floor.read(THREE);
    assertThat(floor.begin()).isEqualTo(THREE);
  }

  @Test
  void whoKnowsNothingAnyMoreBeginsAtTheBeginning() {
    Instant _ = floor.begin();
    floor.read(THREE);
    floor.forget();
    assertThat(floor.begin()).isEqualTo(Instant.MIN);
  }
}
