package io.convoke.engine.durable.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.durable.provider.ProviderAdmin.InstanceInfo;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Locks: their tokens, their ends, and how often something was tried. */
abstract class LockConformance extends AdminConformance {
  @Test
  void unknownTokensAreLostForEverything() throws Exception {
    provider.enqueueForWorker(work("i", 1, "x"));
    provider.enqueueForOrchestrator(new InstanceMessage("i", "m"));
    for (String token : List.of("", "unknown", "1.1/", "1.1/x", "1.1/1", "1.1/i", "/", "0.a/b/c")) {
      assertThat(provider.ackWorkItem(token, Optional.empty()))
          .as(token)
          .isEqualTo(LockStatus.LOST);
      assertThat(provider.renewWorkItemLock(token, LOCK)).as(token).isEqualTo(LockStatus.LOST);
      assertThat(provider.abandonWorkItem(token, NO_DELAY, false))
          .as(token)
          .isEqualTo(LockStatus.LOST);
      assertThat(provider.ackOrchestrationItem(token, firstTurn()))
          .as(token)
          .isEqualTo(LockStatus.LOST);
      assertThat(provider.renewOrchestrationItemLock(token, LOCK))
          .as(token)
          .isEqualTo(LockStatus.LOST);
      assertThat(provider.abandonOrchestrationItem(token, NO_DELAY, false))
          .as(token)
          .isEqualTo(LockStatus.LOST);
    }
    assertThat(nextWork().attempt()).isOne();
    assertThat(nextInstance().attempt()).isOne();
    assertThat(provider.read("i")).isEmpty();
  }

  /** Poison: every time that it is handed out counts, also when its holder just disappears. */
  @Test
  void attemptsCountHoweverTheyEnd() throws Exception {
    provider.enqueueForWorker(work("i", 1, "x"));
    provider.enqueueForOrchestrator(new InstanceMessage("i", "m"));
    for (int attempt = 1; attempt <= 12; attempt++) {
      boolean vanishes = attempt % 4 == 0;
      Duration lock = vanishes ? SHORT_LOCK : LOCK;
      WorkItem item = nextWork(lock);
      OrchestrationItem turn = nextInstance(lock);
      assertThat(item.attempt()).isEqualTo(attempt);
      assertThat(turn.attempt()).isEqualTo(attempt);
      if (!vanishes) {
        LockStatus _ = provider.abandonWorkItem(item.lockToken(), NO_DELAY, false);
        LockStatus _ = provider.abandonOrchestrationItem(turn.lockToken(), NO_DELAY, false);
      }
    }
  }

  @Test
  void anIgnoredAttemptIsNotCountedAndNeverLessThanNone() throws Exception {
    provider.enqueueForWorker(work("i", 1, "x"));
    provider.enqueueForOrchestrator(new InstanceMessage("i", "m"));
    for (int i = 0; i < 3; i++) {
      WorkItem item = nextWork();
      OrchestrationItem turn = nextInstance();
      assertThat(item.attempt()).isOne();
      assertThat(turn.attempt()).isOne();
      LockStatus _ = provider.abandonWorkItem(item.lockToken(), NO_DELAY, true);
      LockStatus _ = provider.abandonOrchestrationItem(turn.lockToken(), NO_DELAY, true);
    }
  }

  /** What has no chance can be given back, or put off, although its lock has ended. */
  @Test
  void whatNobodyTookSinceCanBeGivenBackLate() throws Exception {
    provider.enqueueForWorker(work("i", 1, "x"));
    WorkItem item = nextWork(Duration.ofMillis(1));
    Instant end = provider.now().plusMillis(50);
    while (provider.now().isBefore(end)) {
      LockSupport.parkNanos(10_000_000);
    }
    assertThat(provider.ackWorkItem(item.lockToken(), Optional.empty())).isEqualTo(LockStatus.LOST);
    Optional<Duration> later = Optional.of(ChronoUnit.FOREVER.getDuration());
    assertThat(provider.abandonWorkItem(item.lockToken(), later, false)).isEqualTo(LockStatus.HELD);
    assertThat(provider.fetchWorkItem(LOCK, Duration.ofMillis(200))).isEmpty();
  }

  @Test
  void aRenewalOfMillisecondsIsAsLongAsItSays() throws Exception {
    provider.enqueueForWorker(work("i", 1, "x"));
    provider.enqueueForOrchestrator(new InstanceMessage("i", "m"));
    WorkItem item = nextWork();
    OrchestrationItem turn = nextInstance();
    Instant before = provider.now();
    Duration extension = Duration.ofMillis(700);
    assertThat(provider.renewWorkItemLock(item.lockToken(), extension)).isEqualTo(LockStatus.HELD);
    assertThat(provider.renewOrchestrationItemLock(turn.lockToken(), extension))
        .isEqualTo(LockStatus.HELD);
    assertThat(nextWork().attempt()).as("shorter than it was").isEqualTo(2);
    assertThat(nextInstance().attempt()).isEqualTo(2);
    assertThat(provider.now()).isAfter(before.plusMillis(650));
  }

  @Test
  void aLockThatEndedCannotBeRenewed() throws Exception {
    provider.enqueueForWorker(work("i", 1, "x"));
    provider.enqueueForOrchestrator(new InstanceMessage("i", "m"));
    WorkItem item = nextWork(Duration.ofMillis(1));
    OrchestrationItem turn = nextInstance(Duration.ofMillis(1));
    Instant end = provider.now().plusMillis(50);
    while (provider.now().isBefore(end)) {
      LockSupport.parkNanos(10_000_000);
    }
    assertThat(provider.renewWorkItemLock(item.lockToken(), LOCK)).isEqualTo(LockStatus.LOST);
    assertThat(provider.renewOrchestrationItemLock(turn.lockToken(), LOCK))
        .isEqualTo(LockStatus.LOST);
    assertThat(provider.ackOrchestrationItem(turn.lockToken(), firstTurn()))
        .isEqualTo(LockStatus.LOST);
    assertThat(provider.read("i")).isEmpty();
  }

  @Test
  void anInstanceThatIsGivenBackForLaterWaits() throws Exception {
    provider.enqueueForOrchestrator(new InstanceMessage("i", "m"));
    OrchestrationItem first = nextInstance();
    Instant hidden = provider.now().plusMillis(300);
    Optional<Duration> delay = Optional.of(Duration.ofMillis(300));
    assertThat(provider.abandonOrchestrationItem(first.lockToken(), delay, false))
        .isEqualTo(LockStatus.HELD);
    assertThat(nextInstance().attempt()).isEqualTo(2);
    assertThat(provider.now()).isAfterOrEqualTo(hidden.minusMillis(5));
  }

  @Test
  void messagesOfLaterStayBehind() throws Exception {
    Instant due = provider.now().plusMillis(400);
    provider.enqueueForOrchestrator(new InstanceMessage("i", "timer", Optional.of(due)));
    provider.enqueueForOrchestrator(new InstanceMessage("i", "now"));
    OrchestrationItem first = nextInstance();
    assertThat(first.messages()).containsExactly("now");
    LockStatus _ = provider.ackOrchestrationItem(first.lockToken(), TurnCommit.empty(1));
    assertThat(nextInstance().messages()).containsExactly("timer");
    assertThat(provider.now()).isAfterOrEqualTo(due.minusMillis(5));
  }

  /** Two turns that write the same event: that is a bug, is told as one, and changes nothing. */
  @Test
  void anEventThatIsThereAlreadyIsAnError() throws Exception {
    LockStatus _ = turn("i", firstTurn());
    provider.enqueueForOrchestrator(new InstanceMessage("i", "again"));
    OrchestrationItem item = nextInstance();
    assertThatThrownBy(
            () -> provider.ackOrchestrationItem(item.lockToken(), wrote(1, Optional.empty(), 2)))
        .isInstanceOfSatisfying(
            ProviderFailure.class, failure -> assertThat(failure.retryable()).isFalse());
    assertThat(provider.read("i")).hasSize(2);
    assertThat(provider.ackOrchestrationItem(item.lockToken(), wrote(1, Optional.empty(), 3)))
        .as("its lock was not touched")
        .isEqualTo(LockStatus.HELD);
  }

  @Test
  void customStatusIsCountedWhenItChanges() throws Exception {
    LockStatus _ = turn("i", firstTurn());
    assertThat(status("i")).isOne();
    provider.enqueueForOrchestrator(new InstanceMessage("i", "m"));
    LockStatus _ = provider.ackOrchestrationItem(nextInstance().lockToken(), TurnCommit.empty(1));
    assertThat(status("i")).as("nothing was said").isOne();
  }

  private long status(String instance) {
    return provider.admin().instance(instance).map(InstanceInfo::customStatusVersion).orElse(0L);
  }
}
