package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** adopt.lua and whole.lua: a store that forgot is told again. */
class RebuildTest {
  private final Kit kit = new Kit();

  @AfterEach
  void close() {
    kit.close();
  }

  @Test
  void whatIsMissingIsTakenInAndWhatIsThereStaysAndIsToldBehindTheRest() {
    kit.becomeWhole();
    String known = kit.enqueue("eu", "a");
    Held _ = kit.claimOne(Kit.EU);
    assertThat(adopt(open(known, TaskState.PENDING, 0), open("x", TaskState.PENDING, 0)))
        .isEqualTo(1);
    assertThat(kit.task(known).state()).isEqualTo(TaskState.PROCESSING);
    assertThat(kit.outbox())
        .containsExactly(
            known + " PENDING 0", known + " PROCESSING 1", known + " PROCESSING 1", "x PENDING 0");
    assertThat(kit.claim(Kit.EU, 2)).extracting(Task::id).containsExactly("x");
    assertThat(adopt(open(known, TaskState.PROCESSING, 1, 2, false))).isZero();
    assertThat(kit.outbox()).hasSize(5);
  }

  @Test
  void whatRunsByTheLedgerKeepsItsAttemptUntilItsLeaseWouldHaveEnded() {
    assertThat(adopt(open("x", TaskState.PROCESSING, 2))).isEqualTo(1);
    assertThat(kit.task("x").state()).isEqualTo(TaskState.PROCESSING);
    assertThat(kit.task("x").podId()).contains("pod-eu");
    assertThat(kit.task("x").processedAt()).contains(kit.task("x").createdAt().plusSeconds(55));
    assertThat(kit.length(kit.place.inbox("pod-eu"))).as("the pod is asked").isEqualTo(1);
    kit.pass(Duration.ofSeconds(45));
    assertThat(kit.run(kit.functions.reclaim(10)).count()).isZero();
    assertThat(kit.claim(Kit.EU, 1)).isEmpty();
    kit.pass(Duration.ofMillis(1));
    assertThat(kit.run(kit.functions.reclaim(10)).count()).isEqualTo(1);
    Task task = kit.claim(Kit.EU, 1).getFirst();
    assertThat(task.attempt()).isEqualTo(3);
    assertThat(task.pendingAt()).isEqualTo(task.createdAt().plusMillis(60_000 + 45_001));
  }

  @Test
  void thePodThatReportsWhatTheLedgerSaysKeepsIt() {
    assertThat(adopt(open("x", TaskState.PROCESSING, 2))).isEqualTo(1);
    Held held = new Held("x", "2.before");
    assertThat(renew(Kit.US, new Held("x", "1.before"))).isEqualTo(Word.STALE);
    assertThat(renew(Kit.EU, held)).isEqualTo(Word.APPLIED);
    assertThat(kit.task("x").attempt()).isEqualTo(2);
    assertThat(kit.task("x").fence()).isEqualTo("2.before");
    assertThat(renew(Kit.US, held)).as("it is reported by now").isEqualTo(Word.STALE);
    assertThat(kit.outbox()).isEmpty();
    assertThat(kit.run(kit.functions.complete(Kit.EU.id(), held))).isEqualTo(Word.APPLIED);
    assertThat(kit.outbox()).containsExactly("x SUCCESS 2");
  }

  /** Its claim was lost before the ledger heard of it. */
  @Test
  void aPodThatReportsALaterAttemptThanTheLedgerKnowsKeepsIt() {
    assertThat(adopt(open("x", TaskState.PENDING, 1, 3, false))).isEqualTo(1);
    assertThat(renew(Kit.US, new Held("x", "1.before"))).isEqualTo(Word.STALE);
    assertThat(renew(Kit.US, new Held("x", "2.before"))).isEqualTo(Word.APPLIED);
    assertThat(kit.claim(Kit.EU, 1)).isEmpty();
    assertThat(kit.task("x").podId()).contains("pod-us");
    assertThat(kit.outbox()).containsExactly("x PROCESSING 2");
    assertThat(adopt(open("y", TaskState.PROCESSING, 1, 3, false))).isEqualTo(1);
    assertThat(kit.run(kit.functions.complete(Kit.US.id(), new Held("y", "2.before"))))
        .isEqualTo(Word.APPLIED);
    assertThat(kit.task("y").attempt()).isEqualTo(2);
    assertThat(kit.size(kit.place.leases("pod-eu"))).isZero();
  }

  @Test
  void aPodIsNotHeardOnceTheTaskIsGivenToAnother() {
    assertThat(adopt(open("x", TaskState.PENDING, 1, 3, false))).isEqualTo(1);
    assertThat(kit.claim(Kit.EU, 1)).extracting(Task::attempt).containsExactly(3);
    assertThat(renew(Kit.US, new Held("x", "2.before"))).isEqualTo(Word.STALE);
  }

  /** A store without a generation was emptied, or is new: pods may run what seems to wait there. */
  @Test
  void aStoreThatWasNotComparedGivesNothingAndSaysOfNoTaskThatItIsAnotherPods() {
    emptyThePlace();
    String id = kit.enqueue("eu", "a");
    assertThat(kit.claim(Kit.EU, 1)).isEmpty();
    assertThat(kit.pop(kit.place.tend())).isNotNull();
    assertThat(renew(Kit.EU, new Held("x", "1.before"))).isEqualTo(Word.UNSURE);
    assertThat(renew(Kit.EU, new Held(id, "1.before"))).isEqualTo(Word.UNSURE);
    assertThat(kit.run(kit.functions.complete(Kit.EU.id(), new Held("x", "1.before"))))
        .isEqualTo(Word.UNSURE);
    kit.becomeWhole();
    assertThat(renew(Kit.EU, new Held("x", "1.before"))).isEqualTo(Word.UNKNOWN);
    assertThat(kit.claim(Kit.EU, 1)).extracting(Task::id).containsExactly(id);
  }

  /** The pod counts from its last renewal, which this store may have lost. */
  @Test
  void everyLeaseBeginsAnewWithTheComparison() {
    String known = kit.enqueue("eu", "a");
    Held _ = kit.claimOne(Kit.EU);
    kit.pass(Duration.ofSeconds(50));
    comeBackAsAnother();
    Ledger ledger = new Remembering(List.of(), () -> {});
    assertThat(new Rebuild(kit.redis, kit.functions, ledger, new Signal<>()).ifForgotten())
        .isTrue();
    kit.pass(Duration.ofSeconds(45));
    assertThat(kit.run(kit.functions.reclaim(10)).count()).isZero();
    kit.pass(Duration.ofMillis(1));
    assertThat(kit.run(kit.functions.reclaim(10)).count()).isEqualTo(1);
    assertThat(kit.task(known).attempt()).isEqualTo(1);
  }

  @Test
  void whatWaitedKeepsItsDeadlineAndIsNoNews() {
    kit.becomeWhole();
    assertThat(adopt(open("x", TaskState.PENDING, 1))).isEqualTo(1);
    assertThat(kit.outbox()).containsExactly("x PENDING 1");
    assertThat(adopt(open("y", TaskState.PENDING, 1, 2, false))).isEqualTo(1);
    assertThat(kit.outbox()).hasSize(1);
    kit.pass(Duration.ofMillis(20_001));
    assertThat(kit.run(kit.functions.expire(10)).count()).isEqualTo(2);
  }

  @Test
  void whatIsToStopIsNotStarted() {
    String running = kit.enqueue("eu", "a");
    Held _ = kit.claimOne(Kit.EU);
    assertThat(
            adopt(
                open("waited", TaskState.PENDING, 0, 1, true),
                open("ran", TaskState.PROCESSING, 1, 2, true),
                open(running, TaskState.PROCESSING, 1, 2, true)))
        .isEqualTo(2);
    assertThat(kit.task("waited").state()).isEqualTo(TaskState.FAILED);
    assertThat(kit.task("ran").state()).isEqualTo(TaskState.PROCESSING);
    assertThat(kit.run(kit.functions.renew(Kit.EU, 3, 3, List.of(new Held("ran", "1.old")))).stop())
        .contains("ran");
    assertThat(kit.task(running).stop()).isTrue();
    assertThat(kit.claim(Kit.EU, 3)).isEmpty();
  }

  /** A power failure or a failover takes a second of writes, and pods remember what was in them. */
  @Test
  void nothingIsGivenOutBeforeWhatWasLostIsMadeUpFor() {
    String known = kit.enqueue("eu", "a");
    String _ = kit.redis.call(commands -> commands.set(kit.place.generation(), "g"));
    comeBackAsAnother();
    assertThat(kit.claim(Kit.EU, 1)).isEmpty();
    assertThat(kit.run(kit.functions.tick()).live()).isEqualTo(-2);
    assertThat(kit.pop(kit.place.tend())).isNotNull();
    kit.becomeWhole();
    assertThat(kit.run(kit.functions.tick()).live()).isEqualTo(1);
    assertThat(kit.claim(Kit.EU, 1)).extracting(Task::id).containsExactly(known);
  }

  @Test
  void anAttemptThatMayHaveBeenGivenOutInLostWritesIsNotGivenOutAgain() {
    String known = kit.enqueue("eu", "a");
    comeBackAsAnother();
    assertThat(adopt(open(known, TaskState.PENDING, 0, 1, false))).isZero();
    assertThat(adopt(open(known, TaskState.PENDING, 0, 1, false))).isZero();
    kit.becomeWhole();
    assertThat(kit.claim(Kit.EU, 1)).extracting(Task::attempt).containsExactly(2);
  }

  /** Accepted, given out and lost before anybody told the ledger that Redis had it. */
  @Test
  void anAttemptOfATaskThatWasLostAltogetherIsNotGivenOutAgain() {
    comeBackAsAnother();
    assertThat(adopt(open("x", TaskState.PENDING, 0))).isEqualTo(1);
    kit.becomeWhole();
    assertThat(kit.claim(Kit.EU, 1)).extracting(Task::attempt).containsExactly(2);
  }

  /** The same in a Redis that forgot everything: whoever has it may still run it. */
  @Test
  void anAttemptOfATaskThatWasForgottenUnheardIsNotGivenOutAgain() {
    List<OpenTask> open = new ArrayList<>();
    Rebuild rebuild =
        new Rebuild(kit.redis, kit.functions, new Remembering(open, () -> {}), new Signal<>());
    emptyThePlace();
    open.add(accepted("x", Duration.ZERO));
    boolean _ = rebuild.ifForgotten();
    assertThat(kit.claim(Kit.EU, 1))
        .as("accepted since this server began, and Redis was empty before")
        .extracting(Task::attempt)
        .containsExactly(1);
    emptyThePlace();
    boolean _ = rebuild.ifForgotten();
    assertThat(kit.claim(Kit.EU, 1)).extracting(Task::attempt).containsExactly(2);
  }

  @Test
  void aServerThatBeginsOnAnEmptyRedisDoesNotKnowWhatWasGivenOutBefore() {
    emptyThePlace();
    Ledger ledger = new Remembering(List.of(accepted("x", Duration.ofHours(1))), () -> {});
    boolean _ = new Rebuild(kit.redis, kit.functions, ledger, new Signal<>()).ifForgotten();
    assertThat(kit.claim(Kit.EU, 1)).extracting(Task::attempt).containsExactly(2);
  }

  /** It was given out in writes that are lost, and stopped as one that waits. */
  @Test
  void anEndThatCameBeforeTheComparisonIsNewsForALedgerThatHeardOfWhatWasLost() {
    String known = kit.enqueue("eu", "a");
    comeBackAsAnother();
    assertThat(kit.run(kit.functions.stop(known, Duration.ZERO)).word()).isEqualTo(Word.APPLIED);
    assertThat(adopt(open(known, TaskState.PROCESSING, 1, 2, true))).isZero();
    assertThat(kit.moves().getLast())
        .satisfies(
            move -> {
              assertThat(move.state()).isEqualTo(TaskState.FAILED);
              assertThat(move.attempt()).as("attempts do not go back").isEqualTo(1);
              assertThat(move.number()).isGreaterThan(2);
            });
  }

  /** Another attempt may have been given out in those writes, and may run. */
  @Test
  void noWordIsHeardBeforeWhatWasLostIsMadeUpFor() {
    String known = kit.enqueue("eu", "a");
    Held held = kit.claimOne(Kit.EU);
    comeBackAsAnother();
    assertThat(
            List.of(
                kit.run(kit.functions.complete(Kit.EU.id(), held)),
                kit.run(kit.functions.fail(Kit.EU.id(), held, "no")),
                kit.run(kit.functions.tryAgain(Kit.EU.id(), held, "not now"))))
        .containsOnly(Word.UNSURE);
    assertThat(kit.task(known).state()).isEqualTo(TaskState.PROCESSING);
    assertThat(kit.pop(kit.place.tend())).isNotNull();
    kit.becomeWhole();
    assertThat(kit.run(kit.functions.complete(Kit.EU.id(), held))).isEqualTo(Word.APPLIED);
  }

  @Test
  void movesAfterLostWritesAreNewsForALedgerThatHeardOfThoseThatWereLost() {
    String known = kit.enqueue("eu", "a");
    comeBackAsAnother();
    assertThat(adopt(open(known, TaskState.PENDING, 2, 5, false))).isZero();
    kit.becomeWhole();
    Held held = kit.claimOne(Kit.EU);
    assertThat(held.fence()).startsWith("4.");
    assertThat(kit.run(kit.functions.complete(Kit.EU.id(), held))).isEqualTo(Word.APPLIED);
    assertThat(kit.moves().subList(1, kit.moves().size()))
        .isNotEmpty()
        .allSatisfy(move -> assertThat(move.number()).isGreaterThan(5));
  }

  @Test
  void whoWasFollowedByAnotherInLostWritesHoldsNothing() {
    String known = kit.enqueue("eu", "a");
    Held first = kit.claimOne(Kit.EU);
    comeBackAsAnother();
    assertThat(adopt(open(known, TaskState.PROCESSING, 2, 4, false))).isZero();
    kit.becomeWhole();
    assertThat(kit.run(kit.functions.complete(Kit.EU.id(), first))).isEqualTo(Word.STALE);
    assertThat(kit.task(known).state()).isEqualTo(TaskState.PROCESSING);
    assertThat(kit.task(known).attempt()).isEqualTo(2);
    assertThat(renew(Kit.EU, new Held(known, "2.g"))).isEqualTo(Word.APPLIED);
  }

  /** A pod runs it, as the ledger knows and this Redis does not. */
  @Test
  void whatRunsByLostWritesIsKeptForItsPodAndThenWaitsForItsWholeWindow() {
    String known = kit.enqueue("eu", "a");
    kit.pass(Duration.ofSeconds(25));
    comeBackAsAnother();
    assertThat(adopt(open(known, TaskState.PROCESSING, 1, 2, false))).isZero();
    kit.becomeWhole();
    assertThat(kit.claim(Kit.EU, 1)).isEmpty();
    kit.pass(Duration.ofMillis(45_001));
    assertThat(kit.run(kit.functions.reclaim(10)).count()).isEqualTo(1);
    kit.pass(Duration.ofSeconds(29));
    assertThat(kit.run(kit.functions.expire(10)).count()).isZero();
    kit.pass(Duration.ofMillis(1001));
    assertThat(kit.run(kit.functions.expire(10)).count()).isEqualTo(1);
  }

  @Test
  void whoHeldItBeforeLostWritesAndStillDoesGoesOn() {
    String known = kit.enqueue("eu", "a");
    Held held = kit.claimOne(Kit.EU);
    comeBackAsAnother();
    assertThat(adopt(open(known, TaskState.PROCESSING, 1, 2, false))).isZero();
    kit.becomeWhole();
    assertThat(kit.run(kit.functions.complete(Kit.EU.id(), held))).isEqualTo(Word.APPLIED);
  }

  @Test
  void whatHadEndedIsNotRunAgainAlthoughItsEndWasLost() {
    String waited = kit.enqueue("eu", "a");
    String ran = kit.enqueue("eu", "b");
    Held held = kit.claimOne(Kit.EU);
    String other = held.id().equals(ran) ? waited : ran;
    assertThat(
            kit.run(
                kit.functions.settle(
                    List.of(
                        new EndedTask(held.id(), TaskState.SUCCESS, 2, ""),
                        new EndedTask(other, TaskState.TIMEOUT, 0, "late"),
                        new EndedTask("unknown", TaskState.FAILED, 0, "no")))))
        .isEqualTo(2);
    assertThat(kit.task(held.id()).state()).isEqualTo(TaskState.SUCCESS);
    assertThat(kit.task(held.id()).attempt()).as("the ledger knows of a later one").isEqualTo(2);
    assertThat(kit.task(other).state()).isEqualTo(TaskState.TIMEOUT);
    assertThat(kit.task(other).error()).isEqualTo("late");
    assertThat(kit.run(kit.functions.complete(Kit.EU.id(), held))).isEqualTo(Word.STALE);
    assertThat(kit.claim(Kit.EU, 2)).isEmpty();
  }

  /** A flush in the middle of a rebuild must not leave an empty place that counts as whole. */
  @Test
  void aPlaceThatIsEmptiedDuringItsRebuildIsNotWhole() {
    AtomicInteger reads = new AtomicInteger();
    Ledger ledger =
        new Remembering(
            List.of(open("x", TaskState.PENDING, 0)),
            () -> {
              if (reads.incrementAndGet() == 2) {
                emptyThePlace();
              }
            });
    Rebuild rebuild = new Rebuild(kit.redis, kit.functions, ledger, new Signal<>());
    emptyThePlace();
    assertThat(rebuild.ifForgotten()).isFalse();
    assertThat(kit.run(kit.functions.tick()).live()).isEqualTo(-2);
    assertThat(rebuild.ifForgotten()).isTrue();
    assertThat(kit.run(kit.functions.tick()).live()).isEqualTo(1);
    assertThat(kit.claim(Kit.EU, 1)).extracting(Task::id).containsExactly("x");
    assertThat(rebuild.ifForgotten()).isFalse();
    assertThat(reads).hasValue(4);
  }

  /** The place was whole on another server than this one. */
  private void comeBackAsAnother() {
    String _ = kit.redis.call(commands -> commands.set(kit.place.server(), "run_id:0"));
  }

  private Word renew(PodName pod, Held held) {
    return kit.run(kit.functions.renew(pod, 1, 0, List.of(held))).words().getFirst();
  }

  private int adopt(OpenTask... tasks) {
    @Nullable String read = kit.redis.call(commands -> commands.get(kit.place.generation()));
    return kit.run(kit.functions.adopt(read == null ? "" : read, List.of(tasks), _ -> false));
  }

  private static OpenTask open(String id, TaskState state, int attempt) {
    return open(id, state, attempt, 0, false);
  }

  /** Taken in a minute ago, waiting for ten seconds; heard of from Redis if it has moved. */
  private static OpenTask open(String id, TaskState state, int attempt, long move, boolean stop) {
    return open(id, state, attempt, move, stop, Duration.ofSeconds(60));
  }

  /** Taken in so long ago; the ledger has heard nothing of it since. */
  private static OpenTask accepted(String id, Duration age) {
    return open(id, TaskState.PENDING, 0, 0, false, age);
  }

  private static OpenTask open(
      String id, TaskState state, int attempt, long move, boolean stop, Duration age) {
    return new OpenTask(
        id,
        "req-" + id,
        Optional.of("eu"),
        "a",
        Optional.empty(),
        "snapshot",
        Kit.task(id, "eu", "a").spec().toString(),
        state,
        attempt,
        0,
        stop,
        move > 0,
        age,
        Duration.ofSeconds(10),
        move,
        state == TaskState.PROCESSING
            ? Optional.of(new OpenTask.Run(Kit.EU.id(), Optional.of(0), Duration.ofSeconds(5)))
            : Optional.empty());
  }

  private void emptyThePlace() {
    List<String> keys = kit.redis.call(commands -> commands.keys(kit.place.prefix() + "*"));
    long _ = kit.redis.call(commands -> commands.del(keys.toArray(String[]::new)));
    kit.pass(Duration.ZERO);
  }

  /** Knows some open tasks, and lets something happen whenever it is read. */
  private static final class Remembering extends NoLedger {
    private final List<OpenTask> tasks;
    private final Runnable meanwhile;

    private Remembering(List<OpenTask> tasks, Runnable meanwhile) {
      this.tasks = tasks;
      this.meanwhile = meanwhile;
    }

    @Override
    public boolean remembers() {
      return true;
    }

    @Override
    public List<OpenTask> open(String afterId, int limit) {
      meanwhile.run();
      return tasks.stream().filter(task -> task.id().compareTo(afterId) > 0).toList();
    }
  }
}
