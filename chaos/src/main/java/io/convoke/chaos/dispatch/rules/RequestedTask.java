package io.convoke.chaos.dispatch.rules;

/**
 * A task that a client requested.
 *
 * @param request its request id
 * @param unique whether its channel must have no other
 * @param end how its program ends unless it is stopped or killed
 */
public record RequestedTask(String request, String channel, boolean unique, ProgramEnd end) {
  /** How a program ends. */
  public enum ProgramEnd {
    SUCCEEDS,
    FAILS
  }
}
