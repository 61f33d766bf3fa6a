package io.convoke.engine.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The rules one by one; {@link HorizonScanModelTest} proves that they suffice. */
class JournalHorizonTest {
  @Test
  void withoutHolesEverythingSeenIsSettled() {
    assertThat(JournalHorizon.at(0).advance(seqs(1, 2, 3), true)).isEqualTo(JournalHorizon.at(3));
    assertThat(JournalHorizon.at(7).advance(seqs(), true)).isEqualTo(JournalHorizon.at(7));
  }

  @Test
  void aHoleHoldsBackWhatIsBeyondIt() {
    assertThat(JournalHorizon.at(5).advance(seqs(6, 8, 9), true))
        .isEqualTo(new JournalHorizon(6, 9, Set.of()));
  }

  @Test
  void aHoleThatIsFilledHoldsBackNothing() {
    JournalHorizon waiting = new JournalHorizon(6, 9, Set.of("w"));
    assertThat(waiting.advance(seqs(7, 8, 9, 10), true)).isEqualTo(JournalHorizon.at(10));
  }

  @Test
  void aHoleIsPassedOnceAllItsWritersHaveEnded() {
    JournalHorizon waiting = new JournalHorizon(6, 9, Set.of("v", "w"));
    assertThat(waiting.without(Set.of("w", "x")).advance(seqs(8, 9, 10), true))
        .isEqualTo(new JournalHorizon(6, 9, Set.of("w")));
    assertThat(waiting.without(Set.of("x")).advance(seqs(8, 9, 10), true))
        .isEqualTo(JournalHorizon.at(10));
  }

  @Test
  void aHoleBeyondThePassedOneIsNewAndKnowsNoWritersYet() {
    JournalHorizon over = new JournalHorizon(6, 9, Set.of());
    JournalHorizon next = over.advance(seqs(8, 9, 12), true);
    assertThat(next).isEqualTo(new JournalHorizon(9, 12, Set.of()));
    assertThat(next.newHole(over)).isTrue();
    assertThat(next.awaiting(Set.of("x"))).isEqualTo(new JournalHorizon(9, 12, Set.of("x")));
  }

  @Test
  void aSmallerPartOfTheSameHoleKeepsItsWriters() {
    JournalHorizon waiting = new JournalHorizon(6, 9, Set.of("w"));
    JournalHorizon next = waiting.advance(seqs(7, 9, 30), true);
    assertThat(next).isEqualTo(new JournalHorizon(7, 9, Set.of("w")));
    assertThat(next.newHole(waiting)).isFalse();
  }

  @Test
  void aPassedHoleIsNotPassedFurtherThanTheLookCouldSee() {
    JournalHorizon over = new JournalHorizon(0, 1000, Set.of());
    assertThat(over.advance(seqs(1, 3), false)).isEqualTo(new JournalHorizon(3, 1000, Set.of()));
    assertThat(over.advance(seqs(1, 3), true)).isEqualTo(JournalHorizon.at(1000));
  }

  @Test
  void aHoleAtTheVeryEndOfWhatWasSeenIsPassedToo() {
    assertThat(new JournalHorizon(6, 9, Set.of()).advance(seqs(), true))
        .isEqualTo(JournalHorizon.at(9));
  }

  private static List<Long> seqs(long... seqs) {
    return LongStream.of(seqs).boxed().toList();
  }
}
