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
 * A schedule is a workflow: it sleeps until the next tick, runs what is scheduled as a sub-workflow
 * whose id names the tick, waits for its end, and continues as new. So there is one run for each
 * tick however many nodes there are; ticks during a run pass unused; and after a time without nodes
 * the oldest tick that was missed is run, late, and for all of them.
 */
final class ScheduleWorkflow {
  static final String NAME = "convoke.schedule";

  /** The event that brings another plan; nothing ends a schedule, so none is ever lost between. */
  static final String CHANGE = "change";

  private ScheduleWorkflow() {}

  /**
   * What is to be run, and what is known of its past.
   *
   * @param cron empty for a schedule that was taken away: it waits for another plan
   * @param since ticks up to this instant are done with; null is the time of the start
   */
  record Plan(
      String cron,
      String zone,
      String workflow,
      JsonNode input,
      @Nullable Instant since,
      Schedule.@Nullable Run last) {

    static Plan none() {
      return new Plan("", "UTC", "", NullNode.getInstance(), null, null);
    }

    boolean off() {
      return cron.isEmpty();
    }

    private boolean sameTimes(Plan other) {
      return cron.equals(other.cron) && zone.equals(other.zone);
    }

    private Plan from(Instant instant, Schedule.@Nullable Run run) {
      return new Plan(cron, zone, workflow, input, instant, run);
    }

    /** This plan in the place of another: where the times stay, no tick is lost or doubled. */
    private Plan after(Plan old, Instant since, Instant now) {
      return from(sameTimes(old) ? since : now, old.last);
    }
  }

  /** What a schedule shows of itself. */
  record Shown(Plan plan, Optional<Instant> next, Optional<String> running) {
    static Shown read(String status) {
      return Json.read(status, Shown.class);
    }
  }

  static String run(WorkflowContext context, Plan plan) {
    Promise<Plan> change = context.event(CHANGE, Plan.class);
    Instant since = Optional.ofNullable(plan.since()).orElse(context.now());
    Optional<Instant> next =
        plan.off() ? Optional.empty() : Ticks.of(plan.cron(), ZoneId.of(plan.zone())).after(since);
    show(context, new Shown(plan, next, Optional.empty()));
    if (next.isEmpty() || !comes(context, next.get(), change)) {
      throw context.continueAsNew(change.get().after(plan, since, context.now()));
    }
    String run = context.instanceId().substring(Schedules.PREFIX.length()) + "@" + next.get();
    show(context, new Shown(plan, Optional.empty(), Optional.of(run)));
    Promise<JsonNode> child = context.child(plan.workflow(), run, plan.input(), JsonNode.class);
    Plan follows = plan;
    while (context.select(List.of(child, change)) == 1) {
      follows = change.get();
      if (follows.off()) {
        throw context.continueAsNew(follows.from(context.now(), plan.last()));
      }
      change = context.event(CHANGE, Plan.class);
    }
    follows = change.done() ? change.get() : follows;
    throw context.continueAsNew(follows.from(context.now(), ended(context, run, child)));
  }

  /** Waits for a tick; false if the plan was changed before. */
  private static boolean comes(WorkflowContext context, Instant tick, Promise<Plan> change) {
    Promise<Instant> due = context.timer(Duration.between(context.now(), tick));
    return context.select(List.of(due, change)) == 0;
  }

  private static Schedule.Run ended(WorkflowContext context, String run, Promise<JsonNode> child) {
    Optional<String> error = Optional.empty();
    try {
      var _ = child.get();
    } catch (ActivityFailed e) {
      error = Optional.of(String.valueOf(e.getMessage()));
    }
    return new Schedule.Run(run, context.now(), error);
  }

  private static void show(WorkflowContext context, Shown shown) {
    context.status(Json.write(shown));
  }
}
