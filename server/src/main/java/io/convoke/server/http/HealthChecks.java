package io.convoke.server.http;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * The checks behind {@code /readyz}, one per component, registered by its owner. Ready means "can
 * serve": degraded components leave the server ready, a down one does not. {@code /livez} runs no
 * check. Requests run the checks, which must answer from memory within milliseconds.
 */
public final class HealthChecks {

  /** How a component is. */
  public enum HealthStatus {
    /** Does all it should. */
    OK,
    /** Does its work in a slower or poorer way; we can still serve. */
    DEGRADED,
    /** We cannot serve without it. */
    DOWN
  }

  /** One component as {@code /readyz?verbose} lists it; the detail holds no secret. */
  public record ComponentHealth(String name, HealthStatus status, String detail) {}

  /** The answer of one check. */
  public record HealthReading(HealthStatus status, String detail) {
    /** All is well. */
    public static HealthReading ok() {
      return new HealthReading(HealthStatus.OK, "");
    }

    /** Slower or poorer. */
    public static HealthReading degraded(String detail) {
      return new HealthReading(HealthStatus.DEGRADED, detail);
    }

    /** Cannot serve. */
    public static HealthReading down(String detail) {
      return new HealthReading(HealthStatus.DOWN, detail);
    }
  }

  private record HealthCheck(String name, Supplier<HealthReading> reading) {}

  private final List<HealthCheck> checks = new CopyOnWriteArrayList<>();

  /** Adds a component; a check that throws counts as down. */
  public void register(String name, Supplier<HealthReading> reading) {
    checks.add(new HealthCheck(name, reading));
  }

  /** Every component as it is now, in the order of registration. */
  public List<ComponentHealth> components() {
    return checks.stream().map(HealthChecks::ask).toList();
  }

  private static ComponentHealth ask(HealthCheck healthCheck) {
    try {
      HealthReading healthReading = healthCheck.reading().get();
      return new ComponentHealth(
          healthCheck.name(), healthReading.status(), healthReading.detail());
    } catch (RuntimeException e) {
      return new ComponentHealth(
          healthCheck.name(), HealthStatus.DOWN, e.getClass().getSimpleName());
    }
  }

  /** Down if any component is down, else degraded if any is, else ok. */
  public static HealthStatus overall(List<ComponentHealth> components) {
    return components.stream()
        .map(ComponentHealth::status)
        .max(java.util.Comparator.naturalOrder())
        .orElse(HealthStatus.OK);
  }
}
