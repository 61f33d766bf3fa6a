package io.convoke.server.launch.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.ContainerConfig;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** One container as the engine describes it. */
record Container(
    String id,
    String name,
    Map<String, String> labels,
    Phase phase,
    Optional<Integer> exitCode,
    boolean outOfMemory) {

  private static final int SIGKILL = 128 + 9;

  /** Ended by a kill of which the engine does not say that it was for want of memory. */
  boolean killedUnexplained() {
    return !outOfMemory && exitCode.filter(code -> code == SIGKILL).isPresent();
  }

  /** How far a container's one life has come. */
  enum Phase {
    CREATED,
    RUNNING,
    ENDED;

    /** From the engine's own word. */
    static Phase of(String word) {
      return switch (word) {
        case "created" -> CREATED;
        case "exited", "dead", "removing" -> ENDED;
        default -> RUNNING;
      };
    }
  }

  static Container of(InspectContainerResponse response) {
    InspectContainerResponse.ContainerState state = response.getState();
    Phase phase = Phase.of(Optional.ofNullable(state.getStatus()).orElse(""));
    return new Container(
        response.getId(),
        bare(response.getName()),
        Optional.ofNullable(response.getConfig()).map(ContainerConfig::getLabels).orElse(Map.of()),
        phase,
        phase == Phase.ENDED
            ? Optional.ofNullable(state.getExitCodeLong()).map(Math::toIntExact)
            : Optional.empty(),
        Objects.requireNonNullElse(state.getOOMKilled(), false));
  }

  /** The engine puts a slash before every name. */
  static String bare(String name) {
    return name.startsWith("/") ? name.substring(1) : name;
  }
}
