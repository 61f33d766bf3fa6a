package io.convoke.chaos.bots.rules;

import io.convoke.chaos.kernel.TimedReply;
import java.time.Instant;

/**
 * A user's request and its response.
 *
 * @param status 0 without a response
 * @param at when it was answered
 * @param meetingId from the response; 0 without
 * @param userId who asked; 0 if that is not known
 * @param server that was asked
 */
public record UserCall(
    Instant at,
    String what,
    String room,
    int status,
    long meetingId,
    long userId,
    String server,
    Instant sent) {
  /** A call of which only the response is known. */
  public UserCall(Instant at, String what, String room, int status, long meetingId) {
    this(at, what, room, status, meetingId, 0, "", at);
  }

  TimedReply reply() {
    return new TimedReply(what + " of " + room, server, status, sent, at);
  }
}
