package io.convoke.engine.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.state.TransitionTable.Transition;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransitionCoverageTest {
  private enum Door {
    OPEN,
    SHUT,
    LOCKED
  }

  private enum Act {
    PULL,
    PUSH,
    LOCK
  }

  private static final TransitionTable TABLE =
      TransitionTable.of(
          List.of(
              new Transition("shut", "push", "open"),
              new Transition("open", "pull", "shut"),
              new Transition("shut", "lock", "locked")));

  private static LifecycleStep<Door> door(Door door, Act act) {
    return switch (door) {
      case LOCKED -> new LifecycleStep.StateUnchanged<>("locked for good");
      case OPEN ->
          switch (act) {
            case PULL -> new LifecycleStep.StateChanged<>(Door.SHUT, "pulled");
            case PUSH -> new LifecycleStep.StateUnchanged<>("open already");
            case LOCK -> new LifecycleStep.EventRefused<>("an open door cannot be locked");
          };
      case SHUT ->
          switch (act) {
            case PUSH -> new LifecycleStep.StateChanged<>(Door.OPEN, "pushed");
            case PULL -> new LifecycleStep.StateUnchanged<>("shut already");
            case LOCK -> new LifecycleStep.StateChanged<>(Door.LOCKED, "locked");
          };
    };
  }

  private static TransitionCoverage<Door, Act> coverage(Lifecycle<Door, Act> lifecycle) {
    return new TransitionCoverage<>(lifecycle, TABLE, state -> lower(state), event -> lower(event));
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(java.util.Locale.ROOT);
  }

  @Test
  void everyTransitionTakenIsEnough() {
    TransitionCoverage<Door, Act> coverage = coverage(TransitionCoverageTest::door);
    assertThat(coverage.next(Door.SHUT, Act.PUSH))
        .isEqualTo(new LifecycleStep.StateChanged<>(Door.OPEN, "pushed"));
    var _ = coverage.next(Door.OPEN, Act.PULL);
    var _ = coverage.next(Door.SHUT, Act.LOCK);
    assertThat(coverage.next(Door.OPEN, Act.LOCK)).isInstanceOf(LifecycleStep.EventRefused.class);
    coverage.verify();
  }

  @Test
  void aTransitionThatNoTestTookFails() {
    TransitionCoverage<Door, Act> coverage = coverage(TransitionCoverageTest::door);
    var _ = coverage.next(Door.SHUT, Act.PUSH);
    var _ = coverage.next(Door.SHUT, Act.PULL);
    assertThatThrownBy(coverage::verify)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("open --pull--> shut")
        .hasMessageContaining("shut --lock--> locked")
        .hasMessageNotContaining("shut --push--> open");
  }

  @Test
  void aMoveThatTheTableDoesNotDeclareFails() {
    TransitionCoverage<Door, Act> coverage =
        coverage((door, act) -> new LifecycleStep.StateChanged<>(Door.LOCKED, "by magic"));
    assertThatThrownBy(() -> coverage.next(Door.OPEN, Act.PUSH))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("open --push--> locked");
  }

  @Test
  void aTableDeclaresEachTransitionOnce() {
    Transition row = new Transition("shut", "push", "open");
    assertThatThrownBy(() -> TransitionTable.of(List.of(row, row)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theDiagramSharesAnArrowBetweenEventsThatLeadTheSameWay() {
    TransitionTable table =
        TransitionTable.of(
            List.of(
                new Transition("shut", "push", "open"),
                new Transition("shut", "kick", "open"),
                new Transition("open", "lock", "locked")));
    assertThat(table.mermaid("shut", List.of("locked")))
        .isEqualTo(
            """
            stateDiagram-v2
                [*] --> shut
                shut --> open: push, kick
                open --> locked: lock
                locked --> [*]
            """);
  }
}
