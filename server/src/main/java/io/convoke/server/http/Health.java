package io.convoke.server.http;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * The checks behind {@code /readyz}, one per component, registered by its owner. Ready means "can
 * serve": degraded components leave the server ready, a down one does not. {@code /livez} runs no
 * check. Requests run the checks, which must answer from memory within milliseconds.
 */
public final class Health {

  /** How a component is. */
  public enum Status {
    /** Does all it should. */
    OK,
    /** Does its work in a slower or poorer way; we can still serve. */
    DEGRADED,
    /** We cannot serve without it. */
    DOWN
  }

  /** One component as {@code /readyz?verbose} lists it; the detail holds no secret. */
  public record Component(String name, Status status, String detail) {}

  /** The answer of one check. */
  public record Reading(Status status, String detail) {
    /** All is well. */
    public static Reading ok() {
      return new Reading(Status.OK, "");
    }

    /** Slower or poorer. */
    public static Reading degraded(String detail) {
      return new Reading(Status.DEGRADED, detail);
    }

    /** Cannot serve. */
    public static Reading down(String detail) {
      return new Reading(Status.DOWN, detail);
    }
  }

  private record Check(String name, Supplier<Reading> reading) {}

  private final List<Check> checks = new CopyOnWriteArrayList<>();

  /** Adds a component; a check that throws counts as down. */
  public void register(String name, Supplier<Reading> reading) {
    checks.add(new Check(name, reading));
  }

  /** Every component as it is now, in the order of registration. */
  public List<Component> components() {
    return checks.stream().map(Health::ask).toList();
  }

  private static Component ask(Check check) {
    try {
      Reading reading = check.reading().get();
      return new Component(check.name(), reading.status(), reading.detail());
    } catch (RuntimeException e) {
      return new Component(check.name(), Status.DOWN, e.getClass().getSimpleName());
    }
  }

  /** Down if any component is down, else degraded if any is, else ok. */
  public static Status overall(List<Component> components) {
    return components.stream()
        .map(Component::status)
        .max(java.util.Comparator.naturalOrder())
        .orElse(Status.OK);
  }
}
