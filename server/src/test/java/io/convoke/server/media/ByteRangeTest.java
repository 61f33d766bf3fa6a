package io.convoke.server.media;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.media.ByteRange.RequestedRange;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteRangeTest {
  @ParameterizedTest
  @CsvSource({
    "bytes=0-,       bytes 0-99/100",
    "bytes=0-0,      bytes 0-0/100",
    "bytes=10-19,    bytes 10-19/100",
    "bytes=90-500,   bytes 90-99/100",
    "bytes=-10,      bytes 90-99/100",
    "bytes=-500,     bytes 0-99/100"
  })
  void aPartIsWithinTheWhole(String asked, String answered) {
    assertThat(ByteRange.of(Optional.of(asked), 100))
        .isInstanceOfSatisfying(
            RequestedRange.RangePart.class,
            rangePart -> assertThat(rangePart.range().header()).isEqualTo(answered));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "bytes=-", "bytes=5-2", "bytes=0-1,5-6", "lines=1-2", "bytes=a-b", "bytes=1"})
  void whatMeansNothingIsTheWhole(String asked) {
    assertThat(ByteRange.of(Optional.of(asked), 100)).isInstanceOf(RequestedRange.RangeWhole.class);
    assertThat(ByteRange.of(Optional.empty(), 100)).isInstanceOf(RequestedRange.RangeWhole.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bytes=100-", "bytes=100-200", "bytes=-0"})
  void nothingBeginsBehindTheEnd(String asked) {
    assertThat(ByteRange.of(Optional.of(asked), 100))
        .isInstanceOf(RequestedRange.RangeBeyondEnd.class);
  }

  @Test
  void nothingHasNoParts() {
    assertThat(ByteRange.of(Optional.of("bytes=0-"), 0))
        .isInstanceOf(RequestedRange.RangeBeyondEnd.class);
    assertThat(ByteRange.of(Optional.of("bytes=-5"), 0))
        .isInstanceOf(RequestedRange.RangeBeyondEnd.class);
  }
}
