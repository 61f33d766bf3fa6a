package io.convoke.chaos.dispatch.rules;

/**
 * A task that somebody wanted.
 *
 * @param request its request id
 * @param unique whether its channel was to have no other
 * @param end how its program ends if nobody stops it and it comes to its end
 */
public record RequestedTask(String request, String channel, boolean unique, ProgramEnd end) {
  /** How a program ends. */
  public enum ProgramEnd {
    SUCCEEDS,
    FAILS
  }
}
