package io.convoke.lab.chaos.dispatch.verdict;

/**
 * A task that somebody wanted.
 *
 * @param request its request id
 * @param unique whether its channel was to have no other
 * @param end how its program ends if nobody stops it and it comes to its end
 */
public record Asked(String request, String channel, boolean unique, End end) {
  /** How a program ends. */
  public enum End {
    SUCCEEDS,
    FAILS
  }
}
