package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.lab.stores.RedisServer;
import io.convoke.lab.stores.Stores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A Redis that stands still while a pod claims, and carries it out when it goes on. */
class UnheardTest {
  private static final DispatchTerms TERMS =
      DispatchTerms.of(Duration.ofSeconds(30), Duration.ofSeconds(45), 3, Duration.ofSeconds(10));

  private final RedisServer server = Stores.forTests().ownRedis();
  private final Redis redis = Redis.open(server.url());
  private final Tasks tasks = new Tasks(redis, TERMS);
  private final Slots slots = new Slots(2, Capacity.COUNT_ONLY);
  private final List<Task> taken = new ArrayList<>();
  private final Search search =
      new Search(
          redis,
          new Places(redis, TERMS),
          new PodName("pod-1", "eu"),
          slots,
          this::begin,
          error -> {});

  @BeforeEach
  void becomeWhole() {
    Kit.becomeWhole(redis, Place.ONE);
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
    CompletionStage<Search.Found> look = search.look();
    Search.Found _ = look.toCompletableFuture().join();
  }

  private void begin(Functions at, List<Task> given, long sent) {
    for (Task task : given) {
      taken.add(task);
      slots.fill(new TaskRun(at, task, task.workerId().orElseThrow(), sent, TERMS));
    }
  }

  private void enqueue(String id) {
    assertThat(tasks.enqueue(Kit.task(id, "eu", "room"))).isInstanceOf(Enqueued.Created.class);
  }

  private Task find(String id) {
    return tasks.find(id).orElseThrow();
  }
}
