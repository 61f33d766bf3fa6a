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
 * What a pod was asked to be.
 *
 * @param exec the command for tasks; without {@code types}, for all of them
 * @param types that the command is for, beside the handlers that the pod has
 * @param costs units of capacity by type; one that is not named costs 1
 * @param capacity in units; without it the slots alone count
 * @param grace between SIGTERM and SIGKILL of the program of a task that is stopped
 * @param drain how long running tasks may take once the pod is told to end
 * @param port of the health listener, 0 for a free one; without it there is none
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
  private static final int HOST_MAX = 48;

  /**
   * Checks it.
   *
   * @throws UsageException in words for the operator
   */
  PodOptions {
    types = Set.copyOf(types);
    costs = Map.copyOf(costs);
    require(NewTask.isRegion(region), "--region is 1 to 64 of letters, digits, _ and -");
    require(slots >= 1 && slots <= SLOTS_MAX, "--slots is a number from 1 to " + SLOTS_MAX);
    require(exec.isEmpty() || !exec.get().isBlank(), "--exec is empty");
    require(exec.isPresent() || types.isEmpty(), "--types says what --exec is for");
    require(capacity.isPresent() || costs.isEmpty(), "--cost needs --capacity");
    require(capacity.isEmpty() || capacity.getAsDouble() > 0, "--capacity is more than 0");
    for (Map.Entry<String, Double> cost : costs.entrySet()) {
      require(
          cost.getValue() >= 0 && cost.getValue() <= capacity.orElse(0),
          "--cost of " + cost.getKey() + " is from 0 to the capacity");
    }
  }

  /** Whether the command gets every task, whatever its type. */
  boolean takesAll() {
    return exec.isPresent() && types.isEmpty();
  }

  /**
   * What the pod says of itself when it claims: it names the types that it has a handler for, or
   * takes all.
   *
   * @param handled types that have a handler of their own
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

  /** A name that no pod had before: the machine's, for people, and chance. */
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
