package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.ReadBackRule;
import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.StreamRule;
import io.convoke.chaos.kernel.TenantRule;
import java.time.Duration;
import java.util.List;

/** Checks a history against every rule. */
public final class TaskChecker {
  private static final List<Rule<TaskHistory>> RULES =
      List.of(
          Rule.named("AcceptedTaskRule", TaskResultRules::acceptedTask),
          Rule.named("TaskReplyRule", TaskResultRules::taskReply),
          Rule.named("OutcomeByHolderRule", TaskResultRules::outcomeByHolder),
          Rule.named("SingleHolderRule", TaskHolderRules::singleHolder),
          Rule.named("TaskTransitionRule", TaskResultRules::taskTransition),
          Rule.shared(new StreamRule(), TaskHistory::streams),
          Rule.shared(new TenantRule(), history -> history.streams().reads()),
          Rule.shared(new ReadBackRule(), history -> history.evidence().looks()),
          Rule.shared(new AvailabilityRule(), TaskHistory::calls),
          Rule.named("TaskRegionRule", TaskHolderRules::taskRegion),
          Rule.named("IdlePodRule", TaskIdleRules::idlePod),
          Rule.named("QueueOrderRule", TaskIdleRules::queueOrder),
          Rule.named("RegionShareRule", TaskIdleRules::sharesOfNoRegion),
          Rule.named("ChannelTurnRule", TaskIdleRules::channelTurns),
          Rule.named("PodSlotRule", TaskHolderRules::podSlot),
          Rule.named("ProgramEndRule", TaskHolderRules::programEnd),
          Rule.named("LeaseEndRule", TaskHolderRules::leaseEnd),
          Rule.named("FinishedWorkRule", TaskHolderRules::finishedWork),
          Rule.named("KeptLeaseRule", TaskHolderRules::keptLease),
          Rule.named("QueueTimeoutRule", TaskTimeRules::queueTimeout),
          Rule.named("SilentPodRule", TaskTimeRules::silentPod),
          Rule.named("StrandedTaskRule", TaskTimeRules::strandedTask),
          Rule.named("StoppedTaskRule", TaskTimeRules::stoppedTask),
          Rule.named("PodDrainRule", TaskHolderRules::podDrain),
          Rule.named("UniqueChannelRule", TaskResultRules::uniqueChannel));

  private TaskChecker() {}

  /** All violations; empty for a correct history. */
  public static List<RuleViolation> check(TaskHistory history) {
    return Rule.check(RULES, history);
  }

  /** Delays from a pod's death being detectable until its tasks moved on, without outages. */
  public static List<Duration> stranded(TaskHistory history) {
    return TaskTimeRules.taken(history).stream()
        .filter(stranded -> stranded.alone(history))
        .map(stranded -> stranded.late(history))
        .toList();
  }
}
