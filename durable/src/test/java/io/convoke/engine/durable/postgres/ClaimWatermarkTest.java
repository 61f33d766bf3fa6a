package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class ClaimWatermarkTest {
  private static final Instant ONE = Instant.ofEpochSecond(1);
  private static final Instant TWO = Instant.ofEpochSecond(2);
  private static final Instant THREE = Instant.ofEpochSecond(3);

  private final ClaimWatermark claimWatermark = new ClaimWatermark();

  @Test
  void itRisesToWhatWasReadAndFallsToWhatIsAnnounced() {
    assertThat(claimWatermark.begin()).isEqualTo(Instant.MIN);
    claimWatermark.read(THREE);
    assertThat(claimWatermark.begin()).isEqualTo(THREE);
    claimWatermark.announce(TWO);
    claimWatermark.announce(THREE);
    assertThat(claimWatermark.begin()).isEqualTo(TWO);
  }

  @Test
  void whatIsAnnouncedDuringAClaimCountsForTheNextOne() {
    assertThat(claimWatermark.begin()).isEqualTo(Instant.MIN);
    claimWatermark.announce(ONE);
    claimWatermark.read(THREE);
    assertThat(claimWatermark.begin()).isEqualTo(ONE);
    claimWatermark.read(THREE);
    assertThat(claimWatermark.begin()).isEqualTo(THREE);
  }

  @Test
  void whoKnowsNothingAnyMoreBeginsAtTheBeginning() {
    Instant _ = claimWatermark.begin();
    claimWatermark.read(THREE);
    claimWatermark.reset();
    assertThat(claimWatermark.begin()).isEqualTo(Instant.MIN);
  }
}
