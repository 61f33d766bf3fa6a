package io.convoke.server.http;

/** How the body is read. */
sealed interface BodyKind {
  /** The operation has no body; one that is sent is ignored. */
  record None() implements BodyKind {}

  /** Bytes, untouched, up to a limit. */
  record Raw(int maxBytes) implements BodyKind {}

  /** JSON under a schema. */
  record Json(Schema schema, boolean required) implements BodyKind {}
}
