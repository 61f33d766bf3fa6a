package io.convoke.server.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.server.launch.Await;
import io.convoke.server.webhooks.DeliveryLimiter.DeliveryPermission;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DeliveryLimiterTest {
  private static final Optional<Long> ANN = Optional.of(1L);
  private static final Optional<Long> BOB = Optional.of(2L);
  private final AtomicLong now = new AtomicLong(1);
  private final DeliveryLimiter limits = new DeliveryLimiter(64, now::get);

  @Test
  void aUserHasAQuarterAndAnEndpointAnEighth() {
    assertThat(permits(1, ANN, 20)).hasSize(8);
    assertThat(permits(2, ANN, 20)).hasSize(8);
    assertThat(permits(3, ANN, 20)).isEmpty();
    assertThat(permits(4, BOB, 20)).hasSize(8);
  }

  @Test
  void whoIsRefusedComesAgainInTurnAndAtMostAfterHalfAMinute() {
    assertThat(permits(1, ANN, 8)).hasSize(8);
    Duration first = later(limits.tryAcquire(1, ANN));
    Duration second = later(limits.tryAcquire(1, ANN));
    assertThat(second).isGreaterThan(first);
    for (int i = 0; i < 10_000; i++) {
      assertThat(later(limits.tryAcquire(1, ANN))).isLessThanOrEqualTo(Duration.ofSeconds(30));
    }
  }

  /** Each an eighth of a delivery's time after the one before; at first that is taken as 2 s. */
  @Test
  void refusedLanesComeOneAfterAnotherUpToExactlyHalfAMinute() {
    pass(100);
    assertThat(permits(1, ANN, 8)).hasSize(8);
    for (long before = 0; before < 119; before++) {
      assertThat(later(limits.tryAcquire(1, ANN))).isEqualTo(Duration.ofMillis(350 + 250 * before));
    }
    pass(Duration.ofMillis(100));
    assertThat(later(limits.tryAcquire(1, ANN))).isEqualTo(seconds(30));
    assertThat(later(limits.tryAcquire(1, ANN))).isBetween(seconds(15), seconds(30));
  }

  @Test
  void refusedLanesFollowTheTimeThatDeliveriesTake() {
    DeliveryPermission.DeliveryPermit slow = permits(1, ANN, 8).getFirst();
    pass(10);
    slow.ended(true);
    slow.close();
    assertThat(permits(1, ANN, 1)).hasSize(1);
    // The mean moves by an eighth of the difference, from 2 s to 3 s.
    assertThat(later(limits.tryAcquire(1, ANN))).isEqualTo(Duration.ofMillis(100 + 3000 / 8));
  }

  @Test
  void aUserWithoutDeliveriesBeginsAnewUnlessALaneStillWaitsItsTurn() {
    Duration anew = Duration.ofMillis(350);
    for (Duration took : List.of(Duration.ZERO, seconds(10))) {
      DeliveryPermission.DeliveryPermit only = permits(1, ANN, 1).getFirst();
      pass(took);
      only.ended(true);
      only.close();
      List<DeliveryPermission.DeliveryPermit> some = permits(1, ANN, 8);
      assertThat(later(limits.tryAcquire(1, ANN))).isEqualTo(anew);
      pass(1);
      some.forEach(DeliveryPermission.DeliveryPermit::close);
    }
    List<DeliveryPermission.DeliveryPermit> some = permits(1, ANN, 8);
    assertThat(later(limits.tryAcquire(1, ANN))).isEqualTo(anew);
    some.forEach(DeliveryPermission.DeliveryPermit::close);
    assertThat(permits(1, ANN, 8)).hasSize(8);
    assertThat(later(limits.tryAcquire(1, ANN))).isGreaterThan(anew);
  }

  @Test
  void aSilentEndpointIsLeftAloneThenTriedByOneMessageAtATime() {
    List<DeliveryPermission.DeliveryPermit> some = permits(1, ANN, 8);
    pass(15);
    some.forEach(DeliveryPermission.DeliveryPermit::close);
    assertThat(limits.remainingBackoff(1)).isPresent();
    assertThat(limits.tryAcquire(1, ANN)).isInstanceOf(DeliveryPermission.DeliverLater.class);
    assertThat(limits.tryAcquire(2, ANN)).isInstanceOf(DeliveryPermission.DeliveryPermit.class);
    pass(6);
    assertThat(limits.remainingBackoff(1)).isEmpty();
    assertThat(permits(1, ANN, 8)).hasSize(1);
  }

  @Test
  void oneLaneTriesASilentEndpointAndTheOthersWaitForItsAnswer() {
    DeliveryPermission.DeliveryPermit deliveryPermit = permits(1, ANN, 1).getFirst();
    pass(15);
    deliveryPermit.close();
    assertThat(limits.remainingBackoff(1)).contains(Duration.ofSeconds(5));
    for (int i = 0; i < 20; i++) {
      assertThat(limits.remainingBackoff(1).orElseThrow()).isBetween(seconds(20), seconds(40));
    }
  }

  private static Duration seconds(int seconds) {
    return Duration.ofSeconds(seconds);
  }

  @Test
  void itIsLeftAloneForLongerEachTimeUntilItAnswers() {
    for (int seconds : List.of(5, 10, 20, 40, 60, 60)) {
      DeliveryPermission.DeliveryPermit deliveryPermit = permits(1, ANN, 1).getFirst();
      pass(15);
      deliveryPermit.close();
      pass(seconds(seconds).minusNanos(1));
      assertThat(limits.remainingBackoff(1)).contains(Duration.ofNanos(1));
      pass(Duration.ofNanos(1));
      assertThat(limits.remainingBackoff(1)).isEmpty();
    }
    DeliveryPermission.DeliveryPermit deliveryPermit = permits(1, ANN, 1).getFirst();
    deliveryPermit.ended(true);
    deliveryPermit.close();
    assertThat(permits(1, ANN, 8)).hasSize(8);
  }

  @Test
  void silentEndpointsTogetherHaveAQuarter() {
    List<DeliveryPermission.DeliveryPermit> some = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      some.addAll(permits(i, Optional.of((long) i), 1));
    }
    pass(15);
    some.forEach(DeliveryPermission.DeliveryPermit::close);
    pass(6);
    for (int round = 0; round < 2; round++) {
      List<DeliveryPermission.DeliveryPermit> trials = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        trials.addAll(permits(i, Optional.of((long) i), 1));
      }
      assertThat(trials).hasSize(16);
      trials.forEach(DeliveryPermission.DeliveryPermit::close);
    }
  }

  @Test
  void aFailureCountsAsSilenceFromFourSecondsOn() {
    pass(100);
    for (Duration took : List.of(Duration.ZERO, seconds(4).minusNanos(1), seconds(4))) {
      assertThat(limits.remainingBackoff(1)).isEmpty();
      DeliveryPermission.DeliveryPermit deliveryPermit = permits(1, ANN, 1).getFirst();
      pass(took);
      deliveryPermit.close();
    }
    assertThat(limits.remainingBackoff(1)).contains(seconds(5));
  }

  @Test
  void aHundredThousandSilentEndpointsAreKnownAndTheOldestIsForgotten() {
    for (int endpoint = 0; endpoint < 100_000; endpoint++) {
      timesOut(endpoint);
    }
    List<DeliveryPermission.DeliveryPermit> trial = permits(0, ANN, 8);
    assertThat(trial).hasSize(1);
    trial.forEach(DeliveryPermission.DeliveryPermit::close);
    timesOut(100_000);
    assertThat(permits(0, ANN, 8)).hasSize(8);
  }

  private void timesOut(long endpoint) {
    DeliveryPermission.DeliveryPermit deliveryPermit = permits(endpoint, BOB, 1).getFirst();
    pass(15);
    deliveryPermit.close();
  }

  @Test
  void aNameServerThatDoesNotAnswerCostsABoundedTime() {
    CountDownLatch never = new CountDownLatch(1);
    BoundedAddressResolver resolver = resolver(1, 1, never);
    assertThatThrownBy(() -> resolver.resolve(ANN, "slow.example"))
        .isInstanceOf(UnknownHostException.class);
    assertThatThrownBy(() -> resolver.resolve(BOB, "quick.example"))
        .as("says nothing about the host")
        .isInstanceOf(SsrfGuard.LookupRefused.class);
    never.countDown();
  }

  @Test
  void nameServersOfOneUserThatDoNotAnswerLeaveThreadsToOthers() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    BoundedAddressResolver resolver = resolver(8, 2, never);
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> resolver.resolve(ANN, "slow.example"))
          .isInstanceOf(UnknownHostException.class);
    }
    assertThatThrownBy(() -> resolver.resolve(ANN, "quick.example"))
        .isInstanceOf(SsrfGuard.LookupRefused.class);
    assertThat(resolver.resolve(BOB, "quick.example")).hasSize(1);
    never.countDown();
    Await.until("the lookups have ended", () -> resolves(resolver));
  }

  private static boolean resolves(BoundedAddressResolver resolver) {
    try {
      return resolver.resolve(ANN, "quick.example").size() == 1;
    } catch (SsrfGuard.LookupRefused e) {
      return false;
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  /** A resolver whose lookups of one host end when the latch is released. */
  private static BoundedAddressResolver resolver(int most, int perUser, CountDownLatch never) {
    return new BoundedAddressResolver(
        most,
        perUser,
        (user, host) -> {
          if (host.equals("slow.example")) {
            try {
              never.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
          return List.of(InetAddress.getLoopbackAddress());
        },
        Duration.ofMillis(300));
  }

  private List<DeliveryPermission.DeliveryPermit> permits(
      long endpoint, Optional<Long> user, int wanted) {
    List<DeliveryPermission.DeliveryPermit> taken = new ArrayList<>();
    for (int i = 0; i < wanted; i++) {
      if (limits.tryAcquire(endpoint, user)
          instanceof DeliveryPermission.DeliveryPermit deliveryPermit) {
        boolean _ = taken.add(deliveryPermit);
      }
    }
    return taken;
  }

  private void pass(int seconds) {
    pass(seconds(seconds));
  }

  private void pass(Duration time) {
    long _ = now.addAndGet(time.toNanos());
  }

  private static Duration later(DeliveryPermission deliveryPermission) {
    return switch (deliveryPermission) {
      case DeliveryPermission.DeliverLater(Duration pause) -> pause;
      case DeliveryPermission.DeliveryPermit _ -> throw new AssertionError("a permit");
    };
  }
}
