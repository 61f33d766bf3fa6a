package io.convoke.server.http.listener;

import io.convoke.server.http.HttpConfig;
import io.convoke.server.http.RequestPolicies;
import io.convoke.server.http.auth.CallerRateLimiter;
import io.convoke.server.http.auth.CallerResolver;
import io.convoke.server.http.connection.BodyReader;
import io.convoke.server.http.connection.HeaderReadTimeout;
import io.convoke.server.http.connection.ShutdownState;
import io.convoke.server.http.idempotency.IdempotentExecutor;
import java.util.Optional;

/** The dispatcher's dependencies. */
record DispatcherDependencies(
    HttpConfig terms,
    RequestPolicies policies,
    CallerResolver callers,
    CallerRateLimiter limits,
    IdempotentExecutor idempotency,
    BodyReader bodies,
    ResponseWriter writer,
    ShutdownState streams,
    StaticFiles files,
    Optional<StaticFiles> docs,
    RequestTracing tracing,
    HeaderReadTimeout headerWatch) {}
