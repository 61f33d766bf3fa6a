package io.convoke.chaos.bots.rules;

import java.time.Instant;

/**
 * A user's request and its response.
 *
 * @param status 0 without a response
 * @param meetingId from the response; 0 without
 */
public record UserCall(Instant at, String what, String room, int status, long meetingId) {}
