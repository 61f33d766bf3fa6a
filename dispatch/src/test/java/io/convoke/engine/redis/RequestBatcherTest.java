package io.convoke.engine.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RequestBatcherTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  /** Calls that the test answers by hand. */
  private record Sent(List<Integer> inputs, CompletableFuture<List<Integer>> answer) {
    void reply() {
      boolean _ = answer.complete(inputs.stream().map(n -> -n).toList());
    }
  }

  private final ConcurrentLinkedDeque<Sent> sent = new ConcurrentLinkedDeque<>();

  private CompletionStage<List<Integer>> send(List<Integer> inputs) {
    Sent one = new Sent(inputs, new CompletableFuture<>());
    sent.add(one);
    return one.answer;
  }

  @Test
  void whatComesWhileACallIsOnItsWayIsTheNextOne() {
    RequestBatcher<Integer, Integer> requestBatcher = new RequestBatcher<>(3, 1, this::send);
    List<CompletableFuture<Integer>> answers = new ArrayList<>();
    for (int i = 1; i <= 5; i++) {
      answers.add(requestBatcher.begin(i));
    }
    assertThat(sent).extracting(Sent::inputs).containsExactly(List.of(1));
    sent.getLast().reply();
    assertThat(sent.getLast().inputs).containsExactly(2, 3, 4);
    assertThat(answers.getFirst()).isCompletedWithValue(-1);
    assertThat(answers.get(1)).isNotDone();
    sent.getLast().reply();
    sent.getLast().reply();
    assertThat(sent).hasSize(3);
    assertThat(answers.stream().map(CompletableFuture::join)).containsExactly(-1, -2, -3, -4, -5);
    CompletableFuture<Integer> _ = requestBatcher.begin(6);
    assertThat(sent.getLast().inputs).containsExactly(6);
  }

  @Test
  void soManyCallsAreOnTheirWayAndNoMore() {
    RequestBatcher<Integer, Integer> requestBatcher = new RequestBatcher<>(10, 2, this::send);
    for (int i = 1; i <= 4; i++) {
      CompletableFuture<Integer> _ = requestBatcher.begin(i);
    }
    assertThat(sent).extracting(Sent::inputs).containsExactly(List.of(1), List.of(2));
  }

  @Test
  void aFailedCallFailsAllOfItsItemsAndNoOthers() {
    RequestBatcher<Integer, Integer> requestBatcher = new RequestBatcher<>(10, 1, this::send);
    CompletableFuture<Integer> first = requestBatcher.begin(1);
    CompletableFuture<Integer> second = requestBatcher.begin(2);
    CompletableFuture<Integer> third = requestBatcher.begin(3);
    sent.getLast().reply();
    boolean _ = sent.getLast().answer.completeExceptionally(new RedisUnavailable(null));
    assertThat(first).isCompletedWithValue(-1);
    for (CompletableFuture<Integer> each : List.of(second, third)) {
      assertThat(each)
          .failsWithin(LONG)
          .withThrowableThat()
          .withCauseInstanceOf(RedisUnavailable.class);
    }
    CompletableFuture<Integer> fourth = requestBatcher.begin(4);
    sent.getLast().reply();
    assertThat(fourth).isCompletedWithValue(-4);
  }

  @Test
  void aCallThatCannotBeSentOrIsNotAnsweredForAllFails() {
    RequestBatcher<Integer, Integer> broken =
        new RequestBatcher<>(
            10,
            1,
            inputs -> {
              throw new RedisUnavailable(null);
            });
    for (int i = 0; i < 2; i++) {
      assertThat(broken.begin(1))
          .failsWithin(LONG)
          .withThrowableThat()
          .withCauseInstanceOf(RedisUnavailable.class);
    }
    RequestBatcher<Integer, Integer> terse =
        new RequestBatcher<>(10, 1, inputs -> CompletableFuture.completedFuture(List.of()));
    assertThat(terse.begin(1))
        .failsWithin(LONG)
        .withThrowableThat()
        .withCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void eachOfManyThreadsGetsItsOwnAnswer() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      RequestBatcher<Integer, Integer> requestBatcher =
          new RequestBatcher<>(
              50,
              2,
              inputs -> {
                int _ = calls.incrementAndGet();
                return CompletableFuture.supplyAsync(
                    () -> inputs.stream().map(n -> -n).toList(), threads);
              });
      List<Future<Boolean>> all = new ArrayList<>();
      for (int caller = 0; caller < 100; caller++) {
        int base = caller * 100;
        all.add(
            threads.submit(
                () -> {
                  for (int i = 1; i <= 100; i++) {
                    assertThat(requestBatcher.submit(base + i)).isEqualTo(-(base + i));
                  }
                  return true;
                }));
      }
      for (Future<Boolean> one : all) {
        assertThat(one.get()).isTrue();
      }
    }
    assertThat(calls.get()).isBetween(1, 10_000);
  }
}
