package io.convoke.lab.chaos.durable.rules;

/** An instance as its row stands. */
public record InstanceRow(String id, long execution) {}
