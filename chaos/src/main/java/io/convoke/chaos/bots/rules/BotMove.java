package io.convoke.chaos.bots.rules;

import java.time.Instant;

/**
 * A move of the journal.
 *
 * @param from empty when the row was made
 * @param at when the status became what it is
 * @param found what stood behind a row that was ended; empty without
 */
public record BotMove(
    long seq,
    long meetingId,
    long userId,
    String from,
    String to,
    String reason,
    String actor,
    Instant at,
    String found) {}
