package io.convoke.server.recordings;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.BlobStore.StoredBlob;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.platform.RecordingSource.RecordingTrack;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of recordings that bots upload, each a blob, and the files that become of them: one of
 * the whole meeting, and a track for each participant whose sound was uploaded apart.
 */
final class RecordingParts {
  /** The kind of a recording that comes in parts. */
  static final String KIND = "bot";

  private static final Logger log = LoggerFactory.getLogger(RecordingParts.class);

  private static final int TRACKS_MAX = 1000;

  private final Database database;
  private final BlobStore blobs;
  private final PartJoin join;

  RecordingParts(Database database, BlobStore blobs) {
    this.database = database;
    this.blobs = blobs;
    this.join = new PartJoin(blobs);
  }

  /**
   * A stored part.
   *
   * @param participant absent in a part of the whole meeting
   */
  record StoredPart(int number, BlobKey key, long size, Optional<ParticipantPart> participant) {
    Duration offset() {
      return participant.map(ParticipantPart::offset).orElse(Duration.ZERO);
    }
  }

  /**
   * Whose sound a part is.
   *
   * @param offset when the part began, after the recording did
   */
  record ParticipantPart(String participantId, Duration offset) {}

  /** A participant's file that was put together, with its number from 1 on. */
  private record JoinedTrack(int number, RecordingTrack track, BlobKey key, StoredBlob blob) {}

  static BlobKey key(String recordingId, int number) {
    return new BlobKey("recordings/%s/part-%06d".formatted(recordingId, number));
  }

  static void add(Tx tx, String recordingId, StoredPart part) {
    int _ =
        tx.sql(
                """
                insert into recording_parts
                  (recording_id, part, blob_key, blob_size, participant_id, offset_ms)
                values (?, ?, ?, ?, ?, ?)
                on conflict (recording_id, part) do update set blob_size = excluded.blob_size,
                  participant_id = excluded.participant_id, offset_ms = excluded.offset_ms
                """)
            .with(
                recordingId,
                part.number(),
                part.key().text(),
                part.size(),
                part.participant().map(ParticipantPart::participantId),
                part.participant().map(participant -> participant.offset().toMillis()))
            .update();
  }

  /** The parts of a recording, in their order. */
  static List<StoredPart> of(Tx tx, String recordingId) {
    return tx.sql(
            """
            select part, blob_key, blob_size, participant_id, offset_ms from recording_parts
            where recording_id = ? order by part
            """)
        .with(recordingId)
        .list(
            row ->
                new StoredPart(
                    row.intAt("part"),
                    new BlobKey(row.text("blob_key")),
                    row.longAt("blob_size"),
                    row.maybeText("participant_id")
                        .map(
                            id ->
                                new ParticipantPart(
                                    id, Duration.ofMillis(row.longAt("offset_ms"))))));
  }

  /** Whether a recording has this part, or any. */
  static boolean has(Tx tx, String recordingId, Optional<Integer> number) {
    return tx.sql(
            """
            select exists (
              select from recording_parts
              where recording_id = ? and (?::integer is null or part = ?)) as some
            """)
        .with(recordingId, number, number)
        .one(row -> row.booleanAt("some"));
  }

  /** How many bytes the parts of a recording have beside this one. */
  static long bytesBeside(Tx tx, String recordingId, int number) {
    return tx.sql(
            """
            select coalesce(sum(blob_size), 0)::bigint as bytes from recording_parts
            where recording_id = ? and part <> ?
            """)
        .with(recordingId, number)
        .one(row -> row.longAt("bytes"));
  }

  static void remove(Tx tx, String recordingId, int number) {
    int _ =
        tx.sql("delete from recording_parts where recording_id = ? and part = ?")
            .with(recordingId, number)
            .update();
  }

  /** Removes the rows of a recording's parts, whose blobs are then to be deleted. */
  static void delete(Tx tx, String recordingId) {
    int _ =
        tx.sql(
                """
                with removed as (
                  delete from recording_parts where recording_id = ?
                  returning recording_id, blob_key)
                """
                    + BlobsToDelete.INSERT)
            .with(recordingId)
            .update();
  }

  /** Puts a recording's files together; the parts go once they are stored. */
  StepResult assemble(StepClaim claim) throws IOException {
    List<StoredPart> parts = database.read(tx -> of(tx, claim.recordingId()));
    if (parts.isEmpty()) {
      return claim.row().audio().isPresent()
              || !database.read(tx -> RecordingTracks.keys(tx, claim.recordingId())).isEmpty()
          ? StepResult.StepDone.of("it was put together before")
          : new StepResult.StepFailedForGood("its parts are not kept any more");
    }
    List<StoredPart> whole = parts.stream().filter(it -> it.participant().isEmpty()).toList();
    Map<String, List<StoredPart>> apart = apart(parts);
    if (apart.size() > TRACKS_MAX) {
      return new StepResult.StepFailedForGood("it has " + apart.size() + " tracks");
    }
    BlobKey key = DownloadStep.key(claim.recordingId());
    Optional<StoredBlob> audio =
        whole.isEmpty()
            ? Optional.empty()
            : Optional.of(join.file(key, claim.order().run(), whole));
    List<JoinedTrack> tracks = new ArrayList<>();
    for (Map.Entry<String, List<StoredPart>> one : apart.entrySet()) {
      tracks.add(track(claim, tracks.size() + 1, one.getKey(), one.getValue()));
    }
    long bytes =
        audio.map(StoredBlob::size).orElse(0L)
            + tracks.stream().mapToLong(track -> track.blob().size()).sum();
    return new StepResult.StepDone(
        parts.size()
            + " parts, "
            + bytes
            + " bytes"
            + (tracks.isEmpty() ? "" : ", " + tracks.size() + " tracks"),
        tx -> {
          audio.ifPresent(blob -> DownloadStep.store(tx, claim.recordingId(), key, blob));
          RecordingTracks.add(
              tx, claim.recordingId(), tracks.stream().map(JoinedTrack::track).toList());
          tracks.forEach(
              track ->
                  RecordingTracks.stored(
                      tx, claim.recordingId(), track.number(), track.key(), track.blob()));
          delete(tx, claim.recordingId());
          tx.afterCommit(() -> forget(parts));
        });
  }

  /** The parts of each participant, in the order of their sound. */
  private static Map<String, List<StoredPart>> apart(List<StoredPart> parts) {
    Map<String, List<StoredPart>> apart = new LinkedHashMap<>();
    for (StoredPart part : parts) {
      part.participant()
          .ifPresent(
              participant ->
                  apart
                      .computeIfAbsent(participant.participantId(), _ -> new ArrayList<>())
                      .add(part));
    }
    apart.values().forEach(its -> its.sort(Comparator.comparing(StoredPart::offset)));
    return apart;
  }

  private JoinedTrack track(
      StepClaim claim, int number, String participantId, List<StoredPart> parts)
      throws IOException {
    BlobKey key = DownloadStep.trackKey(claim.recordingId(), number);
    return new JoinedTrack(
        number,
        new RecordingTrack(
            "bot:" + participantId, Optional.of(participantId), parts.getFirst().offset()),
        key,
        join.file(key, claim.order().run(), parts));
  }

  /** Deletes blobs that no row names; those that are left stay for a round or the audit. */
  void forget(List<StoredPart> parts) {
    for (StoredPart part : parts) {
      try {
        boolean _ = blobs.delete(part.key());
      } catch (IOException e) {
        log.info("a part of a recording is left in the store: {}", e.getMessage());
      }
    }
  }
}
