package io.convoke.engine.dispatch;

/** A task that the ledger knows to be over, how it ended, and in which attempt. */
public record EndedTask(String id, TaskState state, int attempt, String error) {}
