package io.convoke.server.recordings;

import java.time.Duration;

/** Reports the progress of a step at a bounded rate. */
final class StepProgressReporter {
  private final StepStore ledger;
  private final StepClaim claim;
  private final long gap;
  private long shownAt = System.nanoTime();

  StepProgressReporter(StepStore ledger, StepClaim claim, Duration gap) {
    this.ledger = ledger;
    this.claim = claim;
    this.gap = gap.toNanos();
  }

  /**
   * Reports progress.
   *
   * @throws StepStore.StepClaimLost when another worker has claimed the step
   */
  void at(double fraction) {
    long now = System.nanoTime();
    if (now - shownAt >= gap) {
      shownAt = now;
      ledger.progress(claim, fraction);
    }
  }
}
