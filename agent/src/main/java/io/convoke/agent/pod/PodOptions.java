package io.convoke.agent.pod;

import io.convoke.engine.dispatch.NewTask;
import io.convoke.engine.dispatch.PodCapacity;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The command-line options of a pod.
 *
 * @param exec the command for tasks; without {@code types}, for all of them
 * @param types task types for the command, beside the handlers that the pod has
 * @param costs units of capacity by type; 1 for other types
 * @param capacity in units; empty: only slots limit
 * @param grace between SIGTERM and SIGKILL of the program of a stopped task
 * @param drain how long running tasks may take after SIGTERM to the pod
 * @param port of the health port, 0 for a free one; empty for none
 */
record PodOptions(
    String region,
    int slots,
    Optional<String> exec,
    Set<String> types,
    Map<String, Double> costs,
    OptionalDouble capacity,
    Duration grace,
    Duration drain,
    String host,
    OptionalInt port) {
  static final int SLOTS_MAX = 1000;
  private static final int PORT_MAX = 65_535;
  private static final int HOST_MAX = 48;

  /**
   * Checks the options.
   *
   * @throws UsageException with a message for the operator
   */
  PodOptions {
    types = Set.copyOf(types);
    costs = Map.copyOf(costs);
    require(
        NewTask.isRegion(region),
        "--region must be 1 to 64 letters, digits, _ or -, and not global, the queue of no region");
    require(slots >= 1 && slots <= SLOTS_MAX, "--slots must be from 1 to " + SLOTS_MAX);
    require(exec.isEmpty() || !exec.get().isBlank(), "--exec is empty");
    require(exec.isPresent() || types.isEmpty(), "--types needs --exec");
    require(
        types.stream().allMatch(NewTask::isType),
        "--types must be 1 to 64 letters, digits, _ or - each, with commas between");
    require(
        port.isEmpty() || (port.getAsInt() >= 0 && port.getAsInt() <= PORT_MAX),
        "--port must be from 0 to " + PORT_MAX);
    require(capacity.isPresent() || costs.isEmpty(), "--cost needs --capacity");
    require(capacity.isEmpty() || capacity.getAsDouble() > 0, "--capacity must be greater than 0");
    for (Map.Entry<String, Double> cost : costs.entrySet()) {
      require(
          cost.getValue() >= 0 && cost.getValue() <= capacity.orElse(0),
          "--cost of " + cost.getKey() + " must be from 0 to the capacity");
    }
  }

  /** Whether the command runs every task, of any type. */
  boolean takesAll() {
    return exec.isPresent() && types.isEmpty();
  }

  /**
   * The capacity for the pod's claims: the types that it has a handler for, or all.
   *
   * @param handled types that have their own handler
   */
  PodCapacity capacity(Set<String> handled) {
    double each = capacity.isPresent() ? 1 : 0;
    Map<String, Double> named = new HashMap<>();
    if (takesAll()) {
      named.putAll(costs);
    } else {
      Set<String> mine = new TreeSet<>(handled);
      mine.addAll(types);
      require(!mine.isEmpty(), "nothing to do: this pod has no handler, and no --exec");
      for (String type : costs.keySet()) {
        require(mine.contains(type), "--cost names " + type + ", which this pod does not take");
      }
      mine.forEach(type -> named.put(type, costs.getOrDefault(type, each)));
    }
    return new PodCapacity(
        capacity.orElse(1), named, takesAll() ? OptionalDouble.of(each) : OptionalDouble.empty());
  }

  /** A unique pod id: the host name and a random suffix. */
  static String freshName() {
    String host;
    try {
      host = InetAddress.getLocalHost().getHostName().replaceAll("[^A-Za-z0-9.-]", "-");
    } catch (UnknownHostException e) {
      host = "pod";
    }
    return host.substring(0, Math.min(host.length(), HOST_MAX))
        + "-"
        + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()).substring(0, 12);
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new UsageException(otherwise);
    }
  }
}
