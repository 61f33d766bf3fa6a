package io.convoke.server.http;

/** The dispatcher's dependencies. */
record DispatcherDependencies(
    HttpConfig terms,
    CallerResolver callers,
    CallerRateLimiter limits,
    IdempotentExecutor idempotency,
    BodyReader bodies,
    ResponseWriter writer,
    StaticFiles files,
    RequestTracing tracing,
    HeaderReadTimeout headerWatch) {}
