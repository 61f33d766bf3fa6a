package io.convoke.server.http;

/**
 * An event of the journal as the document describes it to those who receive webhooks.
 *
 * @param type such as {@code meeting.status_changed}
 * @param summary what has happened, in one sentence
 * @param subject what it is about, by example: {@code meeting:42}
 * @param data the schema of the event's data
 */
public record EventType(String type, String summary, String subject, Schema data) {}
