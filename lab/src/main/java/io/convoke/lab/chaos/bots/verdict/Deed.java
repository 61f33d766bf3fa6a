package io.convoke.lab.chaos.bots.verdict;

import java.time.Instant;

/** What was done to a bot's process or to its path. */
public record Deed(Instant at, long meetingId, String what) {}
