package io.convoke.engine.durable.provider;

/**
 * A message that starts an instance, as a text into which the store writes its time.
 *
 * @param before what precedes the time, which is a JSON string
 * @param after what follows it
 */
public record StartMessage(String before, String after) {}
