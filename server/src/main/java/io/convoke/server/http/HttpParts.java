package io.convoke.server.http;

/** The dispatcher's dependencies. */
record HttpParts(
    HttpTerms terms,
    Callers callers,
    RateLimits limits,
    Idempotency idempotency,
    BodyReader bodies,
    AnswerWriter writer,
    StaticFiles files,
    Tracing tracing,
    HeaderWatch headerWatch) {}
