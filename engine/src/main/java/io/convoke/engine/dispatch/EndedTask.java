package io.convoke.engine.dispatch;

/** A task that the ledger knows to be over, and how it ended. */
public record EndedTask(String id, TaskState state, String error) {}
