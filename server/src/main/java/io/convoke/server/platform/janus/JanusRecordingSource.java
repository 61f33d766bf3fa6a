package io.convoke.server.platform.janus;

import io.convoke.server.platform.Participant;
import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.PlatformError.PlatformErrorKind;
import io.convoke.server.platform.RecordingInfo;
import io.convoke.server.platform.RecordingInfo.PlatformRecordingStatus;
import io.convoke.server.platform.RecordingSource;
import io.convoke.server.platform.RecordingWebhook;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.platform.janus.JanusRecordingFolder.JanusTrackFile;
import io.convoke.server.platform.janus.JanusRecordings.JanusRecording;
import io.convoke.server.platform.janus.MjrFile.MjrHeader;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The recordings of a Janus, as {@link JanusRecordings} finds them in its folder: a track for each
 * file. A recording is finished when its files are quiet and those who are still recorded, by the
 * names of the open files, are not in the room; without an answer of Janus, ten minutes later.
 */
public final class JanusRecordingSource implements RecordingSource {
  private static final Logger log = LoggerFactory.getLogger(JanusRecordingSource.class);

  /** As presence: a Janus that does not answer may come back. */
  private static final Duration SILENT_MAX = Duration.ofMinutes(10);

  private static final String KIND = "raw-tracks";
  private static final String CODEC = "opus";

  private final JanusClient client;
  private final JanusRecordingFolder folder;
  private final InstantSource time;

  /** Recordings in a folder that Janus writes to. */
  public JanusRecordingSource(JanusClient client, JanusRecordingFolder folder, InstantSource time) {
    this.client = client;
    this.folder = folder;
    this.time = time;
  }

  @Override
  public String name() {
    return client.name();
  }

  /** One page has all. */
  @Override
  public RecordingPage list(Optional<String> after) {
    try {
      return new RecordingPage.RecordingsListed(
          recordings().stream().map(this::info).toList(), 0, Optional.empty());
    } catch (IOException e) {
      log.warn("the recordings of Janus cannot be read: {}", e.toString());
      return new RecordingPage.RecordingPageUnknown(unreadable());
    }
  }

  @Override
  public RecordingLookup lookUp(String recordingId) {
    try {
      return find(recordingId)
          .<RecordingLookup>map(it -> new RecordingLookup.RecordingFound(info(it)))
          .orElseGet(RecordingLookup.RecordingNotFound::new);
    } catch (IOException e) {
      return new RecordingLookup.RecordingLookupUnknown(unreadable());
    }
  }

  @Override
  public RecordingLinkResult link(String recordingId) {
    return new RecordingLinkResult.NoRecordingLink("Janus records a file for each participant");
  }

  @Override
  public RecordingTracksResult tracks(String recordingId) {
    try {
      Optional<JanusRecording> recording = find(recordingId);
      List<RecordingTrack> tracks = new ArrayList<>();
      if (recording.isPresent()) {
        for (JanusTrackFile file : recording.get().files()) {
          track(recording.get(), file).ifPresent(tracks::add);
        }
      }
      return new RecordingTracksResult.RecordingTracksListed(tracks);
    } catch (IOException e) {
      return new RecordingTracksResult.RecordingTracksUnknown(unreadable());
    }
  }

  /** Deletes the files of these recordings, the first one of each last. */
  @Override
  public void settled(Set<String> recordingIds) {
    try {
      List<IOException> failures =
          recordings().stream()
              .filter(recording -> recordingIds.contains(recording.id()))
              .flatMap(recording -> delete(recording).stream())
              .toList();
      if (!failures.isEmpty()) {
        log.warn(
            "the files of {} recordings of Janus cannot be deleted: {}",
            failures.size(),
            failures.getFirst().toString());
      }
    } catch (IOException e) {
      log.warn("files of Janus' recordings cannot be deleted: {}", e.toString());
    }
  }

  /** Deletes its files; returns why they cannot be, which keeps no others. */
  private Optional<IOException> delete(JanusRecording recording) {
    try {
      folder.delete(recording.files().stream().map(JanusTrackFile::key).toList());
      log.info("the files of recording {} are deleted at Janus", recording.id());
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(e);
    }
  }

  @Override
  public Optional<Set<String>> attendance(String meetingSessionId) {
    return Optional.empty();
  }

  @Override
  public RecordingWebhook parseWebhook(byte[] body) {
    return new RecordingWebhook.UnreadableRecordingWebhook("Janus tells nothing of recordings");
  }

  private List<JanusRecording> recordings() throws IOException {
    return JanusRecordings.of(folder.files());
  }

  private Optional<JanusRecording> find(String id) throws IOException {
    return recordings().stream().filter(it -> it.id().equals(id)).findFirst();
  }

  private RecordingInfo info(JanusRecording recording) {
    boolean over = over(recording, time.instant());
    return new RecordingInfo(
        recording.id(),
        recording.room(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(recording.began()),
        over ? Optional.of(recording.length()) : Optional.empty(),
        over ? PlatformRecordingStatus.FINISHED : PlatformRecordingStatus.RUNNING,
        Optional.of(KIND));
  }

  private boolean over(JanusRecording recording, Instant now) {
    if (!recording.quietFor(JanusRecordings.QUIET, now)) {
      return false;
    }
    Set<String> recorded =
        recording.files().stream()
            .filter(JanusTrackFile::open)
            .map(JanusTrackFile::participant)
            .collect(Collectors.toSet());
    if (recorded.isEmpty()) {
      return true;
    }
    return switch (client.presence(recording.room())) {
      case RoomPresence.RoomMissing _ -> true;
      case RoomPresence.RoomPresenceComplete(List<Participant> there, Instant _) ->
          there.stream().map(Participant::sessionId).noneMatch(recorded::contains);
      case RoomPresence.RoomPresencePartial _, RoomPresence.RoomPresenceUnknown _ ->
          recording.quietFor(SILENT_MAX, now);
    };
  }

  private Optional<RecordingTrack> track(JanusRecording recording, JanusTrackFile file)
      throws IOException {
    Optional<MjrHeader> header = folder.header(file.key());
    if (header.isEmpty()) {
      return Optional.empty();
    }
    MjrHeader its = header.get();
    if (!its.audio() || !its.codec().equals(CODEC) || its.encrypted()) {
      log.warn(
          "{} of recording {} is left out: {}",
          file.key(),
          recording.id(),
          its.encrypted() ? "it is encrypted from end to end" : "it is not Opus");
      return Optional.empty();
    }
    Duration offset = Duration.between(recording.began(), its.firstFrame());
    return Optional.of(
        new RecordingTrack(
            file.key(),
            Optional.of(file.participant()),
            offset.isNegative() ? Duration.ZERO : offset));
  }

  private static PlatformError unreadable() {
    return PlatformError.of(PlatformErrorKind.UNREACHABLE);
  }
}
