package io.convoke.chaos.kernel;

import java.time.Instant;

/**
 * A period in which an injected fault could be felt, with the time to recover from it.
 *
 * @param what the fault, for messages
 * @param target what it was injected into, such as {@code server-1}, {@code redis}, {@code
 *     postgres}
 */
public record FaultWindow(String what, String target, Instant from, Instant to) {
  /** Whether a part of this period lies in it. */
  public boolean touches(Instant start, Instant end) {
    return from.isBefore(end) && to.isAfter(start);
  }
}
