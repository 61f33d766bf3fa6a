package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each row of the state table of docs/spec/dispatch.md with the default times. */
class SeedScenariosTest {
  private static final long KEPT_S = 48 * 3600;

  private final DispatchTestKit dispatchTestKit = new DispatchTestKit();
  private final Instant born = Instant.parse("2025-01-13T14:32:18Z");

  @AfterEach
  void close() {
    dispatchTestKit.close();
  }

  /** Business timeout | TIMEOUT | no retry | stays in Redis | 30s from last PENDING. */
  @Test
  void businessTimeout() {
    String id = dispatchTestKit.enqueue("us-east-1", "meeting-room-alpha");
    dispatchTestKit.pass(Duration.ofSeconds(30));
    assertThat(sweep()).isZero();
    dispatchTestKit.pass(Duration.ofMillis(1));
    assertThat(sweep()).isEqualTo(1);
    assertEnd(id, TaskState.TIMEOUT, 0, "waited longer than 30000 ms");
  }

  /** Worker crash | PENDING | retry | stays in Redis | fresh 30s window. */
  @Test
  void workerCrash() {
    String id = dispatchTestKit.enqueue("eu", "meeting-room-alpha");
    dispatchTestKit.pass(Duration.ofSeconds(29));
    TaskLeaseRef _ = dispatchTestKit.claimOne(DispatchTestKit.EU);
    dispatchTestKit.pass(Duration.ofSeconds(45).plusMillis(1));
    assertThat(sweep()).isEqualTo(1);
    Task task = dispatchTestKit.task(id);
    assertThat(task.state()).isEqualTo(TaskState.PENDING);
    assertThat(task.retryCount()).isEqualTo(1);
    assertThat(task.pendingAt()).isEqualTo(born.plusMillis(74_001));
    assertThat(dispatchTestKit.ttl(dispatchTestKit.keySpace.task(id))).isEqualTo(-1);
    // The deadline is a fresh one of 30 s.
    dispatchTestKit.pass(Duration.ofSeconds(30));
    assertThat(sweep()).isZero();
    dispatchTestKit.pass(Duration.ofMillis(1));
    assertThat(sweep()).isEqualTo(1);
    assertEnd(id, TaskState.TIMEOUT, 1, "waited longer than 30000 ms");
  }

  /** Unrecoverable error | FAILED | no retry | stays in Redis (terminate task) | n/a. */
  @Test
  void unrecoverableError() {
    String id = dispatchTestKit.enqueue("eu", "meeting-room-alpha");
    dispatchTestKit.pass(Duration.ofSeconds(1));
    TaskLeaseRef taskLeaseRef = dispatchTestKit.claimOne(DispatchTestKit.EU);
    assertThat(
            dispatchTestKit.run(
                dispatchTestKit.scripts.fail("pod-eu", taskLeaseRef, "no more disk space")))
        .isEqualTo(TransitionResult.APPLIED);
    assertEnd(id, TaskState.FAILED, 1, "no more disk space");
  }

  /** Success | SUCCESS | no retry | stays in Redis | n/a: renewed each 15 s, for an hour. */
  @Test
  void success() {
    String id = dispatchTestKit.enqueue("eu", "meeting-room-alpha");
    TaskLeaseRef taskLeaseRef = dispatchTestKit.claimOne(DispatchTestKit.EU);
    assertThat(dispatchTestKit.task(id).leaseExpiry()).contains(born.plusSeconds(45));
    for (int i = 0; i < 240; i++) {
      dispatchTestKit.pass(DispatchTestKit.CONFIG.renewal());
      assertThat(
              dispatchTestKit
                  .run(
                      dispatchTestKit.scripts.renew(
                          DispatchTestKit.EU,
                          10,
                          9,
                          RenewResult.DrainSetting.NONE,
                          List.of(taskLeaseRef)))
                  .results())
          .containsExactly(TransitionResult.APPLIED);
      assertThat(sweep()).isZero();
    }
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.complete("pod-eu", taskLeaseRef)))
        .isEqualTo(TransitionResult.APPLIED);
    assertEnd(id, TaskState.SUCCESS, 1, "");
    assertThat(dispatchTestKit.task(id).completedAt()).contains(born.plusSeconds(3600));
  }

  /** Crashed, reclaimed and finished by another pod; the report of the first one is refused. */
  @Test
  void recoveredThenFinished() {
    String id = dispatchTestKit.enqueue("", "meeting-room-alpha");
    TaskLeaseRef first = dispatchTestKit.claimOne(DispatchTestKit.EU);
    dispatchTestKit.pass(Duration.ofSeconds(46));
    assertThat(sweep()).isEqualTo(1);
    TaskLeaseRef second = dispatchTestKit.claimOne(DispatchTestKit.US);
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.complete("pod-eu", first)))
        .isEqualTo(TransitionResult.STALE);
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.fail("pod-eu", first, "late")))
        .isEqualTo(TransitionResult.STALE);
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.tryAgain("pod-eu", first, "late")))
        .isEqualTo(TransitionResult.STALE);
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.complete("pod-us", second)))
        .isEqualTo(TransitionResult.APPLIED);
    assertEnd(id, TaskState.SUCCESS, 2, "");
    assertThat(dispatchTestKit.task(id).podId()).contains("pod-us");
    assertThat(dispatchTestKit.outbox())
        .containsExactly(
            id + " PENDING 0",
            id + " PROCESSING 1",
            id + " PENDING 1",
            id + " PROCESSING 2",
            id + " SUCCESS 2");
  }

  private int sweep() {
    return dispatchTestKit.run(dispatchTestKit.scripts.expire(100)).count()
        + dispatchTestKit.run(dispatchTestKit.scripts.reclaim(100)).count();
  }

  /** An end is final, keeps its reason, and stays for two days. */
  private void assertEnd(String id, TaskState state, int attempt, String error) {
    Task task = dispatchTestKit.task(id);
    assertThat(task.state()).isEqualTo(state);
    assertThat(task.attempt()).isEqualTo(attempt);
    assertThat(task.error()).isEqualTo(error);
    assertThat(task.completedAt()).isPresent();
    assertThat(dispatchTestKit.ttl(dispatchTestKit.keySpace.task(id)))
        .isBetween(KEPT_S - 10, KEPT_S);
    dispatchTestKit.pass(Duration.ofHours(1));
    assertThat(sweep()).isZero();
    assertThat(dispatchTestKit.claim(DispatchTestKit.EU, 10)).isEmpty();
    assertThat(dispatchTestKit.run(dispatchTestKit.scripts.stop(id, Duration.ZERO)).result())
        .isEqualTo(TransitionResult.REPEATED);
    assertThat(dispatchTestKit.task(id)).isEqualTo(task);
  }
}
