package io.convoke.agent.pod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.dispatch.PodCapacity;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The capacity in a pod's claims, and invalid options. */
class PodOptionsTest {
  @Test
  void withExecAloneItTakesEverything() {
    assertThat(
            plan(Optional.of("true"), Set.of(), Map.of(), OptionalDouble.empty())
                .capacity(Set.of()))
        .isEqualTo(PodCapacity.COUNT_ONLY);
  }

  @Test
  void withHandlersAloneItNamesThem() {
    assertThat(
            plan(Optional.empty(), Set.of(), Map.of(), OptionalDouble.empty())
                .capacity(Set.of("snapshot")))
        .isEqualTo(new PodCapacity(1, Map.of("snapshot", 0.0), OptionalDouble.empty()));
  }

  @Test
  void execMayBeForSomeTypesBesideTheHandlers() {
    assertThat(
            plan(Optional.of("true"), Set.of("record"), Map.of("record", 2.0), OptionalDouble.of(8))
                .capacity(Set.of("snapshot")))
        .isEqualTo(
            new PodCapacity(8, Map.of("record", 2.0, "snapshot", 1.0), OptionalDouble.empty()));
  }

  @Test
  void costsAreOfTheCapacity() {
    assertThat(
            plan(Optional.of("true"), Set.of(), Map.of("record", 2.0), OptionalDouble.of(8))
                .capacity(Set.of()))
        .isEqualTo(new PodCapacity(8, Map.of("record", 2.0), OptionalDouble.of(1)));
  }

  @Test
  void whatMakesNoSenseIsSaid() {
    refused(
        () -> plan(Optional.empty(), Set.of(), Map.of("a", 1.0), OptionalDouble.empty()), "--cost");
    refused(
        () -> plan(Optional.of("x"), Set.of(), Map.of("a", 9.0), OptionalDouble.of(8)), "--cost");
    refused(() -> plan(Optional.empty(), Set.of("a"), Map.of(), OptionalDouble.empty()), "--types");
    refused(
        () -> plan(Optional.of("x"), Set.of("a", ""), Map.of(), OptionalDouble.empty()), "--types");
    refused(
        () -> plan(Optional.of("x"), Set.of(" b"), Map.of(), OptionalDouble.empty()), "--types");
    refused(() -> plan(Optional.of(" "), Set.of(), Map.of(), OptionalDouble.empty()), "--exec");
    refused(() -> plan(Optional.of("x"), Set.of(), Map.of(), OptionalDouble.of(0)), "--capacity");
    refused(
        () -> plan(Optional.empty(), Set.of(), Map.of(), OptionalDouble.empty()).capacity(Set.of()),
        "nothing to do");
    refused(
        () ->
            plan(Optional.empty(), Set.of(), Map.of("other", 1.0), OptionalDouble.of(2))
                .capacity(Set.of("snapshot")),
        "other");
  }

  @Test
  void aPortIsOneOfTcp() {
    refused(() -> planAt(-1), "--port must be from 0 to 65535");
    refused(() -> planAt(65_536), "--port must be from 0 to 65535");
    assertThat(planAt(65_535).port()).hasValue(65_535);
  }

  @Test
  void everyPodHasANameOfItsOwn() {
    assertThat(PodOptions.freshName())
        .matches("[A-Za-z0-9_.-]{14,64}")
        .isNotEqualTo(PodOptions.freshName());
  }

  private static void refused(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable plan, String why) {
    assertThatThrownBy(plan).isInstanceOf(UsageException.class).hasMessageContaining(why);
  }

  private static PodOptions plan(
      Optional<String> exec,
      Set<String> types,
      Map<String, Double> costs,
      OptionalDouble capacity) {
    return plan(exec, types, costs, capacity, OptionalInt.empty());
  }

  private static PodOptions planAt(int port) {
    return plan(Optional.of("x"), Set.of(), Map.of(), OptionalDouble.empty(), OptionalInt.of(port));
  }

  private static PodOptions plan(
      Optional<String> exec,
      Set<String> types,
      Map<String, Double> costs,
      OptionalDouble capacity,
      OptionalInt port) {
    return new PodOptions(
        "eu",
        2,
        exec,
        types,
        costs,
        capacity,
        Duration.ofSeconds(1),
        Duration.ofSeconds(1),
        "127.0.0.1",
        port);
  }
}
