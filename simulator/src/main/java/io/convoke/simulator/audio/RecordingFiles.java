package io.convoke.simulator.audio;

import io.convoke.simulator.audio.MediaEncoder.MediaForm;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.Recording.SpokenLine;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The paths of a recording's files in the platform's bucket, their sizes, and the tracks' bytes.
 */
public final class RecordingFiles {

  /** The first part of every key: the name of the platform's customer. */
  public static final String DOMAIN = "convoke-sim";

  private static final int TRACKS_KEPT = 64;

  /** The last tracks that were encoded. */
  private static final Map<String, byte[]> TRACKS =
      new LinkedHashMap<>(TRACKS_KEPT, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, byte[]> eldest) {
          return size() > TRACKS_KEPT;
        }
      };

  private RecordingFiles() {}

  /** The key of the whole recording. */
  public static String key(Recording recording) {
    return DOMAIN + "/" + recording.room() + "/" + recording.startedAt().toEpochMilli();
  }

  /**
   * The key of the track of one session, without an extension: when the recording began, the
   * session, and when the track did, with the session's first word.
   */
  public static String trackKey(Recording recording, String sessionId) {
    long start = recording.startedAt().plus(trackStart(recording, sessionId)).toEpochMilli();
    return key(recording) + "-" + sessionId + "-cam-audio-" + start;
  }

  /** The session whose track has this key. */
  public static Optional<String> session(Recording recording, String key) {
    return sessions(recording).stream()
        .filter(session -> trackKey(recording, session).equals(key))
        .findFirst();
  }

  /** The tracks as Daily lists them; absent unless the recording consists of tracks. */
  public static Optional<List<Map<String, Object>>> tracks(Recording recording) {
    return recording.type().equals("raw-tracks")
        ? Optional.of(
            sessions(recording).stream().map(session -> track(recording, session)).toList())
        : Optional.empty();
  }

  /** The track of one session: Opus in WebM; WAV on a machine without ffmpeg. */
  public static byte[] trackFile(Recording recording, String session) {
    synchronized (TRACKS) {
      return TRACKS.computeIfAbsent(
          recording.recordingId() + " " + session + " " + recording.lines().size(),
          _ -> encoded(recording, session));
    }
  }

  private static byte[] encoded(Recording recording, String session) {
    short[] whole = SpeechSynthesizer.samples(recording, Optional.of(session));
    int start = (int) (trackStart(recording, session).toMillis() * WavFile.RATE / 1000);
    byte[] wav =
        WavFile.file(Arrays.copyOfRange(whole, Math.min(start, whole.length), whole.length));
    return MediaEncoder.isHere() ? MediaEncoder.encode(wav, MediaForm.WEBM) : wav;
  }

  private static List<String> sessions(Recording recording) {
    return recording.lines().stream().map(SpokenLine::sessionId).distinct().toList();
  }

  private static Duration trackStart(Recording recording, String sessionId) {
    return AudioTimeline.of(recording, Optional.of(sessionId)).slots().stream()
        .findFirst()
        .map(AudioTimeline.AudioSegment::start)
        .orElse(Duration.ZERO);
  }

  private static Map<String, Object> track(Recording recording, String sessionId) {
    Map<String, Object> track = new LinkedHashMap<>();
    track.put("type", "audio");
    track.put("s3Key", trackKey(recording, sessionId));
    track.put("size", trackFile(recording, sessionId).length);
    return track;
  }
}
