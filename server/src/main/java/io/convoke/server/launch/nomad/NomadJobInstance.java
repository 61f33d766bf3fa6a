package io.convoke.server.launch.nomad;

import io.convoke.server.launch.Launcher.BotExitDetails;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * Nomad's description of one dispatched job, parsed without I/O. A job that was stopped is dead for
 * the servers while its task may still be on its way out, so only its allocations show when it has
 * ended.
 *
 * @param dead the servers have stopped scheduling it
 * @param allocations the oldest first, which is the launch's bot; later ones are Nomad's
 *     replacements
 */
record NomadJobInstance(boolean dead, List<NomadAllocation> allocations) {
  private static final Set<String> ENDED = Set.of("complete", "failed", "lost");

  /** The node of the allocation reports nothing any more. */
  private static final Set<String> OUT_OF_TOUCH = Set.of("lost", "unknown");

  /** The events that say why a task was not started. */
  private static final Set<String> NOT_STARTED =
      Set.of("Driver Failure", "Setup Failure", "Failed Validation", "Failed Artifact Download");

  /**
   * One placement of the job's tasks on a machine.
   *
   * @param task that is the bot
   * @param failures why tasks were not started, a line each with its end
   */
  record NomadAllocation(
      String id,
      String task,
      boolean ended,
      Optional<Integer> exitCode,
      Optional<String> reason,
      String failures) {
    static NomadAllocation of(JsonNode stub, String task, boolean dead) {
      String client = stub.path("ClientStatus").asString("");
      Optional<JsonNode> terminated =
          stub.path("TaskStates")
              .path(task)
              .path("Events")
              .valueStream()
              .filter(event -> event.path("Type").asString("").equals("Terminated"))
              .reduce((_, last) -> last);
      boolean outOfMemory =
          terminated
              .map(event -> event.path("Details").path("oom_killed").asString(""))
              .filter("true"::equals)
              .isPresent();
      return new NomadAllocation(
          stub.path("ID").asString(""),
          task,
          // A node that is out of touch ends a stopped job's task when it comes back.
          ENDED.contains(client) || (dead && OUT_OF_TOUCH.contains(client)),
          terminated.map(event -> event.path("ExitCode").asInt()),
          outOfMemory
              ? Optional.of(BotExitDetails.OUT_OF_MEMORY)
              : OUT_OF_TOUCH.contains(client)
                  ? Optional.of(BotExitDetails.NODE_LOST)
                  : Optional.empty(),
          stub.path("TaskStates")
              .valueStream()
              .flatMap(state -> state.path("Events").valueStream())
              .filter(event -> NOT_STARTED.contains(event.path("Type").asString("")))
              .map(event -> event.path("DisplayMessage").asString("") + "\n")
              .collect(Collectors.joining()));
    }
  }

  static NomadJobInstance of(JsonNode job, JsonNode allocations) {
    boolean dead = job.path("Status").asString("").equals("dead");
    String bot = botTask(job);
    return new NomadJobInstance(
        dead,
        allocations
            .valueStream()
            .sorted(Comparator.comparingLong(stub -> stub.path("CreateIndex").asLong()))
            .map(stub -> NomadAllocation.of(stub, bot, dead))
            .toList());
  }

  boolean ended() {
    return dead && allocations.stream().allMatch(NomadAllocation::ended);
  }

  /** The launch's bot; empty while it waits for a place. */
  Optional<NomadAllocation> bot() {
    return allocations.stream().findFirst();
  }

  Optional<Integer> exitCode() {
    return bot().flatMap(NomadAllocation::exitCode);
  }

  /** The leader of the job's tasks, or the first that has no {@code lifecycle} beside another. */
  private static String botTask(JsonNode job) {
    List<JsonNode> tasks =
        job.path("TaskGroups")
            .valueStream()
            .flatMap(group -> group.path("Tasks").valueStream())
            .filter(task -> !task.path("Lifecycle").isObject())
            .toList();
    return tasks.stream()
        .filter(task -> task.path("Leader").asBoolean(false))
        .findFirst()
        .or(() -> tasks.stream().findFirst())
        .map(task -> task.path("Name").asString(""))
        .orElse("");
  }
}
