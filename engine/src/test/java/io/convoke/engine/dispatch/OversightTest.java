package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What happens to tasks without their holder's doing: stop, expire, reclaim, overflow, adopt. */
class OversightTest {
  private final Kit kit = new Kit();

  @AfterEach
  void close() {
    kit.close();
  }

  /** stop.lua. */
  @Nested
  class Stop {
    @Test
    void whatWaitsEndsAndIsNeverStarted() {
      String id = kit.enqueue("eu", "a");
      Stopped stopped = kit.run(kit.functions.stop(id, Duration.ZERO));
      assertThat(stopped.word()).isEqualTo(Word.APPLIED);
      assertThat(stopped.task().orElseThrow().state()).isEqualTo(TaskState.FAILED);
      assertThat(stopped.task().orElseThrow().error()).isEqualTo("stopped");
      assertThat(kit.claim(Kit.EU, 1)).isEmpty();
    }

    @Test
    void whatRunsIsToldAndStaysItsHoldersUntilItEnds() {
      String id = kit.enqueue("eu", "a");
      Held held = kit.claimOne(Kit.EU);
      assertThat(kit.run(kit.functions.stop(id, Duration.ZERO)).word()).isEqualTo(Word.APPLIED);
      assertThat(kit.run(kit.functions.stop(id, Duration.ZERO)).word()).isEqualTo(Word.REPEATED);
      assertThat(kit.task(id).state()).isEqualTo(TaskState.PROCESSING);
      assertThat(kit.length(kit.place.inbox("pod-eu"))).isEqualTo(1);
      assertThat(kit.run(kit.functions.complete("pod-eu", held))).isEqualTo(Word.APPLIED);
      assertThat(kit.run(kit.functions.stop(id, Duration.ZERO)).word()).isEqualTo(Word.REPEATED);
      assertThat(kit.task(id).state()).isEqualTo(TaskState.SUCCESS);
    }

    /** Whoever chose the id may stop it while it is still on its way to Redis. */
    @Test
    void aWishThatIsFasterThanItsTaskIsKept() {
      assertThat(kit.run(kit.functions.stop("t1", Duration.ofMinutes(1))).word())
          .isEqualTo(Word.UNKNOWN);
      assertThat(kit.enqueue("eu", "a")).isEqualTo("t1");
      assertThat(kit.task("t1").state()).isEqualTo(TaskState.FAILED);
      assertThat(kit.claim(Kit.EU, 1)).isEmpty();
    }

    @Test
    void whatNobodyKnowsIsNotThere() {
      assertThat(kit.run(kit.functions.stop("nothing", Duration.ZERO)))
          .isEqualTo(new Stopped(Word.UNKNOWN, Optional.empty()));
    }
  }

  /** expire.lua; seed 004, "Business timeout". */
  @Nested
  class Expiry {
    @Test
    void marksWhatIsOlderThanItsWindowAndNothingElse() {
      String old = kit.enqueue("eu", "a");
      String running = kit.enqueue("eu", "a");
      assertThat(kit.claim(Kit.EU, 1)).extracting(Task::id).containsExactly(old);
      kit.pass(Duration.ofSeconds(30));
      assertThat(kit.run(kit.functions.expire(10)).count()).isZero();
      kit.pass(Duration.ofMillis(1));
      assertThat(kit.run(kit.functions.expire(10)).count()).isEqualTo(1);
      assertThat(kit.task(old).state()).isEqualTo(TaskState.PROCESSING);
      Task task = kit.task(running);
      assertThat(task.state()).isEqualTo(TaskState.TIMEOUT);
      assertThat(task.completedAt()).isPresent();
      assertThat(task.error()).isEqualTo("waited longer than 30000 ms");
      assertThat(kit.run(kit.functions.expire(10)).count()).isZero();
    }

    @Test
    void isBoundedAndSaysIfThereIsMore() {
      for (int i = 0; i < 5; i++) {
        String _ = kit.enqueue(i % 2 == 0 ? "eu" : "us", "a");
      }
      kit.pass(Duration.ofSeconds(31));
      assertThat(kit.run(kit.functions.expire(3)).count()).isEqualTo(3);
      assertThat(kit.run(kit.functions.expire(3)).count()).isEqualTo(2);
    }
  }

  /** reclaim.lua; seed 004, "Worker crash". */
  @Nested
  class Reclaim {
    @Test
    void whatASilentPodHeldGoesToTheHeadWithAFreshWindowWhenItsLeaseEnds() {
      String first = kit.enqueue("eu", "a");
      String second = kit.enqueue("eu", "a");
      assertThat(kit.claim(Kit.EU, 2)).hasSize(2);
      String behind = kit.enqueue("eu", "a");
      kit.pass(Kit.TERMS.lease());
      assertThat(kit.run(kit.functions.reclaim(10)).count()).isZero();
      kit.pass(Duration.ofMillis(1));
      assertThat(kit.run(kit.functions.reclaim(10)).count()).isEqualTo(2);
      Task task = kit.task(first);
      assertThat(task.state()).isEqualTo(TaskState.PENDING);
      assertThat(task.pendingAt()).isEqualTo(task.createdAt().plusMillis(45_001));
      assertThat(task.error()).isEqualTo("its lease ended");
      assertThat(kit.claim(Kit.US, 3)).isEmpty();
      assertThat(kit.claim(new PodName("pod-2", "eu"), 2))
          .extracting(Task::id)
          .containsExactly(first, second);
      assertThat(kit.task(first).attempt()).isEqualTo(2);
      assertThat(kit.task(behind).attempt()).isZero();
    }

    /** It may live: the word waits for it where it listens. */
    @Test
    void thePodThatLostSomethingIsToldAtOnce() {
      String _ = kit.enqueue("eu", "a");
      Held held = kit.claimOne(Kit.EU);
      kit.pass(Kit.TERMS.lease().plusMillis(1));
      assertThat(kit.run(kit.functions.reclaim(10)).count()).isEqualTo(1);
      assertThat(kit.length(kit.place.inbox("pod-eu"))).isEqualTo(1);
      Renewed renewed = kit.run(kit.functions.renew(Kit.EU, 10, 9, List.of(held)));
      assertThat(renewed.words()).containsExactly(Word.STALE);
    }

    /** Seed 004: the lease of 45 s is the backstop for a pod that lives and forgot. */
    @Test
    void whatALivePodDidNotRenewIsTakenFromItWhenItsLeaseEnds() {
      String id = kit.enqueue("eu", "a");
      Held held = kit.claimOne(Kit.EU);
      kit.pass(Duration.ofSeconds(45));
      beat();
      assertThat(kit.run(kit.functions.reclaim(10)).count()).isZero();
      kit.pass(Duration.ofMillis(1));
      beat();
      assertThat(kit.run(kit.functions.reclaim(10)).count()).isEqualTo(1);
      assertThat(kit.task(id).error()).isEqualTo("its lease ended");
      assertThat(kit.run(kit.functions.complete("pod-eu", held))).isEqualTo(Word.STALE);
      Held again = kit.claimOne(Kit.EU);
      assertThat(kit.run(kit.functions.complete("pod-eu", held))).isEqualTo(Word.STALE);
      assertThat(kit.run(kit.functions.complete("pod-eu", again))).isEqualTo(Word.APPLIED);
    }

    /** Flaw 5: a pod that dies while it stops must not make the recording start again. */
    @Test
    void whatWasToStopEndsWithItsPod() {
      String id = kit.enqueue("eu", "a");
      Held _ = kit.claimOne(Kit.EU);
      Stopped _ = kit.run(kit.functions.stop(id, Duration.ZERO));
      kit.pass(Duration.ofSeconds(46));
      assertThat(kit.run(kit.functions.reclaim(10)).count()).isEqualTo(1);
      assertThat(kit.task(id).state()).isEqualTo(TaskState.SUCCESS);
      assertThat(kit.claim(Kit.EU, 1)).isEmpty();
    }

    /** Flaw 15: a task that kills its pods does not go on for ever. */
    @Test
    void afterTheLastAttemptItFailsWithTheReason() {
      String id = kit.enqueue("eu", "a");
      for (int attempt = 1; attempt <= 5; attempt++) {
        Held _ = kit.claimOne(Kit.EU);
        kit.pass(Duration.ofSeconds(46));
        assertThat(kit.run(kit.functions.reclaim(10)).count()).isEqualTo(1);
      }
      assertThat(kit.task(id).state()).isEqualTo(TaskState.FAILED);
      assertThat(kit.task(id).error()).isEqualTo("gave up after 5 attempts: its lease ended");
    }

    @Test
    void aDeadPodCannotBeToldToDrain() {
      String _ = kit.enqueue("eu", "a");
      assertThat(kit.claim(Kit.EU, 1)).hasSize(1);
      kit.pass(Kit.TERMS.silence().plusMillis(1));
      assertThat(kit.run(kit.functions.drain("pod-eu", true))).isEqualTo(Word.UNKNOWN);
    }

    @Test
    void aDeadPodIsForgottenWhenNothingOfItIsLeft() {
      String _ = kit.enqueue("eu", "a");
      String _ = kit.enqueue("eu", "a");
      assertThat(kit.claim(Kit.EU, 2)).hasSize(2);
      kit.pass(Duration.ofSeconds(46));
      assertThat(kit.run(kit.functions.reclaim(1)).count()).isEqualTo(1);
      assertThat(kit.run(kit.functions.reclaim(1)).count()).isEqualTo(1);
      assertThat(kit.size(kit.place.own("pods"))).isZero();
    }

    /** Its last renewal may be among the writes that a store lost which is not compared yet. */
    @Test
    void nothingIsTakenFromAPodBeforeTheStoreIsComparedWithTheLedger() {
      String id = kit.enqueue("eu", "a");
      Held _ = kit.claimOne(Kit.EU);
      kit.pass(Duration.ofSeconds(46));
      long _ = kit.redis.call(commands -> commands.del(kit.place.generation()));
      assertThat(kit.run(kit.functions.reclaim(10)).count()).isZero();
      assertThat(kit.task(id).state()).isEqualTo(TaskState.PROCESSING);
    }

    private void beat() {
      Renewed _ = kit.run(kit.functions.renew(Kit.EU, 10, 9, List.of()));
    }
  }

  /** reclaim.lua where a pod counts as dead before its leases end. */
  @Nested
  class DeadAfter {
    private final Functions functions =
        new Functions(
            Kit.BY_HAND, kit.place, Kit.TERMS.deadAfter(Optional.of(Duration.ofSeconds(6))));

    @Test
    void whatASilentPodHeldIsTakenFromItBeforeItsLeaseEnds() {
      String id = kit.enqueue("eu", "a");
      claim();
      assertThat(watch(6)).isZero();
      assertThat(watch(1)).isEqualTo(1);
      assertThat(kit.task(id).error()).isEqualTo("its pod pod-eu died");
    }

    @Test
    void aPodThatRenewsIsAlive() {
      String _ = kit.enqueue("eu", "a");
      Held held = claim();
      for (int i = 0; i < 5; i++) {
        assertThat(watch(5)).isZero();
        Renewed renewed = kit.run(functions.renew(Kit.EU, 10, 9, List.of(held)));
        assertThat(renewed.words()).containsExactly(Word.APPLIED);
      }
    }

    /** What it said before its claim was answered may come after it. */
    @Test
    void aPodThatSaidThatItHoldsNothingIsMissedAsSoonAsAnyOtherThatHolds() {
      String _ = kit.enqueue("eu", "a");
      claim();
      Renewed _ = kit.run(functions.renew(Kit.EU, 10, 9, List.of()));
      assertThat(watch(7)).isEqualTo(1);
    }

    /** Redis, or all servers, were away: no pod was silent of its own accord. */
    @Test
    void silenceCountsOnlyWhileATenderLooks() {
      String _ = kit.enqueue("eu", "a");
      claim();
      assertThat(watch(2)).isZero();
      kit.pass(Duration.ofSeconds(20));
      assertThat(watch(6)).isZero();
      assertThat(watch(2)).isEqualTo(1);
    }

    /** So many seconds pass, in each of which a tender looks; answers what was taken from pods. */
    private int watch(int seconds) {
      int count = 0;
      for (int i = 0; i < seconds; i++) {
        count += kit.run(functions.reclaim(10)).count();
        kit.pass(Duration.ofSeconds(1));
      }
      return count + kit.run(functions.reclaim(10)).count();
    }

    private Held claim() {
      Task task =
          kit.run(functions.claim(Kit.EU, 10, List.of(0), Capacity.COUNT_ONLY, 1))
              .tasks()
              .getFirst();
      return new Held(task.id(), task.fence());
    }
  }

  /** overflow.lua. */
  @Nested
  class Overflow {
    @Test
    void whatWaitedTooLongInItsRegionMayGoAnywhere() {
      Renewed _ = kit.run(kit.functions.renew(Kit.EU, 1, 0, List.of()));
      String id = kit.enqueue("eu", "a");
      kit.pass(Duration.ofSeconds(10));
      assertThat(kit.run(kit.functions.overflow(10)).count()).isZero();
      assertThat(kit.claim(Kit.US, 1)).isEmpty();
      kit.pass(Duration.ofMillis(1));
      assertThat(kit.run(kit.functions.overflow(10)).count()).isEqualTo(1);
      assertThat(kit.length(kit.place.wake("global"))).isEqualTo(1);
      assertThat(kit.claim(Kit.US, 1)).extracting(Task::id).containsExactly(id);
      Task task = kit.task(id);
      assertThat(task.pendingAt()).isEqualTo(task.createdAt());
      assertThat(TaskJson.full(task).path("region").asString()).isEqualTo("eu");
    }

    @Test
    void aRegionWithoutALivePodLetsGoAtOnce() {
      String id = kit.enqueue("eu", "a");
      assertThat(kit.run(kit.functions.overflow(10)).count()).isEqualTo(1);
      assertThat(kit.claim(Kit.US, 1)).extracting(Task::id).containsExactly(id);
    }

    @Test
    void thirtySecondsAreThirtySecondsInWhateverQueue() {
      String id = kit.enqueue("eu", "a");
      kit.pass(Duration.ofSeconds(20));
      assertThat(kit.run(kit.functions.overflow(10)).count()).isEqualTo(1);
      kit.pass(Duration.ofMillis(10_001));
      assertThat(kit.run(kit.functions.expire(10)).count()).isEqualTo(1);
      assertThat(kit.task(id).state()).isEqualTo(TaskState.TIMEOUT);
    }
  }

  /** tick.lua: tokens that nobody acted on are given again. */
  @Test
  void whatWaitsAlthoughItsTokenWasLostIsAnnouncedAgain() {
    String _ = kit.redis.call(commands -> commands.set(kit.place.generation(), "g"));
    assertThat(kit.run(kit.functions.tick()).live()).isZero();
    long _ = kit.redis.call(commands -> commands.del(kit.place.own("tick")));
    String _ = kit.enqueue("eu", "a");
    assertThat(kit.pop(kit.place.wake("eu"))).isEqualTo("1");
    assertThat(kit.run(kit.functions.tick()).live()).isEqualTo(1);
    assertThat(kit.run(kit.functions.tick()).live()).isEqualTo(-1);
    assertThat(kit.length(kit.place.wake("eu"))).isEqualTo(1);
    long _ = kit.redis.call(commands -> commands.del(kit.place.generation()));
    assertThat(kit.run(kit.functions.tick()).live()).isEqualTo(-2);
  }

  /** survey.lua. */
  @Test
  void theRegionsAreCountedByWhatTheyAskedForAndWhoRunsThem() {
    String _ = kit.enqueue("eu", "a");
    String _ = kit.enqueue("eu", "b");
    kit.pass(Duration.ofSeconds(2));
    assertThat(kit.claim(Kit.EU, 1)).hasSize(1);
    assertThat(Look.survey(List.of(kit.run(kit.functions.survey()))).regions())
        .containsExactly(new Region("eu", 1, 1, Optional.of(Duration.ofSeconds(2)), 1, 10, 0));
    assertThat(kit.run(kit.functions.survey()).untold())
        .isEqualTo(kit.outbox().size())
        .isEqualTo(3);
    assertThat(kit.run(kit.functions.leave(Kit.EU, Kit.TERMS.silence()))).isEqualTo(1);
    assertThat(kit.run(kit.functions.overflow(10))).isEqualTo(new Swept(1, Map.of("eu", 1)));
    assertThat(Look.survey(List.of(kit.run(kit.functions.survey()))).regions())
        .containsExactly(new Region("eu", 1, 1, Optional.of(Duration.ofSeconds(2)), 0, 0, 0));
  }
}
