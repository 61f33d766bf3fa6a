package io.convoke.server.recordings;

import io.convoke.server.platform.RecordingSource;
import java.util.Optional;

/**
 * A platform whose recordings are processed.
 *
 * @param tracks where the files of recordings with a track per participant are, if they can be read
 * @param setting the setting that says where they are
 */
public record RecordingPlatform(
    RecordingSource source, Optional<TrackBucket> tracks, String setting) {

  /** The setting that says where a platform's tracks are. */
  static String setting(String platform) {
    return platform.equals("janus") ? "CONVOKE_JANUS_RECORDINGS" : "CONVOKE_DAILY_TRACKS";
  }
}
