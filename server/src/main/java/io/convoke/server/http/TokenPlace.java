package io.convoke.server.http;

/**
 * Where a bearer token may come besides the header {@code Authorization}, for callers that have no
 * say in how they call.
 */
public enum TokenPlace {
  /** Nowhere. */
  HEADER_ALONE,
  /** {@code ?token=}. */
  QUERY,
  /** The segment {@code {token}} of the path. */
  PATH,
  /** The header {@code X-Internal-Secret}. */
  SECRET_HEADER
}
