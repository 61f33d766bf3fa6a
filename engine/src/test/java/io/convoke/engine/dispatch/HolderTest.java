package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What the holder of a task may say: renew, complete, fail, try again. */
class HolderTest {
  private final Kit kit = new Kit();

  @AfterEach
  void close() {
    kit.close();
  }

  /** renew.lua. */
  @Nested
  class Renewal {
    @Test
    void oneCallExtendsAllLeasesThatAreStillThePods() {
      String _ = kit.enqueue("eu", "a");
      String _ = kit.enqueue("eu", "a");
      Held first = kit.claimOne(Kit.EU);
      Held second = kit.claimOne(Kit.EU);
      kit.pass(Duration.ofSeconds(15));
      Held stale = new Held(second.id(), "0.0");
      Held unknown = new Held("nothing", "1.0");
      Renewed renewed = renew(List.of(first, stale, unknown));
      assertThat(renewed.words()).containsExactly(Word.APPLIED, Word.STALE, Word.UNKNOWN);
      Task task = kit.task(first.id());
      assertThat(task.leaseExpiry()).contains(task.createdAt().plusSeconds(60));
      assertThat(kit.task(second.id()).leaseExpiry()).contains(task.createdAt().plusSeconds(45));
    }

    @Test
    void itTellsWhatIsToStop() {
      String id = kit.enqueue("eu", "a");
      Held held = kit.claimOne(Kit.EU);
      assertThat(renew(List.of()).stop()).isEmpty();
      Stopped _ = kit.run(kit.functions.stop(id, Duration.ZERO));
      assertThat(renew(List.of(held)).stop()).containsExactly(id);
      assertThat(renew(List.of()).stop()).containsExactly(id);
      assertThat(kit.run(kit.functions.complete("pod-eu", held))).isEqualTo(Word.APPLIED);
      assertThat(renew(List.of()).stop()).isEmpty();
    }

    private Renewed renew(List<Held> held) {
      return kit.run(kit.functions.renew(Kit.EU, 10, 8, held));
    }
  }

  /** complete.lua. */
  @Nested
  class Completion {
    @Test
    void ofManyInOneCallEachGetsItsOwnWord() {
      String first = kit.enqueue("eu", "a");
      String second = kit.enqueue("eu", "b");
      List<Held> held =
          kit.claim(Kit.EU, 2).stream().map(task -> new Held(task.id(), task.fence())).toList();
      Stopped _ = kit.run(kit.functions.stop(second, Duration.ZERO));
      List<Word> words =
          kit.run(
              kit.functions.complete(
                  "pod-eu",
                  List.of(
                      held.get(0),
                      held.get(1),
                      held.get(0),
                      new Held(second, "7.0"),
                      new Held("nobody", "1.0"))));
      assertThat(words)
          .containsExactly(Word.APPLIED, Word.APPLIED, Word.REPEATED, Word.STALE, Word.UNKNOWN);
      assertThat(List.of(kit.task(first), kit.task(second)))
          .extracting(Task::state)
          .containsOnly(TaskState.SUCCESS);
      assertThat(kit.outbox()).filteredOn(move -> move.contains("SUCCESS")).hasSize(2);
      assertThat(kit.size(kit.place.own("leases:pod-eu"))).isZero();
    }

    @Test
    void endsTheTaskOnceAndKeepsItFor48Hours() {
      String id = kit.enqueue("eu", "a");
      Held held = kit.claimOne(Kit.EU);
      kit.pass(Duration.ofSeconds(3));
      assertThat(kit.run(kit.functions.complete("pod-eu", held))).isEqualTo(Word.APPLIED);
      assertThat(kit.run(kit.functions.complete("pod-eu", held))).isEqualTo(Word.REPEATED);
      assertThat(kit.run(kit.functions.fail("pod-eu", held, "too late"))).isEqualTo(Word.REPEATED);
      Task task = kit.task(id);
      assertThat(task.state()).isEqualTo(TaskState.SUCCESS);
      assertThat(task.completedAt()).contains(task.createdAt().plusSeconds(3));
      assertThat(task.leaseExpiry()).isEmpty();
      assertThat(kit.ttl(kit.place.task(id))).isBetween(172_790L, 172_800L);
      assertThat(kit.outbox())
          .containsExactly(id + " PENDING 0", id + " PROCESSING 1", id + " SUCCESS 1");
    }

    @Test
    void isTheHoldersAlone() {
      String id = kit.enqueue("eu", "a");
      Held held = kit.claimOne(Kit.EU);
      assertThat(kit.run(kit.functions.complete("pod-us", held))).isEqualTo(Word.STALE);
      assertThat(kit.run(kit.functions.complete("pod-eu", new Held(id, "2.0"))))
          .isEqualTo(Word.STALE);
      assertThat(kit.run(kit.functions.complete("pod-eu", new Held("nothing", "1.0"))))
          .isEqualTo(Word.UNKNOWN);
      assertThat(kit.task(id).state()).isEqualTo(TaskState.PROCESSING);
    }
  }

  /** fail.lua; seed 004, "Unrecoverable error". */
  @Nested
  class Failure {
    @Test
    void isForGood() {
      String id = kit.enqueue("eu", "a");
      Held held = kit.claimOne(Kit.EU);
      assertThat(kit.run(kit.functions.fail("pod-eu", held, "wrong access_token")))
          .isEqualTo(Word.APPLIED);
      assertThat(kit.task(id).state()).isEqualTo(TaskState.FAILED);
      assertThat(kit.task(id).error()).isEqualTo("wrong access_token");
      assertThat(kit.claim(Kit.EU, 1)).isEmpty();
    }

    @Test
    void afterAStopIsTheEndThatWasWanted() {
      String id = kit.enqueue("eu", "a");
      Held held = kit.claimOne(Kit.EU);
      Stopped _ = kit.run(kit.functions.stop(id, Duration.ZERO));
      assertThat(kit.run(kit.functions.fail("pod-eu", held, "killed"))).isEqualTo(Word.APPLIED);
      assertThat(kit.task(id).state()).isEqualTo(TaskState.SUCCESS);
    }
  }

  /** retry.lua. */
  @Nested
  class AnotherTry {
    @Test
    void waitsForItsTurnWithAFreshWindow() {
      String id = kit.enqueue("eu", "a");
      Held held = kit.claimOne(Kit.EU);
      String other = kit.enqueue("eu", "a");
      kit.pass(Duration.ofSeconds(29));
      assertThat(kit.run(kit.functions.tryAgain("pod-eu", held, "busy"))).isEqualTo(Word.APPLIED);
      Task task = kit.task(id);
      assertThat(task.state()).isEqualTo(TaskState.PENDING);
      assertThat(Duration.between(task.createdAt(), task.pendingAt()))
          .isBetween(Duration.ofSeconds(30), Duration.ofMillis(30_100));
      assertThat(task.retryCount()).isEqualTo(1);
      assertThat(task.podId()).isEmpty();
      assertThat(kit.run(kit.functions.tryAgain("pod-eu", held, "busy"))).isEqualTo(Word.STALE);
      assertThat(kit.claim(Kit.EU, 2)).extracting(Task::id).containsExactly(other);
      kit.pass(Duration.ofMillis(1100));
      assertThat(kit.claim(Kit.EU, 1)).extracting(Task::attempt).containsExactly(2);
    }

    @Test
    void isGivenSoOftenAsItMayBeAndThenFails() {
      String id = kit.enqueue("eu", "a");
      for (int attempt = 1; attempt <= 5; attempt++) {
        assertThat(kit.run(kit.functions.tryAgain("pod-eu", kit.claimOne(Kit.EU), "busy")))
            .isEqualTo(Word.APPLIED);
        kit.pass(Duration.ofSeconds(9));
      }
      assertThat(kit.task(id).state()).isEqualTo(TaskState.FAILED);
      assertThat(kit.task(id).error()).isEqualTo("gave up after 5 attempts: busy");
    }

    @Test
    void afterAStopIsTheEnd() {
      String id = kit.enqueue("eu", "a");
      Held held = kit.claimOne(Kit.EU);
      Stopped _ = kit.run(kit.functions.stop(id, Duration.ZERO));
      assertThat(kit.run(kit.functions.tryAgain("pod-eu", held, "busy"))).isEqualTo(Word.APPLIED);
      assertThat(kit.task(id).state()).isEqualTo(TaskState.SUCCESS);
    }
  }
}
