package io.convoke.engine.durable;

import io.convoke.engine.durable.ScheduleWorkflow.Plan;
import io.convoke.engine.durable.ScheduleWorkflow.Shown;
import io.convoke.engine.durable.provider.ExecutionStatus;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderAdmin.Instance;
import io.convoke.engine.durable.runtime.Dispatchers;
import io.convoke.engine.json.Json;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.NullNode;

/** Puts schedules down, takes them away, and reads what they show of themselves. */
final class Schedules {
  /** Before the id of a schedule, the instance id of its workflow. */
  static final String PREFIX = "schedule:";

  private static final int ID_MAX = 200;
  private static final int PAGE = 500;

  private Schedules() {}

  static void put(
      Provider provider,
      String id,
      String cron,
      ZoneId zone,
      String workflow,
      @Nullable Object input) {
    if (id.isEmpty() || id.length() > ID_MAX) {
      throw new IllegalArgumentException("a schedule's id has 1 to " + ID_MAX + " characters");
    }
    Ticks _ = Ticks.of(cron, zone);
    Plan plan =
        new Plan(
            cron,
            zone.getId(),
            workflow,
            input == null ? NullNode.getInstance() : Json.tree(input),
            null,
            null);
    String instance = PREFIX + id;
    Optional<ExecutionStatus> status = provider.admin().instance(instance).map(Instance::status);
    if (status.isEmpty()) {
      Dispatchers.start(provider, ScheduleWorkflow.NAME, instance, plan, Optional.empty());
    } else if (goesOn(status.get())) {
      Dispatchers.raise(provider, instance, ScheduleWorkflow.CHANGE, plan);
    } else {
      // Somebody has cancelled its workflow.
      boolean _ = Dispatchers.restart(provider, ScheduleWorkflow.NAME, instance, plan);
    }
  }

  /** Between two of its executions a schedule has continued and does not run yet. */
  private static boolean goesOn(ExecutionStatus status) {
    return switch (status) {
      case RUNNING, CONTINUED_AS_NEW -> true;
      case COMPLETED, FAILED -> false;
    };
  }

  static boolean remove(Provider provider, String id) {
    String instance = PREFIX + id;
    boolean there =
        provider
            .admin()
            .instance(instance)
            .filter(it -> goesOn(it.status()))
            .flatMap(Schedules::shown)
            .filter(shown -> !shown.plan().off())
            .isPresent();
    if (there) {
      Dispatchers.raise(provider, instance, ScheduleWorkflow.CHANGE, Plan.none());
    }
    return there;
  }

  static List<Schedule> list(Provider provider) {
    List<Schedule> schedules = new ArrayList<>();
    Optional<String> after = Optional.empty();
    List<Instance> page;
    do {
      page =
          provider
              .admin()
              .instances(Optional.empty(), Optional.of(ScheduleWorkflow.NAME), after, PAGE);
      for (Instance each : page) {
        shown(each)
            .filter(it -> goesOn(each.status()) && !it.plan().off())
            .map(it -> schedule(each, it))
            .ifPresent(schedules::add);
        after = Optional.of(each.instanceId());
      }
    } while (page.size() == PAGE);
    return schedules;
  }

  private static Optional<Shown> shown(Instance instance) {
    return instance.customStatus().map(Shown::read);
  }

  private static Schedule schedule(Instance instance, Shown shown) {
    Plan plan = shown.plan();
    return new Schedule(
        instance.instanceId().substring(PREFIX.length()),
        plan.cron(),
        ZoneId.of(plan.zone()),
        plan.workflow(),
        plan.input(),
        shown.next(),
        shown.running(),
        Optional.ofNullable(plan.last()));
  }
}
