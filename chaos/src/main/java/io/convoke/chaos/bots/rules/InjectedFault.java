package io.convoke.chaos.bots.rules;

import java.time.Instant;

/** A fault injected into a bot's process or network path. */
public record InjectedFault(Instant at, long meetingId, String what) {}
