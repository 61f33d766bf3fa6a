package io.convoke.server.http;

import java.util.OptionalInt;

/** How the body is read. */
public sealed interface RequestBodyKind {
  /** The operation has no body; one that is sent is ignored. */
  record NoRequestBody() implements RequestBodyKind {}

  /** Bytes, untouched, up to a limit. */
  record RawRequestBody(int maxBytes) implements RequestBodyKind {}

  /** Bytes, read by the handler while they arrive, up to a limit; for files. */
  record StreamedRequestBody(String contentType, long maxBytes) implements RequestBodyKind {}

  /** JSON under a schema, of so many bytes, or as many as the listener takes. */
  record JsonRequestBody(Schema schema, boolean required, OptionalInt maxBytes)
      implements RequestBodyKind {}
}
