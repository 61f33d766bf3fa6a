package io.convoke.chaos.sync.rules;

/**
 * One update that was applied, as the journal has it.
 *
 * @param id of the update
 * @param from the status before, by its first letter
 * @param status after it
 */
public record AppliedUpdate(long version, long id, char from, char status, long attempts) {}
