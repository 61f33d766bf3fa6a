package io.convoke.chaos.bots.rules;

import java.time.Instant;

/**
 * What a user asked and was answered.
 *
 * @param status 0 when nobody answered
 * @param meetingId of the answer; 0 without
 */
public record UserCall(Instant at, String what, String room, int status, long meetingId) {}
