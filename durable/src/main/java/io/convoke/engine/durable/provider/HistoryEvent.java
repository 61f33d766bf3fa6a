package io.convoke.engine.durable.provider;

/**
 * One event of an execution's history.
 *
 * @param eventId counts from 1 within the execution; a duplicate is a bug
 */
public record HistoryEvent(long eventId, String type, String data) {}
