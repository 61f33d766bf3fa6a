package io.convoke.chaos.durable.rules;

import java.util.Optional;

/** An execution's row, with the table's terms. */
public record ExecutionRow(String instance, long id, String status, Optional<String> output) {}
