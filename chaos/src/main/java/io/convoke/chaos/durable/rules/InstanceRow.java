package io.convoke.chaos.durable.rules;

/** An instance's row. */
public record InstanceRow(String id, long execution) {}
