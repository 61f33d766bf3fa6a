package io.convoke.lab.chaos.durable.verdict;

/** An instance as its row stands. */
public record InstanceRow(String id, long execution) {}
