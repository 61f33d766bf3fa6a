package io.convoke.simulator.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Random numbers as a function of seed and name. */
final class SeededRandomTest {

  private final SeededRandom seededRandom = new SeededRandom(7, 0);

  @Test
  void theSameNameDrawsTheSame() {
    assertThat(new SeededRandom(7, 99).uniform("a", "b")).isEqualTo(seededRandom.uniform("a", "b"));
    assertThat(seededRandom.uniform("a", "c")).isNotEqualTo(seededRandom.uniform("a", "b"));
    assertThat(seededRandom.uniform("b", "b")).isNotEqualTo(seededRandom.uniform("a", "b"));
    assertThat(new SeededRandom(8, 0).uniform("a", "b"))
        .isNotEqualTo(seededRandom.uniform("a", "b"));
  }

  @Test
  void drawsAreSpreadEvenly() {
    long[] tenths = new long[10];
    IntStream.range(0, 100_000)
        .mapToDouble(i -> seededRandom.uniform("spread", "key " + i))
        .forEach(value -> tenths[(int) (value * 10)]++);
    assertThat(java.util.Arrays.stream(tenths).boxed())
        .allSatisfy(count -> assertThat(count).isBetween(9_700L, 10_300L));
  }

  @Test
  void aRangeIncludesBothEnds() {
    assertThat(IntStream.range(0, 1_000).map(i -> seededRandom.between(2, 4, "range", "" + i)))
        .containsOnly(2, 3, 4)
        .contains(2, 3, 4);
  }

  @Test
  void idsDifferBetweenRunsAndAreUuids() {
    assertThat(seededRandom.id("session", "a"))
        .isEqualTo(new SeededRandom(7, 0).id("session", "a"));
    assertThat(seededRandom.id("session", "a"))
        .isNotEqualTo(new SeededRandom(7, 1).id("session", "a"));
    assertThat(seededRandom.id("session", "a").version()).isEqualTo(4);
    assertThat(seededRandom.id("session", "a").variant()).isEqualTo(2);
    assertThat(
            IntStream.range(0, 100_000)
                .mapToObj(i -> seededRandom.id("many", "" + i))
                .distinct()
                .count())
        .isEqualTo(100_000);
  }
}
