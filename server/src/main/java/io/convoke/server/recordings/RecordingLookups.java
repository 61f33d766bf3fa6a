package io.convoke.server.recordings;

import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.PlatformError.PlatformErrorKind;
import io.convoke.server.platform.RecordingSource;
import io.convoke.server.platform.RecordingSource.RecordingLookup;
import java.time.Duration;

/**
 * Asks the platform what its webhooks about recordings do not tell, once for each delivery. After a
 * call that the platform let wait in vain nothing is asked for a while, so that the webhooks that
 * follow do not wait too.
 */
final class RecordingLookups {
  private static final Duration REST = Duration.ofSeconds(30);

  private final RecordingSource source;
  private volatile long restsUntil = System.nanoTime();

  RecordingLookups(RecordingSource source) {
    this.source = source;
  }

  /** The present state of a recording, or that it is not known. */
  RecordingLookup lookUp(String recordingId) {
    if (restsUntil - System.nanoTime() > 0) {
      return new RecordingLookup.RecordingLookupUnknown(
          PlatformError.of(PlatformErrorKind.UNREACHABLE));
    }
    RecordingLookup answer = source.lookUp(recordingId);
    if (answer instanceof RecordingLookup.RecordingLookupUnknown(PlatformError platformError)
        && away(platformError.cause())) {
      restsUntil = System.nanoTime() + REST.toNanos();
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
