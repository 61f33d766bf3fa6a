package io.convoke.chaos.dispatch.rules;

import java.util.Optional;

/**
 * A task that a client requested.
 *
 * @param request its request id
 * @param unique whether its channel must have no other
 * @param region that it prefers; empty for any
 * @param end how its program ends unless it is stopped or killed
 */
public record RequestedTask(
    String request, String channel, boolean unique, ProgramEnd end, Optional<String> region) {
  /** A task for any region. */
  public RequestedTask(String request, String channel, boolean unique, ProgramEnd end) {
    this(request, channel, unique, end, Optional.empty());
  }

  /** How a program ends. */
  public enum ProgramEnd {
    SUCCEEDS,
    FAILS
  }
}
