package io.convoke.chaos.bots.rules;

import java.time.Instant;

/**
 * A status transition in the journal.
 *
 * @param from empty for the first transition
 * @param at when the status changed
 * @param found state of the process when the row was ended; empty without
 */
public record BotTransition(
    long seq,
    long meetingId,
    long userId,
    String from,
    String to,
    String reason,
    String actor,
    Instant at,
    String found) {}
