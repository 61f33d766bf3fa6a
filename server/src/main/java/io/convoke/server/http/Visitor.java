package io.convoke.server.http;

import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Who asks, and how we know.
 *
 * @param caller what the credentials prove
 * @param sessionEnd when the session ends that proved it; empty for callers by header
 * @param peer the address by which the client is counted, see {@link ClientAddress}
 */
record Visitor(Caller caller, Optional<Instant> sessionEnd, Supplier<String> peer) {}
