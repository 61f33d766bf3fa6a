package io.convoke.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OptionsTest {
  private static final TestClass USUAL = test("a.UsualTest", "");
  private static final TestClass NIGHTLY = test("a.LongTest", "", "nightly");
  private static final TestClass PICTURES = test("a.PicturesTest", "", "pictures");
  private static final TestClass FIRST = test("a.SplitTest", "first", "split");
  private static final TestClass SECOND = test("a.SplitTest", "second", "split", "nightly");

  @Test
  void theGateLeavesOutWhatIsNightly() {
    Options options = Options.parse();
    assertThat(options.wants(USUAL)).isTrue();
    assertThat(options.wants(NIGHTLY)).isFalse();
    assertThat(options.wants(PICTURES)).isFalse();
    assertThat(options.wants(FIRST)).isTrue();
    assertThat(options.wants(SECOND)).isFalse();
    assertThat(options.excludedTags()).containsExactlyInAnyOrder("nightly", "pictures");
  }

  @Test
  void allTakesEachTestButNoPictures() {
    Options options = Options.parse("--all");
    assertThat(options.wants(NIGHTLY)).isTrue();
    assertThat(options.wants(SECOND)).isTrue();
    assertThat(options.wants(PICTURES)).isFalse();
    assertThat(options.excludedTags()).containsExactly("pictures");
  }

  @Test
  void aClassThatIsNamedRunsWhateverItsTags() {
    Options options = Options.parse("--only", "LongTest,PicturesTest");
    assertThat(options.wants(NIGHTLY)).isTrue();
    assertThat(options.wants(PICTURES)).isTrue();
    assertThat(options.wants(USUAL)).isFalse();
    assertThat(options.methods(NIGHTLY)).isEmpty();
    assertThat(options.excludedTags()).isEmpty();
  }

  @Test
  void aMethodOfAClassMayBeNamed() {
    Options options = Options.parse("--only", "UsualTest#one", "--only", "a.SplitTest#second");
    assertThat(options.methods(USUAL)).containsExactly("one");
    assertThat(options.wants(FIRST)).isFalse();
    assertThat(options.wants(SECOND)).isTrue();
    assertThat(options.methods(SECOND)).containsExactly("second");
  }

  @Test
  void severalMethodsOfAClassMayBeNamedAndTheClassAloneIsAllOfThem() {
    Options two = Options.parse("--only", "UsualTest#one,UsualTest#two");
    assertThat(two.methods(USUAL)).containsExactlyInAnyOrder("one", "two");
    Options all = Options.parse("--only", "UsualTest#one,UsualTest");
    assertThat(all.methods(USUAL)).isEmpty();
  }

  @Test
  void mutantsMayBeASampleBySeed() {
    Options options = Options.parse("--mutation", "--sample", "20", "--seed", "7");
    assertThat(options.mutation()).isTrue();
    assertThat(options.sample()).isEqualTo(20);
    assertThat(options.seed()).isEqualTo(7);
    assertThat(Options.parse("--mutation").sample()).isZero();
  }

  @Test
  void whatIsNoOptionIsRefused() {
    assertThatThrownBy(() -> Options.parse("--al")).hasMessageContaining("--al");
    assertThatThrownBy(() -> Options.parse("--only")).hasMessageContaining("--only");
    assertThatThrownBy(() -> Options.parse("--forks", "0")).hasMessageContaining("--forks");
    assertThatThrownBy(() -> Options.parse("--sample", "-1")).hasMessageContaining("--sample");
    assertThatThrownBy(() -> Options.parse("--forks", "x")).hasMessageContaining("--forks");
  }

  private static TestClass test(String name, String method, String... tags) {
    return new TestClass("m", name, method, Set.of(tags), Duration.ZERO);
  }
}
