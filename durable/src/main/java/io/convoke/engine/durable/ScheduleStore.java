package io.convoke.engine.durable;

import io.convoke.engine.durable.ScheduleWorkflow.SchedulePlan;
import io.convoke.engine.durable.ScheduleWorkflow.ScheduleStatus;
import io.convoke.engine.durable.provider.ExecutionStatus;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderAdmin.InstanceInfo;
import io.convoke.engine.durable.runtime.DispatcherPool;
import io.convoke.engine.json.Json;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;

/** Creates, changes, removes and lists schedules. */
final class ScheduleStore {
  /** The prefix of the instance id of a schedule's workflow, before the id of the schedule. */
  static final String PREFIX = "schedule:";

  /**
   * Texts before and after all ids with the prefix, in whatever order a database has texts: they
   * differ by a letter.
   */
  private static final String BEFORE_IDS = "schedule";

  private static final String AFTER_IDS = "schedulf";

  private static final int ID_MAX = 200;
  private static final int PAGE = 500;

  private ScheduleStore() {}

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
    CronTicks _ = CronTicks.of(cron, zone);
    SchedulePlan schedulePlan =
        new SchedulePlan(
            cron,
            zone.getId(),
            workflow,
            input == null ? NullNode.getInstance() : Json.tree(input),
            null,
            null);
    String instance = PREFIX + id;
    // Asked first: its first turn may be committed between the two questions.
    boolean awaited = provider.admin().isAwaited(instance);
    Optional<ExecutionStatus> status =
        provider.admin().instance(instance).map(InstanceInfo::status);
    if (status.isEmpty() && !awaited) {
      DispatcherPool.start(
          provider, ScheduleWorkflow.NAME, instance, schedulePlan, Optional.empty());
    } else if (status.map(ScheduleStore::goesOn).orElse(true)) {
      // Also before its first turn.
      DispatcherPool.raise(provider, instance, ScheduleWorkflow.CHANGE, schedulePlan);
    } else {
      // Its workflow was cancelled.
      boolean _ = DispatcherPool.restart(provider, ScheduleWorkflow.NAME, instance, schedulePlan);
    }
  }

  /** Between two executions the status of a schedule is "continued as new". */
  private static boolean goesOn(ExecutionStatus status) {
    return switch (status) {
      case RUNNING, CONTINUED_AS_NEW -> true;
      case COMPLETED, FAILED -> false;
    };
  }

  static boolean remove(Provider provider, String id) {
    String instance = PREFIX + id;
    boolean awaited = provider.admin().isAwaited(instance);
    Optional<InstanceInfo> known = provider.admin().instance(instance);
    boolean there =
        known.isEmpty()
            ? awaited
            : goesOn(known.get().status())
                && shown(known.get()).map(status -> !status.plan().off()).orElse(true);
    if (there) {
      DispatcherPool.raise(provider, instance, ScheduleWorkflow.CHANGE, SchedulePlan.none());
    }
    return there;
  }

  static List<Schedule> list(Provider provider) {
    List<InstanceInfo> instances = new ArrayList<>();
    String after = BEFORE_IDS;
    List<InstanceInfo> page;
    do {
      page = provider.admin().instancesBetween(after, AFTER_IDS, ScheduleWorkflow.NAME, PAGE);
      instances.addAll(page);
      after = page.isEmpty() ? after : page.getLast().instanceId();
    } while (page.size() == PAGE);
    instances.sort(Comparator.comparing(InstanceInfo::createdAt).reversed());
    List<Schedule> schedules = new ArrayList<>();
    for (InstanceInfo each : instances) {
      shown(each)
          .filter(it -> goesOn(each.status()) && !it.plan().off())
          .map(it -> schedule(each, it))
          .ifPresent(schedules::add);
    }
    return schedules;
  }

  private static Optional<ScheduleStatus> shown(InstanceInfo instanceInfo) {
    return instanceInfo.customStatus().map(ScheduleStatus::read);
  }

  private static Schedule schedule(InstanceInfo instanceInfo, ScheduleStatus scheduleStatus) {
    SchedulePlan schedulePlan = scheduleStatus.plan();
    boolean isJob = schedulePlan.workflow().equals(ScheduledJob.NAME);
    JsonNode input = schedulePlan.input();
    return new Schedule(
        instanceInfo.instanceId().substring(PREFIX.length()),
        schedulePlan.cron(),
        ZoneId.of(schedulePlan.zone()),
        isJob ? Schedule.ScheduledKind.JOB : Schedule.ScheduledKind.WORKFLOW,
        isJob ? input.path("job").asString() : schedulePlan.workflow(),
        isJob ? input.path("input") : input,
        scheduleStatus.next(),
        scheduleStatus.running(),
        Optional.ofNullable(schedulePlan.last()));
  }
}
