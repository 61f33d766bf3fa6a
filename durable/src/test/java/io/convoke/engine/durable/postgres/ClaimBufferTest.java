package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.postgres.ClaimBuffer.BufferedItem;
import io.convoke.engine.durable.postgres.ClaimBuffer.ClaimBatch;
import io.convoke.engine.wake.PollResult;
import io.convoke.engine.wake.WakeChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The path of items from their claim to a dispatcher. */
class ClaimBufferTest {
  private static final long HOUR = Duration.ofHours(1).toNanos();

  private final long now = System.nanoTime();
  private final Deque<ClaimBatch<String>> batches = new ArrayDeque<>();
  private final List<Long> wakeUps = new ArrayList<>();
  private final WakeChannel channel = new WakeChannel(8);
  private final ClaimBuffer<String> buffer =
      new ClaimBuffer<>(
          limit -> batches.isEmpty() ? new ClaimBatch<>(List.of(), true, false) : batches.remove(),
          channel,
          8,
          () -> true,
          wakeUps::add);

  @Test
  void whatHasNoTimeLeftIsNotHandedOut() {
    batches.add(
        new ClaimBatch<>(
            List.of(new BufferedItem<>("stale", now, now), held("fresh", now)), true, false));
    assertThat(buffer.claim()).isEqualTo(new PollResult.WorkFound<>("fresh", false));
    assertThat(buffer.claim()).isInstanceOf(PollResult.NoWork.class);
  }

  @Test
  void whatWasClaimedEarlyWaitsAndAsksToBeWoken() {
    batches.add(
        new ClaimBatch<>(List.of(held("later", now + HOUR), held("now", now)), true, false));
    assertThat(buffer.claim()).isEqualTo(new PollResult.WorkFound<>("now", false));
    assertThat(buffer.claim()).isInstanceOf(PollResult.NoWork.class);
    assertThat(wakeUps).containsExactly(now + HOUR);
    assertThat(buffer.drain()).containsExactly("later");
  }

  @Test
  void whoWaitsIsWokenForWhatWasClaimedForHim() {
    batches.add(
        new ClaimBatch<>(
            List.of(held("mine", now), held("yours", now), held("hers", now)), true, false));
    assertThat(buffer.claim()).isEqualTo(new PollResult.WorkFound<>("mine", true));
    assertThat(channel.pending()).isEqualTo(2);
  }

  @Test
  void emptyIsKnownUntilTheNextAnnouncement() {
    assertThat(buffer.claim()).isInstanceOf(PollResult.NoWork.class);
    batches.add(new ClaimBatch<>(List.of(held("new", now)), true, false));
    assertThat(buffer.claim()).as("not announced").isInstanceOf(PollResult.NoWork.class);
    boolean _ = channel.announce();
    assertThat(buffer.claim()).isEqualTo(new PollResult.WorkFound<>("new", false));
  }

  @Test
  void aClaimThatLostEverythingToOthersIsNoEmptyQueue() {
    batches.add(new ClaimBatch<>(List.of(), true, true));
    batches.add(new ClaimBatch<>(List.of(held("one", now)), false, false));
    assertThat(buffer.claim()).isInstanceOf(PollResult.WorkContended.class);
    assertThat(buffer.claim())
        .as("there is more")
        .isEqualTo(new PollResult.WorkFound<>("one", true));
  }

  @Test
  void newWorkIsPromisedOnlyToWhoWaitsForNothingElse() throws Exception {
    assertThat(buffer.promise(2)).as("no dispatcher waits").isZero();
    try (TokenWaiters tokenWaiters = new TokenWaiters(channel, 3)) {
      assertThat(buffer.promise(2)).isEqualTo(2);
      assertThat(buffer.promise(2)).as("two of three are promised something").isEqualTo(1);
      assertThat(buffer.promise(2)).isZero();
      buffer.hand(2, List.of());
      assertThat(buffer.promise(5)).as("what came to nothing is free again").isEqualTo(2);
      buffer.hand(3, List.of(held("one", now), held("two", now)));
      assertThat(tokenWaiters.awaitWoken()).isEqualTo(2);
      assertThat(buffer.claim()).isEqualTo(new PollResult.WorkFound<>("one", true));
    }
  }

  @Test
  void whatNobodyComesForIsGivenBackAfterAWhile() {
    buffer.hand(0, List.of(held("old", now - HOUR), held("young", now), held("later", now + HOUR)));
    assertThat(buffer.stale(Duration.ofMinutes(30))).containsExactly("old");
    assertThat(buffer.claim()).isEqualTo(new PollResult.WorkFound<>("young", false));
  }

  private static BufferedItem<String> held(String item, long due) {
    return new BufferedItem<>(item, due, due + HOUR);
  }
}
