package io.convoke.chaos.dispatch.rules;

import java.time.Instant;
import java.util.Optional;

/**
 * A pod that said nothing any more from some moment on: it was killed, hung, or was cut off.
 *
 * @param reachableAgain when it was heard again, as one that went on is, or one that found its
 *     connections silent and opened others
 */
public record SilentPod(String pod, String why, Instant from, Optional<Instant> reachableAgain) {
  /** Whether it was heard again by then. */
  boolean over(Instant by) {
    return reachableAgain.isPresent() && !reachableAgain.get().isAfter(by);
  }
}
