package io.convoke.chaos.bots.rules;

import java.time.Instant;

/** What was done to a bot's process or to its path. */
public record InjectedFault(Instant at, long meetingId, String what) {}
