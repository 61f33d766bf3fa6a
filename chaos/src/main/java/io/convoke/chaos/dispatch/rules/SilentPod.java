package io.convoke.chaos.dispatch.rules;

import java.time.Instant;
import java.util.Optional;

/**
 * A pod that became unreachable: killed, suspended, or cut off.
 *
 * @param reachableAgain when it became reachable again, by resuming or by opening new connections
 */
public record SilentPod(String pod, String why, Instant from, Optional<Instant> reachableAgain) {
  /** Whether it was reachable again by then. */
  boolean over(Instant by) {
    return reachableAgain.isPresent() && !reachableAgain.get().isAfter(by);
  }
}
