package io.convoke.simulator.audio;

import io.convoke.simulator.state.Recording;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The paths of a recording's files in the platform's bucket, and their sizes. */
public final class RecordingFiles {

  /** The first part of every key: the name of the platform's customer. */
  public static final String DOMAIN = "convoke-sim";

  private RecordingFiles() {}

  /** The key of the whole recording. */
  public static String key(Recording recording) {
    return DOMAIN + "/" + recording.room() + "/" + recording.startedAt().toEpochMilli();
  }

  /** The key of one speaker's track. */
  public static String trackKey(Recording recording, String speaker) {
    return key(recording) + "-" + speaker.replaceAll("[^A-Za-z0-9]+", "-") + "-cam-audio.wav";
  }

  /** The speaker whose track has this key. */
  public static Optional<String> speaker(Recording recording, String key) {
    return recording.speakers().stream()
        .filter(speaker -> trackKey(recording, speaker).equals(key))
        .findFirst();
  }

  /** The tracks as Daily lists them; absent unless the recording consists of tracks. */
  public static Optional<List<Map<String, Object>>> tracks(Recording recording) {
    return recording.type().equals("raw-tracks")
        ? Optional.of(
            recording.speakers().stream().map(speaker -> track(recording, speaker)).toList())
        : Optional.empty();
  }

  private static Map<String, Object> track(Recording recording, String speaker) {
    Map<String, Object> track = new LinkedHashMap<>();
    track.put("type", "audio");
    track.put("s3Key", trackKey(recording, speaker));
    track.put("size", AudioTimeline.of(recording, Optional.of(speaker)).size());
    return track;
  }
}
