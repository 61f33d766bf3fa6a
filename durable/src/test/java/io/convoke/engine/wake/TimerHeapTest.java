package io.convoke.engine.wake;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TimerHeapTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private final TestSignal<String> fired = new TestSignal<>();

  @Test
  void anEarlierTimerIsNotHeldUpByALaterOne() {
    try (var heap = new TimerHeap<String>("timers", 10, fired::emit);
        var seen = fired.observe()) {
      heap.after(Duration.ofHours(1), "late");
      heap.after(Duration.ofMillis(20), "soon");
      assertThat(seen.await(LONG)).isEqualTo("soon");
      assertThat(heap.size()).isOne();
    }
  }

  @Test
  void aReceiverThatFailsDoesNotStopTheOthers() {
    try (var heap =
            new TimerHeap<String>(
                "timers",
                10,
                key -> {
                  fired.emit(key);
                  if (key.equals("broken")) {
                    throw new IllegalStateException("on purpose");
                  }
                });
        var seen = fired.observe()) {
      heap.after(Duration.ZERO, "broken");
      assertThat(seen.await(LONG)).isEqualTo("broken");
      heap.after(Duration.ZERO, "whole");
      assertThat(seen.await(LONG)).isEqualTo("whole");
      assertThat(heap.restarts()).isOne();
    }
  }

  @Test
  void whatIsDueWithABrokenOneFiresToo() {
    try (var heap =
            new TimerHeap<String>(
                "timers",
                10,
                key -> {
                  if (key.equals("broken")) {
                    throw new IllegalStateException("on purpose");
                  }
                  fired.emit(key);
                });
        var seen = fired.observe()) {
      long due = System.nanoTime() + Duration.ofMillis(100).toNanos();
      heap.at(due, "broken");
      heap.at(due, "whole");
      assertThat(seen.await(LONG)).isEqualTo("whole");
    }
  }

  @Test
  void onceClosedItHasNoThreadAndTakesNoTimer() {
    var heap = new TimerHeap<String>("timers-closed", 10, fired::emit);
    heap.close();
    heap.after(Duration.ofHours(1), "late");
    assertThat(heap.size()).isZero();
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .doesNotContain("timers-closed");
  }

  @Test
  void allTimersOfAKeyThatAreDueFireOnce() {
    TimerQueue<String> queue = new TimerQueue<>(10);
    assertThat(queue.add("a", 3)).isTrue();
    assertThat(queue.add("a", 1)).isTrue();
    assertThat(queue.add("b", 2)).isFalse();
    assertThat(queue.add("a", 1)).isFalse();
    assertThat(queue.takeDue(2)).containsExactly("a", "b");
    assertThat(queue.earliest()).hasValue(3);
    assertThat(queue.size()).isOne();
  }

  @Test
  void whenFullTheLatestGivesWay() {
    Random random = new Random(1);
    TimerQueue<String> queue = new TimerQueue<>(100);
    List<Long> all = random.longs(10_000, 0, 1_000_000).boxed().distinct().toList();
    all.forEach(due -> queue.add("k", due));
    assertThat(queue.size()).isEqualTo(100);
    long hundredth = all.stream().sorted().skip(99).findFirst().orElseThrow();
    assertThat(queue.takeDue(hundredth)).containsExactly("k");
    assertThat(queue.size()).isZero();
  }

  @Test
  void theStoresClockIsNeverAheadAndFollowsTheBestAnswer() {
    Instant machine = Instant.parse("2026-01-01T00:00:00Z");
    StoreClock clock = new StoreClock(machine);
    Instant store = machine.plusSeconds(5);
    clock.answered(store);
    clock.answered(store.minusMillis(300));
    assertThat(clock.now()).isBetween(store, store.plusSeconds(2));
    long wait = clock.monotonic(store.plusSeconds(10)) - System.nanoTime();
    assertThat(Duration.ofNanos(wait)).isBetween(Duration.ofSeconds(8), Duration.ofSeconds(10));
    assertThat(clock.monotonic(Instant.MAX)).isPositive();
  }
}
