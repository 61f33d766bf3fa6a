package io.convoke.server.platform.janus;

import io.convoke.engine.crypto.Sha256Hash;
import io.convoke.server.platform.janus.JanusRecordingFolder.JanusTrackFile;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;

/**
 * Which files of a room are one recording: those between which there is no pause. Pure. A later
 * file never changes what a finished recording consists of.
 */
final class JanusRecordings {
  /** Files of one recording overlap, or follow each other within this time. */
  static final Duration PAUSE_MAX = Duration.ofSeconds(30);

  /** How long its files must be quiet before a recording is complete, twice the pause. */
  static final Duration QUIET = Duration.ofSeconds(60);

  /** The size of a file without a frame. */
  private static final int NO_FRAME = 8;

  private JanusRecordings() {}

  /** The files of one recording, by the time at which they begin. */
  record JanusRecording(String room, List<JanusTrackFile> files) {
    JanusRecording {
      files = List.copyOf(files);
    }

    /** Stays the same while one of its files is there, since the first is deleted last. */
    String id() {
      String hash = HexFormat.of().formatHex(Sha256Hash.of(room), 0, 8);
      return "janus-" + ChronoUnit.MICROS.between(Instant.EPOCH, began()) + "-" + hash;
    }

    Instant began() {
      return files.getFirst().created();
    }

    Instant lastWritten() {
      return files.stream().map(JanusTrackFile::written).max(Instant::compareTo).orElseThrow();
    }

    /** How long it is; nothing if no file has a frame. */
    Duration length() {
      return files.stream().allMatch(file -> file.bytes() <= NO_FRAME)
          ? Duration.ZERO
          : Duration.between(began(), lastWritten());
    }

    boolean quietFor(Duration time, Instant now) {
      return !lastWritten().plus(time).isAfter(now);
    }
  }

  /** The recordings of these files, newest first. */
  static List<JanusRecording> of(Collection<JanusTrackFile> files) {
    TreeMap<String, List<JanusTrackFile>> rooms = new TreeMap<>();
    for (JanusTrackFile file : files) {
      boolean _ = rooms.computeIfAbsent(file.room(), _ -> new ArrayList<>()).add(file);
    }
    List<JanusRecording> all = new ArrayList<>();
    rooms.forEach((room, its) -> addRecordings(room, its, all));
    all.sort(Comparator.comparing(JanusRecording::began).reversed());
    return all;
  }

  private static void addRecordings(
      String room, List<JanusTrackFile> files, List<JanusRecording> all) {
    files.sort(Comparator.comparing(JanusTrackFile::created).thenComparing(JanusTrackFile::key));
    List<JanusTrackFile> current = new ArrayList<>();
    Instant end = Instant.MAX;
    for (JanusTrackFile file : files) {
      if (file.created().isAfter(end)) {
        all.add(new JanusRecording(room, current));
        current.clear();
        end = Instant.MIN;
      }
      current.add(file);
      Instant until = file.written().plus(PAUSE_MAX);
      end = current.size() == 1 || until.isAfter(end) ? until : end;
    }
    all.add(new JanusRecording(room, current));
  }
}
