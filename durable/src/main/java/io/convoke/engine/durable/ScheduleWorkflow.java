package io.convoke.engine.durable;

import io.convoke.engine.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;

/**
 * The workflow of a schedule: it sleeps until the next tick, starts the scheduled workflow as a
 * sub-workflow whose id contains the tick, waits for its end, and continues as new. So each tick
 * has one run on any number of nodes; ticks during a run are skipped; and after a time without
 * nodes one late run, for the oldest missed tick, stands for all that were missed.
 */
final class ScheduleWorkflow {
  static final String NAME = "convoke.schedule";

  /** The event with another plan. The workflow never ends, so no such event is dropped. */
  static final String CHANGE = "change";

  private ScheduleWorkflow() {}

  /**
   * The workflow to run, its ticks, and the past of the schedule.
   *
   * @param cron empty for a removed schedule, which waits for another plan
   * @param since ticks up to this instant are past; null is the time of the start
   */
  record SchedulePlan(
      String cron,
      String zone,
      String workflow,
      JsonNode input,
      @Nullable Instant since,
      Schedule.@Nullable ScheduledRun last) {

    static SchedulePlan none() {
      return new SchedulePlan("", "UTC", "", NullNode.getInstance(), null, null);
    }

    boolean off() {
      return cron.isEmpty();
    }

    private boolean sameTimes(SchedulePlan other) {
      return cron.equals(other.cron) && zone.equals(other.zone);
    }

    private SchedulePlan from(Instant instant, Schedule.@Nullable ScheduledRun scheduledRun) {
      return new SchedulePlan(cron, zone, workflow, input, instant, scheduledRun);
    }

    /** Replaces another plan; with the same cron and zone, no tick is lost or repeated. */
    private SchedulePlan after(SchedulePlan old, Instant since, Instant now) {
      return from(sameTimes(old) ? since : now, old.last);
    }
  }

  /** The custom status of a schedule. */
  record ScheduleStatus(SchedulePlan plan, Optional<Instant> next, Optional<String> running) {
    static ScheduleStatus read(String status) {
      return Json.read(status, ScheduleStatus.class);
    }
  }

  static String run(WorkflowContext context, SchedulePlan schedulePlan) {
    Promise<SchedulePlan> change = context.event(CHANGE, SchedulePlan.class);
    Instant since = Optional.ofNullable(schedulePlan.since()).orElse(context.now());
    Optional<Instant> next =
        schedulePlan.off()
            ? Optional.empty()
            : CronTicks.of(schedulePlan.cron(), ZoneId.of(schedulePlan.zone())).after(since);
    show(context, new ScheduleStatus(schedulePlan, next, Optional.empty()));
    if (next.isEmpty() || !comes(context, next.get(), change)) {
      throw context.continueAsNew(change.get().after(schedulePlan, since, context.now()));
    }
    String run = context.instanceId().substring(ScheduleStore.PREFIX.length()) + "@" + next.get();
    show(context, new ScheduleStatus(schedulePlan, Optional.empty(), Optional.of(run)));
    Promise<JsonNode> child =
        context.child(schedulePlan.workflow(), run, schedulePlan.input(), JsonNode.class);
    SchedulePlan follows = schedulePlan;
    while (context.select(List.of(child, change)) == 1) {
      follows = change.get();
      if (follows.off()) {
        throw context.continueAsNew(follows.from(context.now(), schedulePlan.last()));
      }
      change = context.event(CHANGE, SchedulePlan.class);
    }
    follows = change.done() ? change.get() : follows;
    throw context.continueAsNew(follows.from(context.now(), ended(context, run, child)));
  }

  /** Waits for a tick; false if the plan changed first. */
  private static boolean comes(
      WorkflowContext context, Instant tick, Promise<SchedulePlan> change) {
    Promise<Instant> due = context.timer(Duration.between(context.now(), tick));
    return context.select(List.of(due, change)) == 0;
  }

  private static Schedule.ScheduledRun ended(
      WorkflowContext context, String run, Promise<JsonNode> child) {
    Optional<String> error = Optional.empty();
    try {
      var _ = child.get();
    } catch (ActivityFailedException e) {
      error = Optional.of(String.valueOf(e.getMessage()));
    }
    return new Schedule.ScheduledRun(run, context.now(), error);
  }

  private static void show(WorkflowContext context, ScheduleStatus scheduleStatus) {
    context.status(Json.write(scheduleStatus));
  }
}
