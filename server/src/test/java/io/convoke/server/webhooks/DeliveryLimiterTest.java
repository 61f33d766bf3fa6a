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
      pass(seconds - 1);
      assertThat(limits.remainingBackoff(1)).isPresent();
      pass(2);
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
    int sent = 0;
    for (int i = 0; i < 64; i++) {
      sent += permits(i, Optional.of((long) i), 1).size();
    }
    assertThat(sent).isEqualTo(16);
  }

  @Test
  void anImmediateFailureDoesNotCountAsSilence() {
    permits(1, ANN, 1).forEach(DeliveryPermission.DeliveryPermit::close);
    assertThat(limits.remainingBackoff(1)).isEmpty();
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
    long _ = now.addAndGet(Duration.ofSeconds(seconds).toNanos());
  }

  private static Duration later(DeliveryPermission deliveryPermission) {
    return switch (deliveryPermission) {
      case DeliveryPermission.DeliverLater(Duration pause) -> pause;
      case DeliveryPermission.DeliveryPermit _ -> throw new AssertionError("a permit");
    };
  }
}
