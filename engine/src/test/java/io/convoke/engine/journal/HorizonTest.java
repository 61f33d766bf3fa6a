package io.convoke.engine.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The rules one by one; {@link LookModelTest} proves that they suffice. */
class HorizonTest {
  @Test
  void withoutHolesEverythingSeenIsSettled() {
    assertThat(Horizon.at(0).advance(seqs(1, 2, 3), true)).isEqualTo(Horizon.at(3));
    assertThat(Horizon.at(7).advance(seqs(), true)).isEqualTo(Horizon.at(7));
  }

  @Test
  void aHoleHoldsBackWhatIsBeyondIt() {
    assertThat(Horizon.at(5).advance(seqs(6, 8, 9), true)).isEqualTo(new Horizon(6, 9, Set.of()));
  }

  @Test
  void aHoleThatIsFilledHoldsBackNothing() {
    Horizon waiting = new Horizon(6, 9, Set.of("w"));
    assertThat(waiting.advance(seqs(7, 8, 9, 10), true)).isEqualTo(Horizon.at(10));
  }

  @Test
  void aHoleIsPassedOnceAllItsWritersHaveEnded() {
    Horizon waiting = new Horizon(6, 9, Set.of("v", "w"));
    assertThat(waiting.without(Set.of("w", "x")).advance(seqs(8, 9, 10), true))
        .isEqualTo(new Horizon(6, 9, Set.of("w")));
    assertThat(waiting.without(Set.of("x")).advance(seqs(8, 9, 10), true))
        .isEqualTo(Horizon.at(10));
  }

  @Test
  void aHoleBeyondThePassedOneIsNewAndKnowsNoWritersYet() {
    Horizon over = new Horizon(6, 9, Set.of());
    Horizon next = over.advance(seqs(8, 9, 12), true);
    assertThat(next).isEqualTo(new Horizon(9, 12, Set.of()));
    assertThat(next.newHole(over)).isTrue();
    assertThat(next.awaiting(Set.of("x"))).isEqualTo(new Horizon(9, 12, Set.of("x")));
  }

  @Test
  void aSmallerPartOfTheSameHoleKeepsItsWriters() {
    Horizon waiting = new Horizon(6, 9, Set.of("w"));
    Horizon next = waiting.advance(seqs(7, 9, 30), true);
    assertThat(next).isEqualTo(new Horizon(7, 9, Set.of("w")));
    assertThat(next.newHole(waiting)).isFalse();
  }

  @Test
  void aPassedHoleIsNotPassedFurtherThanTheLookCouldSee() {
    Horizon over = new Horizon(0, 1000, Set.of());
    assertThat(over.advance(seqs(1, 3), false)).isEqualTo(new Horizon(3, 1000, Set.of()));
    assertThat(over.advance(seqs(1, 3), true)).isEqualTo(Horizon.at(1000));
  }

  @Test
  void aHoleAtTheVeryEndOfWhatWasSeenIsPassedToo() {
    assertThat(new Horizon(6, 9, Set.of()).advance(seqs(), true)).isEqualTo(Horizon.at(9));
  }

  private static List<Long> seqs(long... seqs) {
    return LongStream.of(seqs).boxed().toList();
  }
}
