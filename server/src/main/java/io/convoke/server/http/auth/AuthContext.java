package io.convoke.server.http.auth;

import io.convoke.server.http.Caller;
import io.convoke.server.http.ClientAddressResolver;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A caller with its authentication context.
 *
 * @param caller the authenticated caller
 * @param sessionEnd when the browser session ends; empty for callers by header
 * @param peer the address by which the client is counted, see {@link ClientAddressResolver}
 */
public record AuthContext(Caller caller, Optional<Instant> sessionEnd, Supplier<String> peer) {}
