package io.convoke.gate;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PendingTest {
  @Test
  void aNewForkTakesTheLongestClass() {
    Pending pending = pending(Map.of("a Short", 1.0, "b Long", 9.0, "a Middle", 5.0));
    assertThat(take(pending, Optional.empty())).map(TestClass::name).contains("Long");
  }

  @Test
  void aForkStaysWithItsModuleAsLongAsItsClassesAreOfAboutTheSameLength() {
    Pending pending = pending(Map.of("a One", 4.0, "b Two", 9.0, "a Three", 3.0));
    assertThat(take(pending, "a", 3)).containsExactly("One", "Three", "Two");
  }

  @Test
  void aForkLeavesItsModuleForAMuchLongerClass() {
    Pending pending = pending(Map.of("a One", 5.0, "b Two", 31.0));
    assertThat(take(pending, "a", 1)).containsExactly("Two");
  }

  @Test
  void aForkDoesNotLeaveItsModuleForAShortClass() {
    Pending pending = pending(Map.of("a One", 1.0, "b Two", 19.0));
    assertThat(take(pending, "a", 2)).containsExactly("One", "Two");
  }

  @Test
  void eachClassIsTakenOnce() {
    Pending pending = pending(Map.of("a One", 2.0, "b Two", 9.0, "b Three", 1.0));
    assertThat(take(pending, "b", 3)).containsExactlyInAnyOrder("One", "Two", "Three");
    assertThat(take(pending, Optional.of("b"))).isEmpty();
  }

  @Test
  void heavyClassesAreSpreadOverTheRun() {
    TestClass first = new TestClass("a", "First", "", Set.of(TestClass.HEAVY), Duration.ZERO);
    TestClass second = new TestClass("a", "Second", "", Set.of(TestClass.HEAVY), Duration.ZERO);
    TestClass light = new TestClass("a", "Light", "", Set.of(), Duration.ZERO);
    TestClass other = new TestClass("b", "Other", "", Set.of(), Duration.ZERO);
    Pending pending =
        new Pending(
            List.of(first, second, light, other),
            it -> it.isHeavy() ? 9 : it.equals(light) ? 2 : 1,
            1);
    assertThat(take(pending, Optional.empty())).contains(first);
    assertThat(take(pending, Optional.empty())).contains(light);
    assertThat(pending.take(Optional.of("a"), Optional.of(light))).contains(other);
    assertThat(take(pending, Optional.of("b"))).contains(second);
    assertThat(pending.take(Optional.of("a"), Optional.of(first))).isEmpty();
  }

  @Test
  void aHeavyClassIsTakenWhenAnotherOneHasEnded() {
    TestClass first = new TestClass("a", "First", "", Set.of(TestClass.HEAVY), Duration.ZERO);
    TestClass second = new TestClass("a", "Second", "", Set.of(TestClass.HEAVY), Duration.ZERO);
    TestClass light = new TestClass("a", "Light", "", Set.of(), Duration.ZERO);
    Pending pending = new Pending(List.of(first, second, light), it -> it.isHeavy() ? 9 : 2, 1);
    assertThat(take(pending, Optional.empty())).contains(first);
    assertThat(pending.take(Optional.of("a"), Optional.of(first))).contains(second);
  }

  @Test
  void whatRunsAloneIsTakenLastByTheForkThatIsLeft() {
    TestClass first = new TestClass("a", "First", "", Set.of(TestClass.ALONE), Duration.ZERO);
    TestClass second = new TestClass("b", "Second", "", Set.of(TestClass.ALONE), Duration.ZERO);
    TestClass other = new TestClass("a", "Other", "", Set.of(), Duration.ZERO);
    TestClass another = new TestClass("b", "Another", "", Set.of(), Duration.ZERO);
    Pending pending =
        new Pending(List.of(first, second, other, another), it -> it.isAlone() ? 99 : 9, 1);
    assertThat(take(pending, Optional.empty())).contains(other);
    assertThat(take(pending, Optional.empty())).contains(another);
    assertThat(pending.take(Optional.of("a"), Optional.of(other))).isEmpty();
    assertThat(pending.take(Optional.of("b"), Optional.of(another))).contains(first);
    assertThat(take(pending, Optional.empty())).isEmpty();
    assertThat(pending.take(Optional.of("a"), Optional.of(first))).contains(second);
    assertThat(pending.take(Optional.of("b"), Optional.of(second))).isEmpty();
  }

  private static Optional<TestClass> take(Pending pending, Optional<String> module) {
    return pending.take(module, Optional.empty());
  }

  private static List<String> take(Pending pending, String module, int times) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      names.add(take(pending, Optional.of(module)).orElseThrow().name());
    }
    return names;
  }

  /** Classes as {@code module name} with their seconds. */
  private static Pending pending(Map<String, Double> seconds) {
    List<TestClass> classes =
        seconds.keySet().stream()
            .map(it -> it.split(" ", -1))
            .map(words -> new TestClass(words[0], words[1], "", Set.of(), Duration.ZERO))
            .toList();
    return new Pending(
        classes, it -> seconds.getOrDefault(it.module() + ' ' + it.name(), Double.NaN), 9);
  }
}
