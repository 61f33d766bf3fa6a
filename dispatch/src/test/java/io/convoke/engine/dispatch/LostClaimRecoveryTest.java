package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Redis pauses during a claim and executes it when it resumes. */
class LostClaimRecoveryTest {
  private static final DispatchConfig CONFIG =
      DispatchConfig.of(Duration.ofSeconds(30), Duration.ofSeconds(45), 3, Duration.ofSeconds(10));

  private final EmbeddedRedis server = LocalStores.forTests().ownRedis();
  private final Redis redis = Redis.open(server.url());
  private final TaskQueue taskQueue = new TaskQueue(redis, CONFIG);
  private final SlotPool slotPool = new SlotPool(2, PodCapacity.COUNT_ONLY);
  private final List<Task> taken = new ArrayList<>();
  private final TaskClaimer taskClaimer =
      new TaskClaimer(
          redis,
          new KeySpaceDirectory(redis, CONFIG),
          new PodId("pod-1", "eu"),
          slotPool,
          this::begin,
          error -> {});

  @BeforeEach
  void becomeWhole() {
    DispatchTestKit.becomeWhole(redis, KeySpace.ONE);
  }

  @AfterEach
  void close() {
    redis.close();
    server.close();
  }

  @Test
  void whatAPodWasGivenWithoutHearingOfItIsGivenBackBeforeItsNextClaim() {
    enqueue("runs");
    look();
    enqueue("unheard");
    server.pause(true);
    assertThatThrownBy(this::look).hasCauseInstanceOf(RedisUnavailable.class);
    server.pause(false);

    look();
    assertThat(taken).extracting(Task::id).containsExactly("runs", "unheard");
    assertThat(taken).extracting(Task::attempt).containsExactly(1, 2);
    assertThat(find("runs").attempt()).as("it is known").isEqualTo(1);
    assertThat(find("runs").state()).isEqualTo(TaskState.PROCESSING);
    assertThat(find("unheard").retryCount()).isEqualTo(1);
  }

  private void look() {
    CompletionStage<TaskClaimer.ClaimRoundResult> look = taskClaimer.claimRound();
    TaskClaimer.ClaimRoundResult _ = look.toCompletableFuture().join();
  }

  private void begin(TaskScripts at, List<Task> given, long sent) {
    for (Task task : given) {
      taken.add(task);
      slotPool.fill(new TaskAttempt(at, task, task.workerId().orElseThrow(), sent, CONFIG));
    }
  }

  private void enqueue(String id) {
    assertThat(taskQueue.enqueue(DispatchTestKit.task(id, "eu", "room")))
        .isInstanceOf(EnqueueResult.Created.class);
  }

  private Task find(String id) {
    return taskQueue.find(id).orElseThrow();
  }
}
