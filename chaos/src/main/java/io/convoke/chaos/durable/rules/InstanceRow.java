package io.convoke.chaos.durable.rules;

/** An instance as its row stands. */
public record InstanceRow(String id, long execution) {}
