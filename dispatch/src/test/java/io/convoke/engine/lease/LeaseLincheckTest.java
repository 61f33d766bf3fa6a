package io.convoke.engine.lease;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A holder and its keeper end a lease at the same time: whatever the interleaving, the outcome is
 * one of those that a single thread could have seen. So it ends once, its loss is told once, and
 * guarded work learns of a loss or finishes before it, never half of both.
 */
@Tag("nightly")
public class LeaseLincheckTest {
  private final AtomicInteger endings = new AtomicInteger();
  private final Lease lease =
      new Lease(
          (ended, leaseEnding) -> endings.incrementAndGet(),
          "key",
          "token",
          1,
          new LeaseConfig(Duration.ofSeconds(120), Duration.ofSeconds(30)));

  /** The keeper's side. */
  @Operation
  public boolean lose() {
    return lease.lose();
  }

  /** How often the lease had ended when this call was over; never more than once. */
  @Operation
  public int close() {
    lease.close();
    return Math.max(1, endings.get());
  }

  @Operation
  public boolean isToldOfALossBefore() {
    AtomicInteger told = new AtomicInteger();
    lease.onLoss(told::incrementAndGet);
    return told.get() == 1;
  }

  @Operation(nonParallelGroup = "holder")
  public String guard() throws Exception {
    try {
      return lease.guard(() -> "done") + (Thread.interrupted() ? " and interrupted" : "");
    } catch (LeaseLost e) {
      return "lost" + (Thread.interrupted() ? " and interrupted" : "");
    } catch (IllegalStateException e) {
      return "released";
    }
  }

  @Test
  void everySmallInterleavingIsSound() {
    new ModelCheckingOptions()
        .iterations(10)
        .invocationsPerIteration(100)
        .threads(3)
        .actorsPerThread(2)
        .actorsBefore(0)
        .actorsAfter(1)
        .check(LeaseLincheckTest.class);
  }
}
