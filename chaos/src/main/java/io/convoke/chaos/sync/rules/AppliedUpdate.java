package io.convoke.chaos.sync.rules;

/**
 * An applied update in the journal.
 *
 * @param id of the update
 * @param from the status before, by its first letter
 * @param status after it
 */
public record AppliedUpdate(long version, long id, char from, char status, long attempts) {}
