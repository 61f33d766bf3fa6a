package io.convoke.server.platform;

import java.time.Duration;
import java.util.Optional;

/**
 * Why a platform call failed.
 *
 * @param retryAfter the wait that the platform or the rate limiter demands
 */
public record PlatformError(PlatformErrorKind cause, Optional<Duration> retryAfter) {

  /** The cause, also used as a metric label. */
  public enum PlatformErrorKind {
    /** 404: unknown room, which is not the same as an empty room. */
    NOT_FOUND,
    /** 429, or refused by the rate limiter. */
    RATE_LIMITED,
    /** 400, 401 or 403: the API key or the request is wrong. */
    REFUSED,
    /** No response within the timeout. */
    TIMEOUT,
    /** No connection. */
    UNREACHABLE,
    /** 5xx. */
    SERVER_ERROR,
    /** A response that cannot be parsed. */
    MALFORMED
  }

  public static PlatformError of(PlatformErrorKind platformErrorKind) {
    return new PlatformError(platformErrorKind, Optional.empty());
  }

  public static PlatformError rateLimited(Duration retryAfter) {
    return new PlatformError(PlatformErrorKind.RATE_LIMITED, Optional.of(retryAfter));
  }
}
