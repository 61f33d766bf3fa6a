package io.convoke.server.recordings;

import io.convoke.engine.json.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;

/** All steps of a recording, in order. Immutable. */
record RecordingSteps(List<RecordingStep> all) {
  RecordingSteps {
    all = List.copyOf(all);
  }

  /** Nothing done yet. */
  static RecordingSteps fresh() {
    return new RecordingSteps(
        Arrays.stream(StepName.values()).map(RecordingStep::pending).toList());
  }

  /** Parses the column; rows of earlier releases have none. */
  static RecordingSteps read(JsonNode json) {
    List<RecordingStep> read = new ArrayList<>();
    json.forEach(one -> read.add(Json.read(one, RecordingStep.class)));
    return new RecordingSteps(
        Arrays.stream(StepName.values())
            .map(
                name ->
                    read.stream()
                        .filter(step -> step.name() == name)
                        .findFirst()
                        .orElseGet(() -> RecordingStep.pending(name)))
            .toList());
  }

  JsonNode write() {
    return Json.tree(all);
  }

  RecordingStep of(StepName name) {
    return all.stream().filter(step -> step.name() == name).findFirst().orElseThrow();
  }

  RecordingSteps with(StepName name, UnaryOperator<RecordingStep> change) {
    return new RecordingSteps(
        all.stream().map(step -> step.name() == name ? change.apply(step) : step).toList());
  }

  /**
   * The steps of another run: all from a given step on, or all unfinished ones.
   *
   * @param transcribed whether the words are there, which a given step of the sync begins with
   */
  RecordingSteps again(Optional<StepName> from, boolean transcribed) {
    boolean words = transcribed && from.filter(StepName::sync).isPresent();
    return new RecordingSteps(
        all.stream()
            .map(
                step -> {
                  boolean anew =
                      from.map(name -> step.name().compareTo(name) >= 0).orElse(!step.over());
                  if (anew) {
                    return step.again();
                  }
                  return words && !step.name().sync() && !step.over() ? step.kept() : step;
                })
            .toList());
  }
}
