package io.convoke.server.platform;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What is asked of a platform about its recordings. Calls block the calling virtual thread for a
 * bounded time and report failure as a value.
 */
public interface RecordingSource {

  /** The name under which meetings of this platform are stored. */
  String name();

  /** A page of recordings, newest first, after one of them or from the newest on. */
  RecordingPage list(Optional<String> after);

  /** One recording as it stands. */
  RecordingLookup lookUp(String recordingId);

  /** Where its audio can be fetched from, for a while. */
  RecordingLinkResult link(String recordingId);

  /** The connections that were in a meeting, by the platform's id of that meeting. */
  Optional<Set<String>> attendance(String meetingSessionId);

  /** What a webhook about a recording says. */
  RecordingWebhook parseWebhook(byte[] body);

  /** What came of asking for a page. */
  sealed interface RecordingPage {
    /**
     * Recordings, newest first.
     *
     * @param unreadable entries that could not be understood
     * @param last the id to go on after; absent on the last page
     */
    record RecordingsListed(List<RecordingInfo> recordings, int unreadable, Optional<String> last)
        implements RecordingPage {
      public RecordingsListed {
        recordings = List.copyOf(recordings);
      }
    }

    /** The platform did not tell. */
    record RecordingPageUnknown(PlatformError outage) implements RecordingPage {}
  }

  /** What came of asking for one. */
  sealed interface RecordingLookup {
    record RecordingFound(RecordingInfo facts) implements RecordingLookup {}

    /** The platform says that it has none of this id. */
    record RecordingNotFound() implements RecordingLookup {}

    /** The platform did not tell. */
    record RecordingLookupUnknown(PlatformError outage) implements RecordingLookup {}
  }

  /** What came of asking for a link. */
  sealed interface RecordingLinkResult {
    record RecordingLinkReady(URI url) implements RecordingLinkResult {
      @Override
      public String toString() {
        return "RecordingLinkReady[" + url.getHost() + "]";
      }
    }

    /** The platform says in words that there is none. */
    record NoRecordingLink(String message) implements RecordingLinkResult {}

    /** The platform did not tell. */
    record RecordingLinkUnknown(PlatformError outage) implements RecordingLinkResult {}
  }
}
