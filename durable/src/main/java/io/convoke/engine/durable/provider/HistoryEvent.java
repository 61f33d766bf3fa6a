package io.convoke.engine.durable.provider;

/**
 * One line of an execution's history.
 *
 * @param eventId counts from 1 within the execution; a number that is there already is a bug
 */
public record HistoryEvent(long eventId, String type, String data) {}
