package io.convoke.server.recordings;

import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.transcribe.TranscriptSegment;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The rows of {@code recording_pieces}: transcripts of pieces, until the whole is stored. */
final class PieceStore {
  private final Database database;
  private final StepStore ledger;

  PieceStore(Database database, StepStore ledger) {
    this.database = database;
    this.ledger = ledger;
  }

  /**
   * Which piece.
   *
   * @param track 0 for a recording without tracks
   * @param plan the audio, the transcriber and the cut that it is of
   */
  record PieceKey(int track, int piece, String plan) {}

  /** The transcript of a piece, if it was stored under the same plan. */
  Optional<List<TranscriptSegment>> find(String recordingId, PieceKey key) {
    return database
        .read(
            tx ->
                tx.sql(
                        """
                        select segments from recording_pieces
                        where recording_id = ? and track = ? and piece = ? and plan = ?
                        """)
                    .with(recordingId, key.track(), key.piece(), key.plan())
                    .first(row -> row.json("segments")))
        .map(json -> Arrays.asList(Json.read(json, TranscriptSegment[].class)));
  }

  /**
   * Stores the transcript of a piece.
   *
   * @throws StepStore.StepClaimLost when another worker has claimed the step
   */
  void add(StepClaim claim, PieceKey key, List<TranscriptSegment> segments) {
    ledger.write(
        claim,
        tx -> {
          int _ =
              tx.sql(
                      """
                      insert into recording_pieces (recording_id, track, piece, plan, segments)
                      values (?, ?, ?, ?, ?) on conflict (recording_id, track, piece) do update
                        set plan = excluded.plan, segments = excluded.segments, created_at = now()
                      """)
                  .with(
                      claim.recordingId(),
                      key.track(),
                      key.piece(),
                      key.plan(),
                      Json.tree(segments))
                  .update();
        });
  }

  /** Deletes all pieces of a recording. */
  static void delete(Tx tx, String recordingId) {
    int _ =
        tx.sql("delete from recording_pieces where recording_id = ?").with(recordingId).update();
  }
}
