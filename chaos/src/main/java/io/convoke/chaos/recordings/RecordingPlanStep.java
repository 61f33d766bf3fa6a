package io.convoke.chaos.recordings;

import io.convoke.chaos.Fault;
import io.convoke.chaos.PlanFormat;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** One planned step. {@code at} counts from the start of the storm. */
sealed interface RecordingPlanStep {

  Duration at();

  /** A recording is created on the platform. */
  record MakeRecording(Duration at, String room, PlannedEnding ending, RecordingFaultPlan faultPlan)
      implements RecordingPlanStep {}

  /** How a recording ends on the platform. */
  enum PlannedEnding {
    FINISHED,
    CANCELED,
    /** Ends within its first second: a file without duration. */
    EMPTY
  }

  /** Point of a step at which servers are killed. */
  enum KillPoint {
    /** After the claim is committed. */
    RUNNING,
    /** During the final commit, which succeeds although the server never sees it. */
    COMMITTING,
    /** During the final commit, which fails. */
    ABORTED,
    /** After the final commit, before the next step. */
    DONE
  }

  /**
   * Kills servers with kill -9 when a recording reaches this point, or after a timeout, and
   * restarts them later.
   */
  record KillRecordingServers(
      Duration at, String step, KillPoint point, List<Integer> servers, Duration down)
      implements RecordingPlanStep {
    @Override
    public String toString() {
      return PlanFormat.from(
          at,
          "kill -9 of servers %s at %s %s, started again after %s"
              .formatted(
                  servers, step, point.name().toLowerCase(Locale.ROOT), PlanFormat.seconds(down)));
    }
  }

  /**
   * The bot uploads the last part of its recording, and servers are killed at a point of the step
   * that puts its parts together.
   */
  record KillAtUpload(KillRecordingServers kill) implements RecordingPlanStep {
    @Override
    public Duration at() {
      return kill.at();
    }

    @Override
    public String toString() {
      return kill + ", for what a bot uploads";
    }
  }

  /** Kills all servers, creates many recordings, and restarts the servers. */
  record KillAllServers(Duration at, List<RecordingPlanStep.MakeRecording> meanwhile)
      implements RecordingPlanStep {
    @Override
    public String toString() {
      return PlanFormat.from(
          at, "all servers are down while %d recordings appear".formatted(meanwhile.size()));
    }
  }

  /** Takes Redis away while nothing else fails, and creates recordings meanwhile. */
  record WithoutRedis(Duration at, Duration span, List<MakeRecording> meanwhile)
      implements RecordingPlanStep {
    @Override
    public String toString() {
      return PlanFormat.from(
          at,
          "Redis stops for %s while %d recordings appear"
              .formatted(PlanFormat.seconds(span), meanwhile.size()));
    }
  }

  /** A fault that every scenario can have. */
  record SharedFault(Duration at, Fault fault) implements RecordingPlanStep {
    @Override
    public String toString() {
      return fault.toString();
    }
  }
}
