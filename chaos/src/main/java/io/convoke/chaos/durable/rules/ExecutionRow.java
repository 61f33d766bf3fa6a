package io.convoke.chaos.durable.rules;

import java.util.Optional;

/** An execution as its row stands, in the words of the table. */
public record ExecutionRow(String instance, long id, String status, Optional<String> output) {}
