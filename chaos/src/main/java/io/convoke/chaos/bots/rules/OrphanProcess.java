package io.convoke.chaos.bots.rules;

import java.time.Instant;

/**
 * A process seen alive after its row had ended.
 *
 * @param known whether the launcher had a record of it then
 */
public record OrphanProcess(long meetingId, Instant first, Instant last, boolean known) {}
