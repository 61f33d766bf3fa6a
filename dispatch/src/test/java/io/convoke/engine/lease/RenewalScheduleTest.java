package io.convoke.engine.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.lease.RenewalSchedule.DueLeases;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Times are seconds after the start; terms are 120/30, so that the end is 108 s after a renewal.
 */
class RenewalScheduleTest {
  private static final LeaseConfig TERMS =
      new LeaseConfig(Duration.ofSeconds(120), Duration.ofSeconds(30));

  private final RenewalSchedule renewalSchedule = new RenewalSchedule();

  @Test
  void aLeaseIsRenewedWhenItsIntervalHasPassed() {
    Lease lease = add(0);
    assertThat(renewalSchedule.next()).isEqualTo(at(30));
    assertThat(take(29)).isEqualTo(new DueLeases(List.of(), List.of()));
    assertThat(take(30)).isEqualTo(new DueLeases(List.of(lease), List.of()));
    renewalSchedule.renewed(lease, seconds(30));
    assertThat(renewalSchedule.next()).isEqualTo(at(60));
  }

  @Test
  void whileTheAnswerIsAwaitedOnlyTheEndIsDue() {
    Lease lease = add(0);
    assertThat(take(30).renew()).containsExactly(lease);
    assertThat(renewalSchedule.next()).isEqualTo(at(108));
    assertThat(take(107)).isEqualTo(new DueLeases(List.of(), List.of()));
    assertThat(take(108)).isEqualTo(new DueLeases(List.of(), List.of(lease)));
    assertThat(renewalSchedule.size()).isZero();
    assertThat(renewalSchedule.next()).isEmpty();
  }

  @Test
  void aLateAnswerDoesNotBringAnEndedLeaseBack() {
    Lease lease = add(0);
    assertThat(take(108).expired()).containsExactly(lease);
    renewalSchedule.renewed(lease, seconds(30));
    renewalSchedule.failed(lease, seconds(30));
    assertThat(renewalSchedule.next()).isEmpty();
  }

  @Test
  void aFailedRenewalIsTriedAgainSoonAndNeverBeyondTheEnd() {
    Lease lease = add(0);
    assertThat(take(30).renew()).containsExactly(lease);
    renewalSchedule.failed(lease, seconds(32));
    assertThat(renewalSchedule.next()).hasValue(seconds(32) + Duration.ofMillis(250).toNanos());
    assertThat(take(33).renew()).containsExactly(lease);
    renewalSchedule.failed(lease, seconds(107) + Duration.ofMillis(900).toNanos());
    assertThat(renewalSchedule.next()).isEqualTo(at(108));
    assertThat(take(108).expired()).containsExactly(lease);
  }

  @Test
  void whatIsNearlyDueComesAlongAndWhatIsNotDoesNot() {
    Lease first = add(0);
    Lease near = add(3);
    Lease nearest = add(3.75);
    Lease far = add(3.751);
    assertThat(take(29).renew()).isEmpty();
    assertThat(take(30).renew()).containsExactly(first, near, nearest);
    assertThat(take(30).renew()).isEmpty();
    assertThat(take(34).renew()).containsExactly(far);
  }

  @Test
  void whatAwaitsItsAnswerDoesNotComeAlong() {
    Lease first = add(0);
    assertThat(take(30).renew()).containsExactly(first);
    Lease second = add(76);
    assertThat(take(106).renew()).containsExactly(second);
  }

  @Test
  void aFullBatchLeavesTheRestForTheNext() {
    List<Lease> leases = IntStream.range(0, 7).mapToObj(i -> add(i / 10.0)).toList();
    assertThat(renewalSchedule.takeDue(seconds(30), 5).renew()).isEqualTo(leases.subList(0, 5));
    assertThat(renewalSchedule.takeDue(seconds(31), 5).renew()).isEqualTo(leases.subList(5, 7));
  }

  @Test
  void ofLeasesThatAreDueTogetherTheOneThatWasKeptFirstComesFirst() {
    Lease first = add(0);
    Lease second = add(0);
    assertThat(renewalSchedule.size()).isEqualTo(2);
    assertThat(renewalSchedule.all()).containsExactlyInAnyOrder(first, second);
    assertThat(take(30).renew()).containsExactly(first, second);
  }

  /** A renewal that was sent 109 s ago has ended, one of 60 s ago has not. */
  @Test
  void aLeaseIsHeldForAsLongAsItsLastRenewalReaches() {
    double now = System.nanoTime() / 1e9;
    Lease lease = add(now - 109);
    assertThat(lease.held()).isFalse();
    renewalSchedule.renewed(lease, seconds(now - 60));
    assertThat(lease.held()).isTrue();
  }

  @Test
  void aRemovedLeaseIsNeverDue() {
    Lease lease = add(0);
    assertThat(renewalSchedule.remove(lease)).isTrue();
    assertThat(renewalSchedule.remove(lease)).isFalse();
    assertThat(take(1000)).isEqualTo(new DueLeases(List.of(), List.of()));
  }

  private Lease add(double sent) {
    Lease lease = new Lease((ended, leaseEnding) -> {}, "key", "token", 1, TERMS);
    renewalSchedule.add(lease, seconds(sent));
    return lease;
  }

  private DueLeases take(double now) {
    return renewalSchedule.takeDue(seconds(now), 100);
  }

  private static OptionalLong at(double seconds) {
    return OptionalLong.of(seconds(seconds));
  }

  private static long seconds(double seconds) {
    return Math.round(seconds * 1e9);
  }
}
