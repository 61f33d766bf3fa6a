package io.convoke.server.recordings;

import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.PlatformError.PlatformErrorKind;
import io.convoke.server.platform.RecordingSource;
import io.convoke.server.platform.RecordingSource.RecordingLookup;
import java.time.Duration;

/**
 * Asks the platform for a recording. After a call that timed out or found no connection the circuit
 * is open for 30 s: nothing is asked, so that the webhooks that follow do not wait for a platform
 * that is away.
 */
final class LookupCircuitBreaker {
  private static final Duration OPEN_FOR = Duration.ofSeconds(30);

  private final RecordingSource source;
  private volatile long openUntil = System.nanoTime();

  LookupCircuitBreaker(RecordingSource source) {
    this.source = source;
  }

  /** The present state of a recording; unknown while the circuit is open. */
  RecordingLookup lookUp(String recordingId) {
    if (openUntil - System.nanoTime() > 0) {
      return new RecordingLookup.RecordingLookupUnknown(
          PlatformError.of(PlatformErrorKind.UNREACHABLE));
    }
    RecordingLookup answer = source.lookUp(recordingId);
    if (answer instanceof RecordingLookup.RecordingLookupUnknown(PlatformError platformError)
        && away(platformError.cause())) {
      openUntil = System.nanoTime() + OPEN_FOR.toNanos();
    }
    return answer;
  }

  private static boolean away(PlatformErrorKind platformErrorKind) {
    return switch (platformErrorKind) {
      case TIMEOUT, UNREACHABLE -> true;
      case NOT_FOUND, RATE_LIMITED, REFUSED, SERVER_ERROR, MALFORMED -> false;
    };
  }
}
