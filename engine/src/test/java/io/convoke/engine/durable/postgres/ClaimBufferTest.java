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
    assertThat(buffer.take()).isEqualTo(new Attempt.Found<>("fresh", false));
    assertThat(buffer.take()).isInstanceOf(Attempt.Empty.class);
  }

  @Test
  void whatWasClaimedEarlyWaitsAndAsksToBeWoken() {
    batches.add(new Batch<>(List.of(held("later", now + HOUR), held("now", now)), true, false));
    assertThat(buffer.take()).isEqualTo(new Attempt.Found<>("now", false));
    assertThat(buffer.take()).isInstanceOf(Attempt.Empty.class);
    assertThat(wakeUps).containsExactly(now + HOUR);
    assertThat(buffer.drain()).containsExactly("later");
  }

  @Test
  void whoWaitsIsWokenForWhatWasClaimedForHim() {
    batches.add(
        new Batch<>(
            List.of(held("mine", now), held("yours", now), held("hers", now)), true, false));
    assertThat(buffer.take()).isEqualTo(new Attempt.Found<>("mine", true));
    assertThat(channel.pending()).isEqualTo(2);
  }

  @Test
  void emptyIsKnownUntilTheNextAnnouncement() {
    assertThat(buffer.take()).isInstanceOf(Attempt.Empty.class);
    batches.add(new Batch<>(List.of(held("new", now)), true, false));
    assertThat(buffer.take()).as("nobody said so").isInstanceOf(Attempt.Empty.class);
    boolean _ = channel.announce();
    assertThat(buffer.take()).isEqualTo(new Attempt.Found<>("new", false));
  }

  @Test
  void aClaimThatLostEverythingToOthersIsNoEmptyQueue() {
    batches.add(new Batch<>(List.of(), true, true));
    batches.add(new Batch<>(List.of(held("one", now)), false, false));
    assertThat(buffer.take()).isInstanceOf(Attempt.Contended.class);
    assertThat(buffer.take()).as("there is more").isEqualTo(new Attempt.Found<>("one", true));
  }

  @Test
  void newWorkIsPromisedOnlyToWhoWaitsForNothingElse() throws Exception {
    assertThat(buffer.promise(2)).as("nobody waits").isZero();
    try (Waiters waiters = new Waiters(channel, 3)) {
      assertThat(buffer.promise(2)).isEqualTo(2);
      assertThat(buffer.promise(2)).as("two of three are promised something").isEqualTo(1);
      assertThat(buffer.promise(2)).isZero();
      buffer.hand(2, List.of());
      assertThat(buffer.promise(5)).as("what came to nothing is free again").isEqualTo(2);
      buffer.hand(3, List.of(held("one", now), held("two", now)));
      assertThat(waiters.awaitWoken()).isEqualTo(2);
      assertThat(buffer.take()).isEqualTo(new Attempt.Found<>("one", true));
    }
  }

  @Test
  void whatNobodyComesForIsGivenBackAfterAWhile() {
    buffer.hand(0, List.of(held("old", now - HOUR), held("young", now), held("later", now + HOUR)));
    assertThat(buffer.stale(Duration.ofMinutes(30))).containsExactly("old");
    assertThat(buffer.take()).isEqualTo(new Attempt.Found<>("young", false));
  }

  private static Held<String> held(String item, long due) {
    return new Held<>(item, due, due + HOUR);
  }
}
