package io.convoke.client.types;

import java.time.Instant;
import java.util.List;

/** A {@code InvariantReport} of the API. */
public record InvariantReport(
    Instant at,
    List<Invariant> invariants) {}
