package io.convoke.chaos.bots.rules;

import java.time.Instant;

/**
 * A process that was seen alive after its row had been seen over.
 *
 * @param known whether the launcher could know it: it had its record when it was seen
 */
public record OrphanProcess(long meetingId, Instant first, Instant last, boolean known) {}
