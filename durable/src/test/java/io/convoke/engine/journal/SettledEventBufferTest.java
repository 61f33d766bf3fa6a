package io.convoke.engine.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SettledEventBufferTest {
  private final AtomicLong nanos = new AtomicLong(Duration.ofHours(1).toNanos());
  private final SettledEventBuffer settledEventBuffer = new SettledEventBuffer(nanos::get);
  private final AtomicBoolean asked = new AtomicBoolean();

  @Test
  void memoryReachesBackToItsBeginningAndNoFurther() {
    settledEventBuffer.grow(10, List.of());
    settledEventBuffer.grow(13, events(11, 12, 13));
    assertThat(settledEventBuffer.after(9, EventFilter.ALL, 100)).isEmpty();
    assertThat(settledEventBuffer.after(10, EventFilter.ALL, 100).orElseThrow())
        .isEqualTo(new SettledEventBuffer.EventRange(events(11, 12, 13), 13));
    assertThat(settledEventBuffer.after(12, EventFilter.ALL, 100).orElseThrow())
        .isEqualTo(new SettledEventBuffer.EventRange(events(13), 13));
  }

  @Test
  void aFullPieceEndsWhereItsLastEventIs() {
    settledEventBuffer.grow(0, List.of());
    settledEventBuffer.grow(5, events(1, 3, 5));
    assertThat(settledEventBuffer.after(0, EventFilter.ALL, 2).orElseThrow())
        .isEqualTo(new SettledEventBuffer.EventRange(events(1, 3), 3));
  }

  @Test
  void whatDoesNotFitIsReadAndLeftOut() {
    settledEventBuffer.grow(0, List.of());
    settledEventBuffer.grow(4, events(1, 2, 3, 4));
    assertThat(settledEventBuffer.after(1, EventFilter.subject("s3"), 9).orElseThrow())
        .isEqualTo(new SettledEventBuffer.EventRange(events(3), 4));
  }

  @Test
  void theOldestAreForgottenWhenItIsFull() {
    settledEventBuffer.grow(0, List.of());
    settledEventBuffer.grow(5000, events(LongStream.rangeClosed(1, 5000).toArray()));
    assertThat(settledEventBuffer.after(903, EventFilter.ALL, 9)).isEmpty();
    assertThat(settledEventBuffer.after(904, EventFilter.ALL, 1).orElseThrow().events())
        .containsExactlyElementsOf(events(905));
  }

  /** Their words may have been deleted from the table since. */
  @Test
  void memoryEndsAfterAMinute() {
    settledEventBuffer.grow(0, List.of());
    settledEventBuffer.grow(2, events(1, 2));
    long begun = nanos.getAndAdd(Duration.ofSeconds(30).toNanos());
    settledEventBuffer.grow(4, events(3));
    nanos.set(begun + Duration.ofMinutes(1).toNanos() - 1);
    assertThat(settledEventBuffer.after(0, EventFilter.ALL, 9).orElseThrow())
        .isEqualTo(new SettledEventBuffer.EventRange(events(1, 2, 3), 4));
    nanos.incrementAndGet();
    assertThat(settledEventBuffer.after(1, EventFilter.ALL, 9)).isEmpty();
    assertThat(settledEventBuffer.after(2, EventFilter.ALL, 9).orElseThrow())
        .isEqualTo(new SettledEventBuffer.EventRange(events(3), 4));
    nanos.addAndGet(Duration.ofDays(1).toNanos());
    assertThat(settledEventBuffer.after(2, EventFilter.ALL, 9)).isEmpty();
    assertThat(settledEventBuffer.after(3, EventFilter.ALL, 9).orElseThrow())
        .isEqualTo(new SettledEventBuffer.EventRange(List.of(), 4));
  }

  @Test
  void aReaderHearsOfTheEndAndOfItsOwnStop() throws InterruptedException {
    settledEventBuffer.grow(3, List.of());
    long soon = System.nanoTime();
    long never = soon + 3_600_000_000_000L;
    assertThat(settledEventBuffer.awaitAfter(2, soon, () -> false)).contains(3L);
    assertThat(settledEventBuffer.awaitAfter(3, soon, () -> false)).isEmpty();
    assertThat(settledEventBuffer.awaitAfter(3, never, () -> true)).isEmpty();
    settledEventBuffer.close();
    assertThat(settledEventBuffer.awaitAfter(3, never, () -> false)).isEmpty();
    assertThat(settledEventBuffer.closed()).isTrue();
  }

  @Test
  void aPieceOfAllThereIsReachesToTheEnd() {
    settledEventBuffer.grow(0, List.of());
    assertThat(settledEventBuffer.after(0, EventFilter.ALL, 3).orElseThrow())
        .isEqualTo(new SettledEventBuffer.EventRange(List.of(), 0));
    settledEventBuffer.grow(6, events(1, 3, 5));
    assertThat(settledEventBuffer.after(0, EventFilter.ALL, 3).orElseThrow())
        .isEqualTo(new SettledEventBuffer.EventRange(events(1, 3, 5), 6));
  }

  @Test
  void aReaderThatWaitsIsWokenByWhatSettlesByItsStopAndByTheEnd() throws Exception {
    settledEventBuffer.grow(3, List.of());
    AtomicBoolean stop = new AtomicBoolean();
    try (ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread::new)) {
      Future<Optional<Long>> grown = threads.submit(() -> wait(3, stop));
      awaitReader();
      settledEventBuffer.grow(4, events(4));
      assertThat(grown.get(20, TimeUnit.SECONDS)).contains(4L);

      Future<Optional<Long>> stopped = threads.submit(() -> wait(4, stop));
      awaitReader();
      stop.set(true);
      settledEventBuffer.wakeReaders();
      assertThat(stopped.get(20, TimeUnit.SECONDS)).isEmpty();

      stop.set(false);
      asked.set(false);
      assertThat(settledEventBuffer.closed()).isFalse();
      Future<Optional<Long>> closed = threads.submit(() -> wait(4, stop));
      awaitReader();
      settledEventBuffer.close();
      assertThat(closed.get(20, TimeUnit.SECONDS)).isEmpty();
    }
  }

  /** Each call on a thread of its own: one that kept the lock would block the next. */
  @Test
  void noCallKeepsOthersOut() throws Exception {
    try (ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread::new)) {
      for (Runnable call :
          List.<Runnable>of(
              () -> settledEventBuffer.grow(1, List.of()),
              () -> settledEventBuffer.after(1, EventFilter.ALL, 1),
              () -> wait(0, new AtomicBoolean()),
              settledEventBuffer::wakeReaders,
              settledEventBuffer::closed,
              settledEventBuffer::close,
              settledEventBuffer::closed)) {
        assertThat(threads.submit(call, true).get(20, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  /**
   * A reader asks whether to stop with the lock in hand, so it waits when another gets the lock.
   */
  private void awaitReader() {
    while (!asked.getAndSet(false)) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  private Optional<Long> wait(long after, AtomicBoolean stop) {
    try {
      return settledEventBuffer.awaitAfter(
          after,
          System.nanoTime() + Duration.ofHours(1).toNanos(),
          () -> {
            asked.set(true);
            return stop.get();
          });
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static List<JournalEvent> events(long... seqs) {
    return LongStream.of(seqs)
        .mapToObj(
            seq ->
                new JournalEvent(
                    seq, "t", "s" + seq, Optional.empty(), Instant.EPOCH, Json.tree(Map.of())))
        .toList();
  }
}
