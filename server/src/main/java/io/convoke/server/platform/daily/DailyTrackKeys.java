package io.convoke.server.platform.daily;

import io.convoke.server.platform.RecordingSource.RecordingTrack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * The keys of Daily's raw tracks, which are WebM files in a bucket of the account: {@code
 * domain/room/start-participant-cam-audio-trackstart}, both starts in milliseconds since 1970, with
 * or without an extension.
 */
final class DailyTrackKeys {
  private static final Pattern NAME =
      Pattern.compile(
          "(\\d{10,16})-([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"
              + "-[a-z]+-(audio|video)-(\\d{10,16})(?:\\.[a-z0-9]+)?");

  /** A key that is safe as an address and as the name of a blob. */
  private static final Pattern KEY =
      Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*");

  private DailyTrackKeys() {}

  /** The tracks with sound of a list of tracks, in its order. */
  static List<RecordingTrack> audioTracks(JsonNode tracks) {
    List<RecordingTrack> audio = new ArrayList<>();
    for (JsonNode track : tracks) {
      String key = track.path("s3Key").asString("");
      if (KEY.matcher(key).matches() && track.path("type").asString("audio").equals("audio")) {
        parsed(key).ifPresent(audio::add);
      }
    }
    return audio;
  }

  /** Empty for a track of pictures; a key of another form tells neither participant nor time. */
  private static Optional<RecordingTrack> parsed(String key) {
    Matcher name = NAME.matcher(key.substring(key.lastIndexOf('/') + 1));
    if (!name.matches()) {
      return Optional.of(new RecordingTrack(key, Optional.empty(), Duration.ZERO));
    }
    long offset = Math.max(0, Long.parseLong(name.group(4)) - Long.parseLong(name.group(1)));
    return name.group(3).equals("audio")
        ? Optional.of(
            new RecordingTrack(key, Optional.of(name.group(2)), Duration.ofMillis(offset)))
        : Optional.empty();
  }
}
