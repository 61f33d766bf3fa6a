package io.convoke.engine.durable.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.provider.ProviderAdmin.ExecutionInfo;
import io.convoke.engine.durable.provider.ProviderAdmin.InstanceInfo;
import io.convoke.engine.durable.provider.TurnCommit.ExecutionOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Looking at instances and removing them. */
abstract class AdminConformance extends ProviderTestKit {
  private static final Optional<String> NO_PARENT = Optional.empty();
  private static final Optional<ExecutionOutcome> RUNS = Optional.empty();
  private static final Optional<ExecutionOutcome> WELL =
      Optional.of(new ExecutionOutcome(ExecutionStatus.COMPLETED, "well"));

  @Test
  void instancesAreListedNewestFirstByNameAndStatus() throws Exception {
    LockStatus _ = turn("a", begun("greet", NO_PARENT, WELL));
    LockStatus _ = turn("b", begun("greet", NO_PARENT, WELL));
    LockStatus _ = turn("c", begun("greet", NO_PARENT, RUNS));
    LockStatus _ = turn("d", begun("part", NO_PARENT, RUNS));
    ProviderAdmin admin = provider.admin();
    assertThat(admin.instances(Optional.empty(), Optional.of("greet"), Optional.empty(), 2))
        .extracting(InstanceInfo::instanceId)
        .containsExactly("c", "b");
    assertThat(admin.instances(Optional.empty(), Optional.empty(), Optional.of("b"), 10))
        .extracting(InstanceInfo::instanceId)
        .containsExactly("a");
    assertThat(
            admin.instances(
                Optional.of(ExecutionStatus.RUNNING), Optional.empty(), Optional.empty(), 10))
        .extracting(InstanceInfo::instanceId)
        .containsExactly("d", "c");
    assertThat(admin.instancesBetween("a", "d", "greet", 10))
        .extracting(InstanceInfo::instanceId)
        .containsExactly("b", "c");
    assertThat(admin.instancesBetween("a", "e", "part", 10))
        .extracting(InstanceInfo::instanceId)
        .containsExactly("d");
    assertThat(admin.instancesBetween("a", "d", "greet", 1)).hasSize(1);
    assertThat(admin.executions("a").getFirst().output()).contains("well");
    assertThat(admin.instance("unknown")).isEmpty();
    assertThat(admin.executions("unknown")).isEmpty();
  }

  @Test
  void childrenKnowTheirParent() throws Exception {
    LockStatus _ = turn("parent", begun("whole", NO_PARENT, RUNS));
    LockStatus _ = turn("one", begun("part", Optional.of("parent"), RUNS));
    LockStatus _ = turn("two", begun("part", Optional.of("parent"), RUNS));
    assertThat(provider.admin().children("parent")).containsExactly("one", "two");
    assertThat(provider.admin().instance("one"))
        .map(InstanceInfo::parent)
        .contains(Optional.of("parent"));
    assertThat(provider.admin().children("one")).isEmpty();
  }

  @Test
  void historyIsKeptByExecutionAndReadIsTheCurrentOne() throws Exception {
    LockStatus _ = turn("i", begun("greet", NO_PARENT, RUNS));
    LockStatus _ = turn("i", wrote(1, RUNS, 3, 2));
    Optional<ExecutionOutcome> again =
        Optional.of(new ExecutionOutcome(ExecutionStatus.CONTINUED_AS_NEW, "{}"));
    LockStatus _ = turn("i", wrote(1, again, 4));
    LockStatus _ = turn("i", wrote(2, RUNS, 1));
    ProviderAdmin admin = provider.admin();
    assertThat(admin.history("i", 1))
        .extracting(HistoryEvent::eventId)
        .containsExactly(1L, 2L, 3L, 4L);
    assertThat(provider.read("i")).extracting(HistoryEvent::eventId).containsExactly(1L);
    assertThat(admin.executions("i"))
        .extracting(ExecutionInfo::status)
        .containsExactly(ExecutionStatus.CONTINUED_AS_NEW, ExecutionStatus.RUNNING);
    assertThat(admin.instance("i")).map(InstanceInfo::executionId).contains(2L);
    assertThat(provider.read("unknown")).isEmpty();
  }

  @Test
  void pruningExecutionsLeavesTheCurrentOne() throws Exception {
    LockStatus _ = turn("i", begun("greet", NO_PARENT, RUNS));
    Optional<ExecutionOutcome> again =
        Optional.of(new ExecutionOutcome(ExecutionStatus.CONTINUED_AS_NEW, "{}"));
    LockStatus _ = turn("i", wrote(1, again, 2));
    LockStatus _ = turn("i", wrote(2, WELL, 1));
    ProviderAdmin admin = provider.admin();
    assertThat(admin.pruneExecutions(Duration.ofHours(1), 10)).isZero();
    assertThat(admin.pruneExecutions(Duration.ZERO, 10)).isOne();
    assertThat(admin.pruneExecutions(Duration.ZERO, 10)).isZero();
    assertThat(admin.history("i", 1)).isEmpty();
    assertThat(provider.read("i")).hasSize(1);
    assertThat(admin.executions("i")).hasSize(1);
  }

  @Test
  void pruningInstancesTakesEndedOnes() throws Exception {
    LockStatus _ = turn("ended", begun("greet", NO_PARENT, WELL));
    LockStatus _ = turn("another", begun("greet", NO_PARENT, WELL));
    LockStatus _ = turn("child", begun("part", Optional.of("ended"), WELL));
    LockStatus _ = turn("runs", begun("greet", NO_PARENT, RUNS));
    ProviderAdmin admin = provider.admin();
    assertThat(admin.pruneInstances(Duration.ofHours(1), 10)).isZero();
    assertThat(admin.pruneInstances(Duration.ZERO, 1)).as("oldest first").isOne();
    assertThat(admin.instance("ended")).isEmpty();
    assertThat(admin.history("ended", 1)).isEmpty();
    assertThat(admin.pruneInstances(Duration.ZERO, 10)).as("sub-workflows too").isEqualTo(2);
    assertThat(admin.instances(Optional.empty(), Optional.empty(), Optional.empty(), 10))
        .extracting(InstanceInfo::instanceId)
        .containsExactly("runs");
  }

  @Test
  void deletingTakesEverythingAndARunningInstanceOnlyByForce() throws Exception {
    LockStatus _ = turn("i", firstTurn());
    ProviderAdmin admin = provider.admin();
    assertThat(admin.delete("i", false)).isFalse();
    assertThat(admin.metrics().workItems()).isOne();
    assertThat(admin.delete("i", true)).isTrue();
    assertThat(admin.delete("i", true)).isFalse();
    assertThat(admin.metrics()).isEqualTo(new ProviderAdmin.ProviderMetrics(0, 0, 0, 0, 0, 0));
    assertThat(admin.history("i", 1)).isEmpty();
    assertThat(provider.fetchWorkItem(LOCK, Duration.ZERO)).isEmpty();
    assertThat(provider.fetchOrchestrationItem(LOCK, Duration.ZERO)).isEmpty();
    Optional<ExecutionOutcome> again =
        Optional.of(new ExecutionOutcome(ExecutionStatus.CONTINUED_AS_NEW, "{}"));
    LockStatus _ = turn("done", begun("greet", NO_PARENT, again));
    assertThat(admin.delete("done", false)).as("between two executions").isFalse();
    LockStatus _ = turn("done", wrote(2, WELL, 1));
    assertThat(admin.delete("done", false)).isTrue();
  }

  @Test
  void metricsCountWhatIsThere() throws Exception {
    Optional<ExecutionOutcome> ill =
        Optional.of(new ExecutionOutcome(ExecutionStatus.FAILED, "ill"));
    LockStatus _ = turn("well", begun("greet", NO_PARENT, WELL));
    LockStatus _ = turn("ill", begun("greet", NO_PARENT, ill));
    LockStatus _ = turn("runs", begun("greet", NO_PARENT, RUNS));
    Optional<ExecutionOutcome> again =
        Optional.of(new ExecutionOutcome(ExecutionStatus.CONTINUED_AS_NEW, "{}"));
    LockStatus _ = turn("again", begun("greet", NO_PARENT, again));
    provider.enqueueForWorker(work("runs", 2, "x"));
    provider.enqueueForWorker(work("runs", 3, "y"));
    provider.enqueueForOrchestrator(new InstanceMessage("runs", "m"));
    assertThat(provider.admin().metrics())
        .isEqualTo(new ProviderAdmin.ProviderMetrics(4, 2, 1, 1, 1, 2));
  }

  @Test
  void aFailedInstanceBeginsAgainOnceAndOnlyThen() throws Exception {
    Optional<ExecutionOutcome> ill =
        Optional.of(new ExecutionOutcome(ExecutionStatus.FAILED, "ill"));
    LockStatus _ = turn("i", begun("greet", NO_PARENT, RUNS));
    ProviderAdmin admin = provider.admin();
    StartMessage start = new StartMessage("{\"data\": {\"at\": ", "}}");
    assertThat(admin.restart("i", 1, start)).as("it runs").isFalse();
    LockStatus _ = turn("i", wrote(1, ill, 2));
    assertThat(admin.restart("i", 1, start)).isTrue();
    assertThat(admin.restart("i", 1, start)).as("it has begun again").isFalse();
    OrchestrationItem item = nextInstance();
    assertThat(item.executionId()).isEqualTo(2);
    assertThat(item.messages()).hasSize(1);
    assertThat(admin.restart("unknown", 1, start)).isFalse();
    assertThat(List.of(ExecutionStatus.FAILED, ExecutionStatus.RUNNING))
        .isEqualTo(admin.executions("i").stream().map(ExecutionInfo::status).toList());
  }

  /** A caller that was slow: another one began the instance again, and it failed again. */
  @Test
  void aMessageForAPastExecutionBeginsNone() throws Exception {
    Optional<ExecutionOutcome> ill =
        Optional.of(new ExecutionOutcome(ExecutionStatus.FAILED, "ill"));
    LockStatus _ = turn("i", begun("greet", NO_PARENT, ill));
    LockStatus _ = turn("i", wrote(2, ill, 1));
    ProviderAdmin admin = provider.admin();
    StartMessage start = new StartMessage("{\"data\": {\"at\": ", "}}");
    assertThat(admin.restart("i", 1, start)).isFalse();
    assertThat(admin.restart("i", 2, start)).isTrue();
    assertThat(nextInstance().executionId()).isEqualTo(3);
  }
}
