package io.convoke.server.platform;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Client of a platform's recordings. Calls block the calling virtual thread for a bounded time and
 * report failure as a value.
 */
public interface RecordingSource {

  /** The name under which meetings of this platform are stored. */
  String name();

  /** A page of recordings, newest first, after one of them or from the newest on. */
  RecordingPage list(Optional<String> after);

  /** The current state of one recording. */
  RecordingLookup lookUp(String recordingId);

  /** A temporary download link of its audio. */
  RecordingLinkResult link(String recordingId);

  /** The tracks of a recording that consists of one per participant; none of any other. */
  RecordingTracksResult tracks(String recordingId);

  /**
   * Tells that these recordings are stored and processed, or deleted: the platform may delete its
   * own files of them. Called again and again.
   */
  void settled(Set<String> recordingIds);

  /** The connections that were in a meeting, by the platform's id of that meeting. */
  Optional<Set<String>> attendance(String meetingSessionId);

  /** Parses a recording webhook. */
  RecordingWebhook parseWebhook(byte[] body);

  /** Result of a page request. */
  sealed interface RecordingPage {
    /**
     * Recordings, newest first.
     *
     * @param unreadable entries that could not be parsed
     * @param last the id to go on after; absent on the last page
     */
    record RecordingsListed(List<RecordingInfo> recordings, int unreadable, Optional<String> last)
        implements RecordingPage {
      public RecordingsListed {
        recordings = List.copyOf(recordings);
      }
    }

    /** The request failed. */
    record RecordingPageUnknown(PlatformError outage) implements RecordingPage {}
  }

  /** Result of a lookup. */
  sealed interface RecordingLookup {
    record RecordingFound(RecordingInfo facts) implements RecordingLookup {}

    /** The platform has no recording with this id. */
    record RecordingNotFound() implements RecordingLookup {}

    /** The request failed. */
    record RecordingLookupUnknown(PlatformError outage) implements RecordingLookup {}
  }

  /**
   * One track of a recording: the sound of one participant.
   *
   * @param key of the file in the bucket of the account
   * @param participantId the platform's id of the participant's connection, if the key tells it
   * @param offset when the track began, after the recording did
   */
  record RecordingTrack(String key, Optional<String> participantId, Duration offset) {}

  /** Result of a request for tracks. */
  sealed interface RecordingTracksResult {
    record RecordingTracksListed(List<RecordingTrack> tracks) implements RecordingTracksResult {
      public RecordingTracksListed {
        tracks = List.copyOf(tracks);
      }
    }

    /** The request failed. */
    record RecordingTracksUnknown(PlatformError outage) implements RecordingTracksResult {}
  }

  /** Result of a link request. */
  sealed interface RecordingLinkResult {
    record RecordingLinkReady(URI url) implements RecordingLinkResult {
      @Override
      public String toString() {
        return "RecordingLinkReady[" + url.getHost() + "]";
      }
    }

    /** The platform has no link; its message says why. */
    record NoRecordingLink(String message) implements RecordingLinkResult {}

    /** The request failed. */
    record RecordingLinkUnknown(PlatformError outage) implements RecordingLinkResult {}
  }
}
