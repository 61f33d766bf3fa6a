package io.convoke.engine.dispatch;

import java.util.Optional;

/** A transition that the database stored, with the fields of its journal row. */
public record RecordedTransition(
    TaskTransition move,
    String requestId,
    String type,
    String channel,
    Optional<String> region,
    Optional<Long> userId) {}
