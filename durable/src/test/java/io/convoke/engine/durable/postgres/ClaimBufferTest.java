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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** The path of items from their claim to a dispatcher. */
class ClaimBufferTest {
  private static final long HOUR = Duration.ofHours(1).toNanos();

  private final long now = System.nanoTime();
  private final Deque<ClaimBatch<String>> batches = new ArrayDeque<>();
  private final List<Long> wakeUps = new ArrayList<>();
  private final List<Integer> limits = new ArrayList<>();
  private final WakeChannel channel = new WakeChannel(8);
  private final ClaimBuffer<String> buffer =
      new ClaimBuffer<>(this::claim, channel, 8, () -> true, wakeUps::add);

  private ClaimBatch<String> claim(int limit) {
    boolean _ = limits.add(limit);
    return batches.isEmpty() ? new ClaimBatch<>(List.of(), true, false) : batches.remove();
  }

  @Test
  void anItemIsForItsTimeOnly() {
    BufferedItem<String> item = new BufferedItem<>("one", 5, 9);
    assertThat(item.isDue(4)).isFalse();
    assertThat(item.isDue(5)).isTrue();
    assertThat(item.isUseless(8)).isFalse();
    assertThat(item.isUseless(9)).isTrue();
  }

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
  void aClaimIsForAllWhoWait() {
    try (TokenWaiters _ = new TokenWaiters(channel, 3)) {
      assertThat(buffer.claim()).isInstanceOf(PollResult.NoWork.class);
    }
    assertThat(limits).containsExactly(4);
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
  void withoutAnnouncementsNothingIsPromised() {
    ClaimBuffer<String> deaf =
        new ClaimBuffer<>(this::claim, channel, 8, () -> false, wakeUps::add);
    try (TokenWaiters _ = new TokenWaiters(channel, 1)) {
      assertThat(deaf.promise(1)).isZero();
    }
  }

  /** One claims in the store, and one queues behind it. */
  @Test
  void newWorkIsPromisedToWhoQueuesBehindAClaim() throws Exception {
    CompletableFuture<ClaimBatch<String>> answer = new CompletableFuture<>();
    ClaimBuffer<String> slow =
        new ClaimBuffer<>(_ -> answer.join(), channel, 8, () -> true, wakeUps::add);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<PollResult<String>> one = threads.submit(slow::claim);
      Future<PollResult<String>> other = threads.submit(slow::claim);
      int promised = slow.promise(5);
      while (promised == 0) {
        LockSupport.parkNanos(100_000);
        promised = slow.promise(5);
      }
      slow.hand(promised, List.of(held("new", now)));
      boolean _ = answer.complete(new ClaimBatch<>(List.of(), true, false));
      assertThat(promised).isEqualTo(1);
      assertThat(List.of(one.get(20, TimeUnit.SECONDS), other.get(20, TimeUnit.SECONDS)))
          .containsExactlyInAnyOrder(
              new PollResult.WorkFound<>("new", false), new PollResult.NoWork<>());
    }
  }

  @Test
  void whatIsDrainedIsGone() {
    assertThat(buffer.isEmpty()).isTrue();
    buffer.hand(0, List.of(held("one", now), held("later", now + HOUR)));
    assertThat(buffer.isEmpty()).isFalse();
    assertThat(buffer.drain()).containsExactlyInAnyOrder("one", "later");
    assertThat(buffer.isEmpty()).isTrue();
    assertThat(buffer.drain()).isEmpty();
  }

  /** Each call on a thread of its own: one that kept a lock would block the next. */
  @Test
  void noCallKeepsOthersOut() throws Exception {
    try (ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread::new)) {
      for (Runnable call :
          List.<Runnable>of(
              () -> buffer.promise(1),
              () -> buffer.hand(0, List.of()),
              buffer::claim,
              buffer::claim,
              () -> buffer.stale(Duration.ZERO),
              buffer::isEmpty,
              buffer::drain,
              buffer::isEmpty)) {
        assertThat(threads.submit(call, true).get(20, TimeUnit.SECONDS)).isTrue();
      }
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
