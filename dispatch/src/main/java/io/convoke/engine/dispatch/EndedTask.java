package io.convoke.engine.dispatch;

/** A task that ended, according to the database. */
public record EndedTask(String id, TaskState state, int attempt, String error) {}
