package io.convoke.server.recordings;

import io.convoke.engine.json.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;

/** All steps of a recording, in order. Immutable. */
record WorkSteps(List<WorkStep> all) {
  WorkSteps {
    all = List.copyOf(all);
  }

  /** Nothing done yet. */
  static WorkSteps fresh() {
    return new WorkSteps(Arrays.stream(StepName.values()).map(WorkStep::pending).toList());
  }

  /** As the row keeps them; a row from before has none. */
  static WorkSteps read(JsonNode json) {
    List<WorkStep> read = new ArrayList<>();
    json.forEach(one -> read.add(Json.read(one, WorkStep.class)));
    return new WorkSteps(
        Arrays.stream(StepName.values())
            .map(
                name ->
                    read.stream()
                        .filter(step -> step.name() == name)
                        .findFirst()
                        .orElseGet(() -> WorkStep.pending(name)))
            .toList());
  }

  JsonNode write() {
    return Json.tree(all);
  }

  WorkStep of(StepName name) {
    return all.stream().filter(step -> step.name() == name).findFirst().orElseThrow();
  }

  WorkSteps with(StepName name, UnaryOperator<WorkStep> change) {
    return new WorkSteps(
        all.stream().map(step -> step.name() == name ? change.apply(step) : step).toList());
  }

  /** For another run: from a step on everything anew, or everything that is not over. */
  WorkSteps again(Optional<StepName> from) {
    return new WorkSteps(
        all.stream()
            .map(
                step -> {
                  boolean anew =
                      from.map(name -> step.name().compareTo(name) >= 0).orElse(!step.over());
                  return anew ? step.again() : step;
                })
            .toList());
  }
}
