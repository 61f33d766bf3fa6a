package io.convoke.server.recordings;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore.StoredBlob;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import io.convoke.server.platform.RecordingSource.RecordingTrack;
import io.convoke.server.recordings.RecordingRow.StoredAudio;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The rows of {@code recording_tracks}: the files of recordings with a track per participant. */
final class RecordingTracks {
  /** Of an id, its last characters tell most. */
  private static final int UNNAMED_LENGTH = 8;

  private RecordingTracks() {}

  /**
   * A track of a recording.
   *
   * @param number from 1 on
   * @param speaker the name of its participant, where that is known
   * @param offset when it began, after the recording did
   * @param audio absent before it is stored
   */
  record StoredTrack(
      int number,
      String platformKey,
      Optional<String> speaker,
      Duration offset,
      Optional<StoredAudio> audio) {}

  /** Adds tracks that have no row yet. */
  static void add(Tx tx, String recordingId, List<RecordingTrack> tracks) {
    int _ =
        tx.sql(
                """
                insert into recording_tracks
                  (recording_id, track, platform_key, participant_id, offset_ms)
                select ?, track, platform_key, nullif(participant_id, ''), offset_ms
                from unnest(?::text[], ?::text[], ?::bigint[])
                  with ordinality as t (platform_key, participant_id, offset_ms, track)
                on conflict (recording_id, track) do update
                  set platform_key = excluded.platform_key,
                    participant_id = excluded.participant_id, offset_ms = excluded.offset_ms
                """)
            .with(
                recordingId,
                tracks.stream().map(RecordingTrack::key).toArray(String[]::new),
                tracks.stream()
                    .map(track -> track.participantId().orElse(""))
                    .toArray(String[]::new),
                tracks.stream().map(track -> track.offset().toMillis()).toArray(Long[]::new))
            .update();
  }

  /**
   * The tracks of a recording in their order, with the names that its meeting knows. Where an id is
   * used again, the name is that of the visit in which the track began.
   */
  static List<StoredTrack> of(Database database, String recordingId, long meetingId) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select t.*, (
                      select p.user_name from participant_sessions p
                      where p.meeting_id = ? and p.session_id = t.participant_id
                        and p.user_name is not null
                      order by
                        coalesce(t.began between p.joined_at - interval '1 s'
                          and coalesce(p.left_at, 'infinity'), false) desc,
                        abs(extract(epoch from p.joined_at - t.began)), p.joined_at desc
                      limit 1) as speaker
                    from (
                      select of.*, r.start_time + of.offset_ms * interval '1 ms' as began
                      from recording_tracks of join recordings r using (recording_id)
                      where recording_id = ?) t
                    order by track
                    """)
                .with(meetingId, recordingId)
                .list(RecordingTracks::track));
  }

  /** Notes where a track was stored. */
  static void stored(Tx tx, String recordingId, int number, BlobKey key, StoredBlob blob) {
    int _ =
        tx.sql(
                """
                update recording_tracks set blob_key = ?, blob_size = ?, blob_sha256 = ?
                where recording_id = ? and track = ?
                """)
            .with(key.text(), blob.size(), blob.sha256(), recordingId, number)
            .update();
  }

  /** The keys of a recording's stored tracks. */
  static List<String> keys(Tx tx, String recordingId) {
    return tx.sql(
            "select blob_key from recording_tracks where recording_id = ? and blob_key is not null")
        .with(recordingId)
        .list(row -> row.text("blob_key"));
  }

  private static StoredTrack track(ResultRow row) {
    return new StoredTrack(
        row.intAt("track"),
        row.text("platform_key"),
        row.maybeText("speaker")
            .or(() -> row.maybeText("participant_id").map(RecordingTracks::unnamed)),
        Duration.ofMillis(row.longAt("offset_ms")),
        row.maybeText("blob_key")
            .map(key -> new StoredAudio(key, row.longAt("blob_size"), row.text("blob_sha256"))));
  }

  /** A participant without a name still differs from the others. */
  private static String unnamed(String participantId) {
    return "Participant "
        + participantId.substring(Math.max(0, participantId.length() - UNNAMED_LENGTH));
  }
}
