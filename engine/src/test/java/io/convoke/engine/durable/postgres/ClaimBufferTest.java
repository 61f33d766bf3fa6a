package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.postgres.ClaimBuffer.Batch;
import io.convoke.engine.durable.postgres.ClaimBuffer.Held;
import io.convoke.engine.wake.Attempt;
import io.convoke.engine.wake.WakeChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of items between their claim and their dispatcher. */
class ClaimBufferTest {
  private static final long HOUR = Duration.ofHours(1).toNanos();

  private final long now = System.nanoTime();
  private final Deque<Batch<String>> batches = new ArrayDeque<>();
  private final List<Long> wakeUps = new ArrayList<>();
  private final WakeChannel channel = new WakeChannel(8);
  private final ClaimBuffer<String> buffer =
      new ClaimBuffer<>(
          limit -> batches.isEmpty() ? new Batch<>(List.of(), true, false) : batches.remove(),
          channel,
          8,
          () -> true,
          wakeUps::add);

  @Test
  void whatHasNoTimeLeftIsNotHandedOut() {
    batches.add(
        new Batch<>(List.of(new Held<>("stale", now, now), held("fresh", now)), true, false));
    assertThat(buffer.take(true)).isEqualTo(new Attempt.Found<>("fresh", false));
    assertThat(buffer.take(true)).isInstanceOf(Attempt.Empty.class);
  }

  @Test
  void whatWasClaimedEarlyWaitsAndAsksToBeWoken() {
    batches.add(new Batch<>(List.of(held("later", now + HOUR), held("now", now)), true, false));
    assertThat(buffer.take(true)).isEqualTo(new Attempt.Found<>("now", false));
    assertThat(buffer.take(true)).isInstanceOf(Attempt.Empty.class);
    assertThat(wakeUps).containsExactly(now + HOUR);
    assertThat(buffer.drain()).containsExactly("later");
  }

  @Test
  void whoWaitsIsWokenForWhatWasClaimedForHim() {
    batches.add(
        new Batch<>(
            List.of(held("mine", now), held("yours", now), held("hers", now)), true, false));
    assertThat(buffer.take(true)).isEqualTo(new Attempt.Found<>("mine", true));
    assertThat(channel.pending()).isEqualTo(2);
  }

  @Test
  void emptyIsKnownUntilTheNextAnnouncement() {
    assertThat(buffer.take(true)).isInstanceOf(Attempt.Empty.class);
    batches.add(new Batch<>(List.of(held("new", now)), true, false));
    assertThat(buffer.take(true)).as("nobody said so").isInstanceOf(Attempt.Empty.class);
    boolean _ = channel.announce();
    assertThat(buffer.take(true)).isEqualTo(new Attempt.Found<>("new", false));
  }

  @Test
  void aClaimThatLostEverythingToOthersIsNoEmptyQueue() {
    batches.add(new Batch<>(List.of(), true, true));
    batches.add(new Batch<>(List.of(held("one", now)), false, false));
    assertThat(buffer.take(true)).isInstanceOf(Attempt.Contended.class);
    assertThat(buffer.take(true)).as("there is more").isEqualTo(new Attempt.Found<>("one", true));
  }

  private static Held<String> held(String item, long due) {
    return new Held<>(item, due, due + HOUR);
  }
}
