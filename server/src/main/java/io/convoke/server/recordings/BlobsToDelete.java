package io.convoke.server.recordings;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.BlobStore.BlobInfo;
import io.convoke.agent.blobs.BlobStore.BlobPage;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Blobs of recordings that are to be deleted: rows of {@code blobs_to_delete}, from the transaction
 * that takes the keys out of the other rows until the store has deleted the blobs. So a store that
 * is away, or a server that dies in between, only delays a deletion. A failed one is repeated after
 * those that were not tried since.
 *
 * <p>The audio's key of a deleted recording stands for all that the store has of it, since a step
 * stores files before a row names them.
 */
final class BlobsToDelete {
  private static final Logger log = LoggerFactory.getLogger(BlobsToDelete.class);
  private static final int BATCH = 200;

  /** A store that fails this often in a round is away. */
  private static final int FAILURES_MAX = 10;

  /** Adds the blobs of a query {@code removed}, in the statement that takes their keys away. */
  static final String INSERT =
      """
      insert into blobs_to_delete (blob_key, recording_id)
      select distinct on (blob_key) blob_key, recording_id from removed
      on conflict (blob_key) do update set failed_at = null
      """;

  private final Database database;
  private final BlobStore blobs;

  BlobsToDelete(Database database, BlobStore blobs) {
    this.database = database;
    this.blobs = blobs;
  }

  /**
   * A blob.
   *
   * @param named whether a row names it again, because it was downloaded once more
   * @param deletedRecording the recording that it is of, if that is deleted
   */
  private record DueBlob(String key, boolean named, Optional<String> deletedRecording) {}

  /** Adds the blobs of a recording, in the transaction that takes their keys out of its rows. */
  static void add(Tx tx, String recordingId, List<String> keys) {
    int _ =
        tx.sql(
                "with removed as (select ?::text as recording_id, t.blob_key"
                    + " from unnest(?::text[]) as t (blob_key)) "
                    + INSERT)
            .with(recordingId, keys.toArray(String[]::new))
            .update();
  }

  /** Deletes all that are due; false if the store seems to be away. */
  boolean delete() {
    return delete(Optional.empty(), FAILURES_MAX);
  }

  /** Deletes those of a recording up to the first failure, after which a round repeats it. */
  void delete(String recordingId) {
    boolean _ = delete(Optional.of(recordingId), 1);
  }

  /**
   * Deletes what a step has stored of a recording that was deleted meanwhile, and nothing of any
   * other. The step calls it before it ends, and is repeated if its server dies before.
   */
  void deleteLate(String recordingId) {
    boolean late =
        database.read(
            tx ->
                tx.sql(
                        """
                        select exists (
                          select from recordings where recording_id = ? and deleted_at is not null)
                          as late
                        """)
                    .with(recordingId)
                    .one(resultRow -> resultRow.booleanAt("late")));
    if (late && !deletedAll(recordingId)) {
      database.run(tx -> add(tx, recordingId, List.of(DownloadStep.key(recordingId).text())));
    }
  }

  private boolean delete(Optional<String> recordingId, int failuresMax) {
    List<String> failed = new ArrayList<>();
    boolean more = true;
    while (more && failed.size() < failuresMax) {
      List<String> over = new ArrayList<>();
      for (DueBlob blob : due(recordingId)) {
        if (failed.size() < failuresMax) {
          List<String> result = blob.named() || deleted(blob) ? over : failed;
          result.add(blob.key());
        }
      }
      store(over, failed);
      more = !over.isEmpty();
    }
    return failed.size() < failuresMax;
  }

  /** Those of a recording that is worked on wait, since its steps may store under the same keys. */
  private List<DueBlob> due(Optional<String> recordingId) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select d.blob_key,
                      exists (select from recordings r where r.blob_key = d.blob_key)
                        or exists (select from recording_tracks t where t.blob_key = d.blob_key)
                        or exists (select from recording_parts p where p.blob_key = d.blob_key)
                        as named,
                      (select g.recording_id from recordings g
                        where g.recording_id = d.recording_id and g.deleted_at is not null)
                        as deleted_recording
                    from blobs_to_delete d
                    where (?::text is null or d.recording_id = ?)
                      and not exists (
                        select from recordings r
                        where r.recording_id = d.recording_id and r.deleted_at is null
                          and r.status in ('ready', 'processing'))
                    order by d.failed_at nulls first, d.blob_key limit ?
                    """)
                .with(recordingId, recordingId, BATCH)
                .list(
                    resultRow ->
                        new DueBlob(
                            resultRow.text("blob_key"),
                            resultRow.booleanAt("named"),
                            resultRow.maybeText("deleted_recording"))));
  }

  private boolean deleted(DueBlob blob) {
    return deleted(blob.key())
        && blob.deletedRecording()
            .filter(id -> DownloadStep.key(id).text().equals(blob.key()))
            .map(this::deletedAll)
            .orElse(true);
  }

  /** Deletes all of a recording up to the first failure. */
  private boolean deletedAll(String recordingId) {
    try {
      Optional<String> after = Optional.empty();
      do {
        BlobPage page = blobs.list(DownloadStep.folder(recordingId), after, BlobStore.PAGE_MAX);
        for (BlobInfo blob : page.blobs()) {
          if (!deleted(blob.key())) {
            return false;
          }
        }
        after = page.next();
      } while (after.isPresent());
      return true;
    } catch (IOException e) {
      log.info("what is left of recording {} is deleted later: {}", recordingId, e.getMessage());
      return false;
    }
  }

  private boolean deleted(String key) {
    try {
      boolean _ = blobs.delete(new BlobKey(key));
      return true;
    } catch (IOException e) {
      log.info("{} is deleted later: {}", key, e.getMessage());
      return false;
    }
  }

  private void store(List<String> over, List<String> failed) {
    if (over.isEmpty() && failed.isEmpty()) {
      return;
    }
    database.run(
        tx ->
            tx.run(
                List.of(
                    tx.sql("delete from blobs_to_delete where blob_key = any(?)")
                        .with((Object) over.toArray(String[]::new)),
                    tx.sql("update blobs_to_delete set failed_at = now() where blob_key = any(?)")
                        .with((Object) failed.toArray(String[]::new)))));
  }
}
