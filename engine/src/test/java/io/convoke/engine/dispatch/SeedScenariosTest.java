package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Seed 004, "Task State Transitions": each row of its table with the seed's own numbers. */
class SeedScenariosTest {
  private static final long KEPT_S = 48 * 3600;

  private final Kit kit = new Kit();
  private final Instant born = Instant.parse("2025-01-13T14:32:18Z");

  @AfterEach
  void close() {
    kit.close();
  }

  /** Business timeout | TIMEOUT | no retry | stays in Redis | 30s from last PENDING. */
  @Test
  void businessTimeout() {
    String id = kit.enqueue("us-east-1", "meeting-room-alpha");
    kit.pass(Duration.ofSeconds(30));
    assertThat(sweep()).isZero();
    kit.pass(Duration.ofMillis(1));
    assertThat(sweep()).isEqualTo(1);
    assertEnd(id, TaskState.TIMEOUT, 0, "waited longer than 30000 ms");
  }

  /** Worker crash | PENDING | retry | stays in Redis | fresh 30s window. */
  @Test
  void workerCrash() {
    String id = kit.enqueue("eu", "meeting-room-alpha");
    kit.pass(Duration.ofSeconds(29));
    Held _ = kit.claimOne(Kit.EU);
    kit.pass(Duration.ofSeconds(45).plusMillis(1));
    assertThat(sweep()).isEqualTo(1);
    Task task = kit.task(id);
    assertThat(task.state()).isEqualTo(TaskState.PENDING);
    assertThat(task.retryCount()).isEqualTo(1);
    assertThat(task.pendingAt()).isEqualTo(born.plusMillis(74_001));
    assertThat(kit.ttl(kit.place.task(id))).isEqualTo(-1);
    // The window is a fresh one, and it is 30 s like the first.
    kit.pass(Duration.ofSeconds(30));
    assertThat(sweep()).isZero();
    kit.pass(Duration.ofMillis(1));
    assertThat(sweep()).isEqualTo(1);
    assertEnd(id, TaskState.TIMEOUT, 1, "waited longer than 30000 ms");
  }

  /** Unrecoverable error | FAILED | no retry | stays in Redis (terminate task) | n/a. */
  @Test
  void unrecoverableError() {
    String id = kit.enqueue("eu", "meeting-room-alpha");
    kit.pass(Duration.ofSeconds(1));
    Held held = kit.claimOne(Kit.EU);
    assertThat(kit.run(kit.functions.fail("pod-eu", held, "no more disk space")))
        .isEqualTo(Word.APPLIED);
    assertEnd(id, TaskState.FAILED, 1, "no more disk space");
  }

  /** Success | SUCCESS | no retry | stays in Redis | n/a: renewed each 15 s, for an hour. */
  @Test
  void success() {
    String id = kit.enqueue("eu", "meeting-room-alpha");
    Held held = kit.claimOne(Kit.EU);
    assertThat(kit.task(id).leaseExpiry()).contains(born.plusSeconds(45));
    for (int i = 0; i < 240; i++) {
      kit.pass(Kit.TERMS.renewal());
      assertThat(kit.run(kit.functions.renew(Kit.EU, 10, 9, List.of(held))).words())
          .containsExactly(Word.APPLIED);
      assertThat(sweep()).isZero();
    }
    assertThat(kit.run(kit.functions.complete("pod-eu", held))).isEqualTo(Word.APPLIED);
    assertEnd(id, TaskState.SUCCESS, 1, "");
    assertThat(kit.task(id).completedAt()).contains(born.plusSeconds(3600));
  }

  /** Crashed, recovered by another pod, finished; the first one comes back and is not heard. */
  @Test
  void recoveredThenFinished() {
    String id = kit.enqueue("", "meeting-room-alpha");
    Held first = kit.claimOne(Kit.EU);
    kit.pass(Duration.ofSeconds(46));
    assertThat(sweep()).isEqualTo(1);
    Held second = kit.claimOne(Kit.US);
    assertThat(kit.run(kit.functions.complete("pod-eu", first))).isEqualTo(Word.STALE);
    assertThat(kit.run(kit.functions.fail("pod-eu", first, "late"))).isEqualTo(Word.STALE);
    assertThat(kit.run(kit.functions.tryAgain("pod-eu", first, "late"))).isEqualTo(Word.STALE);
    assertThat(kit.run(kit.functions.complete("pod-us", second))).isEqualTo(Word.APPLIED);
    assertEnd(id, TaskState.SUCCESS, 2, "");
    assertThat(kit.task(id).podId()).contains("pod-us");
    assertThat(kit.outbox())
        .containsExactly(
            id + " PENDING 0",
            id + " PROCESSING 1",
            id + " PENDING 1",
            id + " PROCESSING 2",
            id + " SUCCESS 2");
  }

  private int sweep() {
    return kit.run(kit.functions.expire(100)).count() + kit.run(kit.functions.reclaim(100)).count();
  }

  /** An end is final, keeps its reason, and stays for two days. */
  private void assertEnd(String id, TaskState state, int attempt, String error) {
    Task task = kit.task(id);
    assertThat(task.state()).isEqualTo(state);
    assertThat(task.attempt()).isEqualTo(attempt);
    assertThat(task.error()).isEqualTo(error);
    assertThat(task.completedAt()).isPresent();
    assertThat(kit.ttl(kit.place.task(id))).isBetween(KEPT_S - 10, KEPT_S);
    kit.pass(Duration.ofHours(1));
    assertThat(sweep()).isZero();
    assertThat(kit.claim(Kit.EU, 10)).isEmpty();
    assertThat(kit.run(kit.functions.stop(id, Duration.ZERO)).word()).isEqualTo(Word.REPEATED);
    assertThat(kit.task(id)).isEqualTo(task);
  }
}
