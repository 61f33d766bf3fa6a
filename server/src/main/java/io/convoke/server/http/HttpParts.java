package io.convoke.server.http;

/** What the dispatcher works with, gathered once. */
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
