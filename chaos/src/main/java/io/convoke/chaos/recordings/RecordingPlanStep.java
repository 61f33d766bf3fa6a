package io.convoke.chaos.recordings;

import io.convoke.chaos.PlanFormat;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** One planned thing. {@code at} counts from the beginning of the storm. */
sealed interface RecordingPlanStep {

  Duration at();

  /** A recording appears on the platform. */
  record MakeRecording(Duration at, String room, PlannedEnding ending, RecordingFaultPlan faultPlan)
      implements RecordingPlanStep {}

  /** How a recording ends on the platform. */
  enum PlannedEnding {
    FINISHED,
    CANCELED,
    /** Over within its first second: a file without length. */
    EMPTY
  }

  /** At which point of a step servers die. */
  enum KillPoint {
    /** Its claim is committed. */
    RUNNING,
    /** Within the commit of its end, which comes through though nobody hears of it. */
    COMMITTING,
    /** Within the commit of its end, which does not come through. */
    ABORTED,
    /** After the commit of its end, before the next step. */
    DONE
  }

  /**
   * kill -9 of servers when some recording comes to this point, or a while later if none does; they
   * are started again after a while.
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

  /** All servers die, many recordings appear, and they are started again. */
  record KillAllServers(Duration at, List<RecordingPlanStep.MakeRecording> meanwhile)
      implements RecordingPlanStep {
    @Override
    public String toString() {
      return PlanFormat.from(
          at, "all servers are down while %d recordings appear".formatted(meanwhile.size()));
    }
  }

  /** Redis is away for a while and comes back with what it knew. */
  record StopRedisOfRecordings(Duration at, Duration down) implements RecordingPlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis stops for " + PlanFormat.seconds(down));
    }
  }

  /** Redis forgets everything. */
  record FlushRedisOfRecordings(Duration at) implements RecordingPlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis forgets everything");
    }
  }
}
