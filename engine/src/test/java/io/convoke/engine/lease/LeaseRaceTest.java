package io.convoke.engine.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * Guarded work, loss and release, started together on real threads with small random delays. The
 * holder learns of a loss exactly when there was one before its work ended, no interrupt is left
 * behind for whatever its thread does next, and the keeper hears of the end once.
 */
class LeaseRaceTest {
  private static final long SEED = Long.getLong("seed", System.nanoTime());
  private static final int ROUNDS = 20_000;

  @Test
  void lossReleaseAndGuardedWorkAgreeOnTheOutcome() throws Exception {
    CyclicBarrier start = new CyclicBarrier(3);
    AtomicReference<Round> next = new AtomicReference<>();
    List<String> wrong = new CopyOnWriteArrayList<>();
    Thread keeper = thread(start, next, Round::lose);
    Thread closer = thread(start, next, Round::release);
    Random random = new Random(SEED);
    for (int i = 0; i < ROUNDS && wrong.isEmpty(); i++) {
      Round round = new Round(random);
      next.set(round);
      int _ = start.await(10, TimeUnit.SECONDS);
      round.work();
      int _ = start.await(10, TimeUnit.SECONDS);
      round.judge(wrong);
    }
    keeper.interrupt();
    closer.interrupt();
    assertThat(wrong).as("seed %d", SEED).isEmpty();
  }

  private static Thread thread(
      CyclicBarrier start, AtomicReference<Round> next, java.util.function.Consumer<Round> part) {
    return Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try {
                while (true) {
                  int _ = start.await();
                  part.accept(next.get());
                  int _ = start.await();
                }
              } catch (InterruptedException | java.util.concurrent.BrokenBarrierException over) {
                Thread.currentThread().interrupt();
              }
            });
  }

  private static final class Round {
    private final AtomicInteger endings = new AtomicInteger();
    private final AtomicInteger told = new AtomicInteger();
    private final int loseAfter;
    private final int releaseAfter;
    private final int workFor;
    private final Lease lease =
        new Lease(
            (ended, ending) -> endings.incrementAndGet(),
            "key",
            "token",
            1,
            new LeaseTerms(Duration.ofSeconds(120), Duration.ofSeconds(30)));
    private volatile boolean lost;
    private String outcome = "";
    private boolean interruptedAfter;

    private Round(Random random) {
      this.loseAfter = random.nextInt(300);
      this.releaseAfter = random.nextInt(300);
      this.workFor = random.nextInt(300);
      lease.onLoss(told::incrementAndGet);
    }

    private void lose() {
      spin(loseAfter);
      lost = lease.lose();
    }

    private void release() {
      spin(releaseAfter);
      lease.close();
    }

    private void work() throws Exception {
      try {
        outcome =
            lease.guard(
                () -> {
                  spin(workFor);
                  return "done";
                });
      } catch (LeaseLost e) {
        outcome = "lost";
      } catch (IllegalStateException e) {
        outcome = "released";
      }
      interruptedAfter = Thread.currentThread().isInterrupted();
    }

    private void judge(List<String> wrong) {
      boolean agreed = !outcome.equals("lost") || lost;
      boolean once = endings.get() == 1 && told.get() == (lost ? 1 : 0);
      if (!agreed || !once || interruptedAfter || lease.held()) {
        wrong.add(
            "%s, lost %s, told %s, ended %s, interrupted %s"
                .formatted(outcome, lost, told, endings, interruptedAfter));
      }
    }

    private static void spin(int turns) {
      for (int i = 0; i < turns; i++) {
        Thread.onSpinWait();
      }
    }
  }
}
