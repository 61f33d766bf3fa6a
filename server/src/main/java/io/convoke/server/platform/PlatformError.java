package io.convoke.server.platform;

import java.time.Duration;
import java.util.Optional;

/**
 * Why a platform did not answer a question.
 *
 * @param retryAfter how long the platform, or our own budget for it, asks us to wait
 */
public record PlatformError(PlatformErrorKind cause, Optional<Duration> retryAfter) {

  /** What went wrong, coarse enough to decide on and to label a metric with. */
  public enum PlatformErrorKind {
    /** 404: the room is not known. That is not the same as an empty room. */
    NOT_FOUND,
    /** 429, or no token left in the account's budget. */
    RATE_LIMITED,
    /** 400, 401 or 403: our key or our question is wrong. */
    REFUSED,
    /** No answer within the bound. */
    TIMEOUT,
    /** No connection. */
    UNREACHABLE,
    /** 5xx. */
    SERVER_ERROR,
    /** An answer that cannot be read. */
    MALFORMED
  }

  public static PlatformError of(PlatformErrorKind platformErrorKind) {
    return new PlatformError(platformErrorKind, Optional.empty());
  }

  public static PlatformError rateLimited(Duration retryAfter) {
    return new PlatformError(PlatformErrorKind.RATE_LIMITED, Optional.of(retryAfter));
  }
}
