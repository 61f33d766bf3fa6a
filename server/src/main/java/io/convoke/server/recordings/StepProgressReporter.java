package io.convoke.server.recordings;

import java.time.Duration;

/** Shows how far a step is, at most once in a while. */
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
   * It is this far.
   *
   * @throws StepStore.StepClaimLost when the step is not ours any more
   */
  void at(double fraction) {
    long now = System.nanoTime();
    if (now - shownAt >= gap) {
      shownAt = now;
      ledger.progress(claim, fraction);
    }
  }
}
