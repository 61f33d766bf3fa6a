package io.convoke.chaos.kernel;

import java.time.Instant;

/**
 * A call and its response.
 *
 * @param target the server that was called, see {@link FaultTimeline#server}; empty if any could
 *     have answered
 * @param status 0 without a response
 */
public record TimedReply(String what, String target, int status, Instant sent, Instant answered) {
  /** A response of which no more is known. */
  public TimedReply(String what, int status) {
    this(what, "", status, Instant.EPOCH, Instant.EPOCH);
  }

  /** Whether the server did not do what was asked and did not say that it was asked wrongly. */
  public boolean refused() {
    return status == 0 || status == 429 || status >= 500;
  }
}
