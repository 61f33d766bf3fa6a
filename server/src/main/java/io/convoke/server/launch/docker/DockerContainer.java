package io.convoke.server.launch.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.ContainerConfig;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** One container as the engine describes it. */
record DockerContainer(
    String id,
    String name,
    Map<String, String> labels,
    ContainerPhase phase,
    Optional<Integer> exitCode,
    boolean outOfMemory) {

  private static final int SIGKILL = 128 + 9;

  /** Killed, and the engine does not report out of memory. */
  boolean killedUnexplained() {
    return !outOfMemory && exitCode.filter(code -> code == SIGKILL).isPresent();
  }

  /** The phase of a container. */
  enum ContainerPhase {
    CREATED,
    RUNNING,
    ENDED;

    /** As the engine reports it. */
    static ContainerPhase of(String status) {
      return switch (status) {
        case "created" -> CREATED;
        case "exited", "dead", "removing" -> ENDED;
        default -> RUNNING;
      };
    }
  }

  static DockerContainer of(InspectContainerResponse response) {
    InspectContainerResponse.ContainerState state = response.getState();
    ContainerPhase containerPhase =
        ContainerPhase.of(Optional.ofNullable(state.getStatus()).orElse(""));
    return new DockerContainer(
        response.getId(),
        bare(response.getName()),
        Optional.ofNullable(response.getConfig()).map(ContainerConfig::getLabels).orElse(Map.of()),
        containerPhase,
        containerPhase == ContainerPhase.ENDED
            ? Optional.ofNullable(state.getExitCodeLong()).map(Math::toIntExact)
            : Optional.empty(),
        Objects.requireNonNullElse(state.getOOMKilled(), false));
  }

  /** The engine puts a slash before every name. */
  static String bare(String name) {
    return name.startsWith("/") ? name.substring(1) : name;
  }
}
