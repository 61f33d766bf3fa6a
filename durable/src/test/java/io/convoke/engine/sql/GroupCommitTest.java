package io.convoke.engine.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class GroupCommitTest {
  private static final Duration NEVER_STUCK = Duration.ofDays(1);

  /** As where the network carries nothing any more: the first commit does not return. */
  @Test
  void aCommitThatHangsHoldsUpNoOtherCaller() throws Exception {
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    GroupCommit<Integer, Integer> group =
        new GroupCommit<>(
            100,
            1,
            Duration.ofMillis(20),
            batch -> {
              if (batch.contains(0)) {
                first.countDown();
                awaitUninterrupted(go);
              }
              return batch;
            });
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Integer> hangs = threads.submit(() -> group.submit(0));
      first.await();
      List<Future<Integer>> others = new ArrayList<>();
      for (int i = 1; i <= 20; i++) {
        int input = i;
        others.add(threads.submit(() -> group.submit(input)));
      }
      try {
        for (int i = 1; i <= 20; i++) {
          assertThat(others.get(i - 1).get(30, TimeUnit.SECONDS)).isEqualTo(i);
        }
        assertThat(hangs.isDone()).isFalse();
      } finally {
        go.countDown();
      }
      assertThat(hangs.get()).isZero();
    }
    assertThat(group.waiting()).isZero();
  }

  @Test
  void eachCallerGetsItsOwnAnswerAndFlightsAreBounded() throws Exception {
    AtomicInteger flying = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger commits = new AtomicInteger();
    GroupCommit<Integer, Integer> group =
        new GroupCommit<>(
            50,
            2,
            NEVER_STUCK,
            batch -> {
              int _ = most.accumulateAndGet(flying.incrementAndGet(), Math::max);
              int _ = commits.incrementAndGet();
              Thread.onSpinWait();
              int _ = flying.decrementAndGet();
              return batch.stream().map(n -> -n).toList();
            });
    int callers = 200;
    int calls = 200;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Boolean>> all = new ArrayList<>();
      for (int caller = 0; caller < callers; caller++) {
        int base = caller * calls;
        all.add(
            threads.submit(
                () -> {
                  for (int i = 1; i <= calls; i++) {
                    assertThat(group.submit(base + i)).isEqualTo(-(base + i));
                  }
                  return true;
                }));
      }
      for (Future<Boolean> one : all) {
        assertThat(one.get()).isTrue();
      }
    }
    assertThat(most.get()).isLessThanOrEqualTo(2);
    assertThat(commits.get()).isLessThanOrEqualTo(callers * calls);
  }

  @Test
  void whatGathersDuringACommitIsCommittedTogether() throws Exception {
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    List<Integer> sizes = new ArrayList<>();
    GroupCommit<Integer, Integer> group =
        new GroupCommit<>(
            100,
            1,
            NEVER_STUCK,
            batch -> {
              sizes.add(batch.size());
              first.countDown();
              awaitUninterrupted(go);
              return batch;
            });
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> all = new ArrayList<>();
      all.add(threads.submit(() -> group.submit(0)));
      first.await();
      for (int i = 1; i <= 30; i++) {
        int input = i;
        all.add(threads.submit(() -> group.submit(input)));
      }
      while (group.waiting() < 30) {
        LockSupport.parkNanos(10_000_000);
      }
      go.countDown();
      for (Future<Integer> one : all) {
        assertThat(one.get()).isNotNegative();
      }
    }
    assertThat(sizes).containsExactly(1, 30);
  }

  @Test
  void aSecondTransactionBeginsBesideAnotherWhenManyInputsWait() throws Exception {
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
    GroupCommit<Integer, Integer> group =
        new GroupCommit<>(
            100,
            2,
            NEVER_STUCK,
            batch -> {
              sizes.add(batch.size());
              if (batch.getFirst() == 0) {
                first.countDown();
                awaitUninterrupted(go);
              }
              return batch;
            });
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> all = new ArrayList<>();
      all.add(threads.submit(() -> group.submit(0)));
      first.await();
      for (int i = 1; i < 64; i++) {
        int input = i;
        all.add(threads.submit(() -> group.submit(input)));
      }
      while (group.waiting() < 63) {
        LockSupport.parkNanos(10_000_000);
      }
      assertThat(sizes).as("few wait for the first").containsExactly(1);
      assertThat(group.submit(64)).as("many do not").isEqualTo(64);
      go.countDown();
      for (Future<Integer> one : all) {
        assertThat(one.get()).isNotNegative();
      }
    }
    assertThat(sizes).containsExactly(1, 64);
  }

  @Test
  void aFaultOfTheStoreIsToldToAllAndTheNextBatchGoesOn() {
    AtomicInteger calls = new AtomicInteger();
    GroupCommit<Integer, Integer> group =
        new GroupCommit<>(
            10,
            1,
            NEVER_STUCK,
            batch -> {
              if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("away");
              }
              return batch;
            });
    assertThatThrownBy(() -> group.submit(1)).hasMessage("away");
    assertThat(group.submit(2)).isEqualTo(2);
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
