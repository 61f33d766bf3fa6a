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
  Page list(Optional<String> after);

  /** One recording as it stands. */
  Look look(String recordingId);

  /** Where its audio can be fetched from, for a while. */
  Link link(String recordingId);

  /** The connections that were in a meeting, by the platform's id of that meeting. */
  Optional<Set<String>> attendance(String meetingSessionId);

  /** What a webhook about a recording says. */
  RecordingNews news(byte[] body);

  /** What came of asking for a page. */
  sealed interface Page {
    /**
     * Recordings, newest first.
     *
     * @param unreadable entries that could not be understood
     * @param last the id to go on after; absent on the last page
     */
    record Listed(List<RecordingFacts> recordings, int unreadable, Optional<String> last)
        implements Page {
      public Listed {
        recordings = List.copyOf(recordings);
      }
    }

    /** The platform did not tell. */
    record Unknown(Outage outage) implements Page {}
  }

  /** What came of asking for one. */
  sealed interface Look {
    record Found(RecordingFacts facts) implements Look {}

    /** The platform says that it has none of this id. */
    record Missing() implements Look {}

    /** The platform did not tell. */
    record Unknown(Outage outage) implements Look {}
  }

  /** What came of asking for a link. */
  sealed interface Link {
    record Ready(URI url) implements Link {
      @Override
      public String toString() {
        return "Ready[" + url.getHost() + "]";
      }
    }

    /** The platform says in words that there is none. */
    record None(String words) implements Link {}

    /** The platform did not tell. */
    record Unknown(Outage outage) implements Link {}
  }
}
