package io.convoke.engine.dispatch;

import java.util.Optional;

/** A move that the ledger has just written, with what its journal row needs. */
public record RecordedTransition(
    TaskTransition move,
    String requestId,
    String type,
    String channel,
    Optional<String> region,
    Optional<Long> userId) {}
