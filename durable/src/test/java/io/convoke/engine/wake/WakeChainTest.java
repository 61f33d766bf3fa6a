package io.convoke.engine.wake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The tokens and polls of a chain, counted. */
class WakeChainTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private final ConcurrentLinkedQueue<Integer> queue = new ConcurrentLinkedQueue<>();
  private final WakeChannel channel = new WakeChannel(4);
  private final WakeChain chain = new WakeChain(channel);

  @Test
  void oneItemWakesAtMostTwo() throws Exception {
    try (Crew crew = new Crew(4, 1)) {
      crew.awaitAllWaiting();
      long before = chain.pollCount();
      queue.add(1);
      boolean _ = channel.send();
      crew.awaitDone();
      crew.awaitAllWaiting();
      assertThat(chain.pollCount() - before).isLessThanOrEqualTo(2 + 1);
      assertThat(channel.sent()).isEqualTo(2);
    }
  }

  @Test
  void aBurstOfHundredCostsAtMostEightTokens() throws Exception {
    try (Crew crew = new Crew(4, 100)) {
      crew.awaitAllWaiting();
      long looksBefore = chain.pollCount();
      for (int i = 0; i < 100; i++) {
        queue.add(i);
      }
      boolean _ = channel.send();
      crew.awaitDone();
      crew.awaitAllWaiting();
      assertThat(channel.sent()).isLessThanOrEqualTo(8);
      long windDown = chain.pollCount() - looksBefore - 100;
      assertThat(windDown).as("empty looks").isLessThanOrEqualTo(4);
    }
  }

  @Test
  void underLoadNobodySendsTokens() throws Exception {
    for (int i = 0; i < 1000; i++) {
      queue.add(i);
    }
    try (Crew crew = new Crew(4, 1000)) {
      crew.awaitDone();
      assertThat(channel.sent()).isZero();
    }
  }

  @Test
  void whatIsKnownToBeEmptyIsNotLookedAtAgain() throws Exception {
    assertThat(chain.fetch(this::look, Duration.ZERO)).isEmpty();
    for (int dispatcher = 0; dispatcher < 256; dispatcher++) {
      assertThat(chain.fetch(this::look, Duration.ZERO)).isEmpty();
    }
    assertThat(chain.pollCount()).isOne();
    queue.add(7);
    boolean _ = channel.send();
    assertThat(chain.fetch(this::look, Duration.ZERO)).contains(7);
  }

  /** Flaw 13: only a dispatcher that found work with more behind it sends a token on. */
  @Test
  void anEmptyLookAndTheLastItemSendNoToken() throws Exception {
    boolean _ = channel.send();
    assertThat(chain.fetch(this::look, Duration.ofMillis(1))).isEmpty();
    assertThat(channel.sent()).isOne();
    queue.add(7);
    boolean _ = channel.send();
    Supplier<PollResult<Integer>> last =
        () ->
            look() instanceof PollResult.WorkFound<Integer> workFound
                ? new PollResult.WorkFound<>(workFound.work(), false)
                : PollResult.empty();
    assertThat(chain.fetch(last, LONG)).contains(7);
    assertThat(channel.sent()).isEqualTo(2);
  }

  /** Flaws 15 and 16: a wait that times out without a token is not followed by a poll. */
  @Test
  void aPollTimeoutIsNoReasonToLook() throws Exception {
    for (int poll = 0; poll < 20; poll++) {
      assertThat(chain.fetch(this::look, Duration.ofMillis(1))).isEmpty();
    }
    assertThat(chain.pollCount()).isOne();
  }

  @Test
  void aLookThatFailsGivesItsTokenOn() throws Exception {
    AtomicBoolean looked = new AtomicBoolean();
    Supplier<PollResult<Integer>> broken =
        () -> {
          if (looked.getAndSet(true)) {
            throw new IllegalStateException("the store is away");
          }
          boolean _ = queue.add(7) && channel.send();
          return PollResult.empty();
        };
    assertThatThrownBy(() -> chain.fetch(broken, LONG)).hasMessageContaining("away");
    assertThat(channel.pending()).as("the token that it had taken").isOne();
    assertThat(chain.fetch(this::look, LONG)).contains(7);
  }

  @Test
  void whoLosesARaceLooksAgain() throws Exception {
    AtomicBoolean lost = new AtomicBoolean();
    queue.add(7);
    Optional<Integer> got =
        chain.fetch(() -> lost.compareAndSet(false, true) ? PollResult.contended() : look(), LONG);
    assertThat(got).contains(7);
  }

  @Test
  void betweenTwoLostRacesItPausesForATimeOfItsOwnAndNotBeyondTheEnd() throws Exception {
    List<Long> pauses = new ArrayList<>();
    WakeChain paused = new WakeChain(channel, pauses::add);
    Supplier<PollResult<Integer>> tenthWins =
        () -> pauses.size() < 10 ? PollResult.contended() : PollResult.found(7);
    assertThat(paused.fetch(tenthWins, LONG)).contains(7);
    assertThat(pauses).hasSize(10).allMatch(it -> it >= 1_250_000 && it <= 5_000_000);
    assertThat(pauses.stream().distinct()).hasSizeGreaterThan(5);
    assertThat(paused.fetch(PollResult::contended, Duration.ZERO)).isEmpty();
    assertThat(pauses).as("at the end of the time").hasSize(10);
  }

  @Test
  void itKnowsHowManyTokensThereWereBeforeTheLastEmptyLook() throws Exception {
    boolean _ = channel.send();
    assertThat(chain.emptyAt()).isNegative();
    assertThat(chain.fetch(this::look, Duration.ZERO)).isEmpty();
    assertThat(chain.emptyAt()).isOne();
  }

  @Test
  void closingEndsEveryWait() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Optional<Integer>> waiting = threads.submit(() -> chain.fetch(this::look, LONG));
      while (channel.waiting() == 0) {
        LockSupport.parkNanos(10_000_000);
      }
      channel.close();
      assertThat(waiting.get(20, TimeUnit.SECONDS)).isEmpty();
    }
  }

  private PollResult<Integer> look() {
    Integer item = queue.poll();
    return item == null ? PollResult.empty() : PollResult.found(item);
  }

  /** Dispatchers that fetch until a number of items is done, then until they are closed. */
  private final class Crew implements AutoCloseable {
    private final int size;
    private final CountDownLatch done;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean closed;

    Crew(int size, int items) {
      this.size = size;
      this.done = new CountDownLatch(items);
      for (int i = 0; i < size; i++) {
        threads.add(Thread.ofVirtual().start(this::run));
      }
    }

    private void run() {
      try {
        while (!closed) {
          if (chain.fetch(WakeChainTest.this::look, LONG).isPresent()) {
            done.countDown();
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    void awaitAllWaiting() {
      while (channel.waiting() < size || channel.pending() > 0) {
        LockSupport.parkNanos(10_000_000);
      }
    }

    void awaitDone() throws InterruptedException {
      assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Override
    public void close() {
      closed = true;
      channel.close();
      try {
        for (Thread thread : threads) {
          thread.join();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
