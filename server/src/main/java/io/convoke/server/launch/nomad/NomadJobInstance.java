package io.convoke.server.launch.nomad;

import io.convoke.server.launch.Launcher.BotExitDetails;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;

/**
 * Nomad's description of one dispatched job, parsed without I/O. A job that was stopped is dead for
 * the servers while its task may still be on its way out, so only its allocations show when it has
 * ended.
 *
 * @param dead the servers have stopped scheduling it
 */
record NomadJobInstance(boolean dead, List<NomadAllocation> allocations) {
  private static final Set<String> ENDED = Set.of("complete", "failed", "lost");

  /** One placement of the job's task on a machine. */
  record NomadAllocation(
      String id, String task, boolean ended, Optional<Integer> exitCode, Optional<String> reason) {
    static NomadAllocation of(JsonNode stub) {
      String client = stub.path("ClientStatus").asString("");
      Map.Entry<String, JsonNode> task =
          stub.path("TaskStates").properties().stream()
              .findFirst()
              .orElse(Map.entry("", stub.path("TaskStates")));
      Optional<JsonNode> terminated =
          StreamSupport.stream(task.getValue().path("Events").spliterator(), false)
              .filter(event -> event.path("Type").asString("").equals("Terminated"))
              .reduce((_, last) -> last);
      boolean outOfMemory =
          terminated
              .map(event -> event.path("Details").path("oom_killed").asString(""))
              .filter("true"::equals)
              .isPresent();
      return new NomadAllocation(
          stub.path("ID").asString(""),
          task.getKey(),
          ENDED.contains(client),
          terminated.map(event -> event.path("ExitCode").asInt()),
          outOfMemory
              ? Optional.of(BotExitDetails.OUT_OF_MEMORY)
              : client.equals("lost") ? Optional.of(BotExitDetails.NODE_LOST) : Optional.empty());
    }
  }

  static NomadJobInstance of(boolean dead, JsonNode allocations) {
    return new NomadJobInstance(
        dead,
        StreamSupport.stream(allocations.spliterator(), false)
            .sorted(Comparator.comparingLong(stub -> stub.path("CreateIndex").asLong()))
            .map(NomadAllocation::of)
            .toList());
  }

  boolean ended() {
    return dead && allocations.stream().allMatch(NomadAllocation::ended);
  }

  Optional<NomadAllocation> last() {
    return allocations.isEmpty() ? Optional.empty() : Optional.of(allocations.getLast());
  }

  Optional<Integer> exitCode() {
    return last().flatMap(NomadAllocation::exitCode);
  }
}
