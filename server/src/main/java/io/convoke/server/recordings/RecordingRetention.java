package io.convoke.server.recordings;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.BlobStore.BlobInfo;
import io.convoke.agent.process.WorkFolder;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.sql.Database;
import io.convoke.server.loop.PeriodicTask;
import io.convoke.server.meetings.MeetingTranscriptStore;
import io.convoke.server.summaries.SummaryStore;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Retention and deletion of audio, and the comparison of store and rows. The rows of audio are
 * changed first, and its blobs are deleted after the commit, at the latest by a later round.
 */
final class RecordingRetention implements AutoCloseable {
  private static final Duration ROUND = Duration.ofHours(1);
  private static final Duration PARTIALS_KEPT = Duration.ofDays(2);
  private static final String PREFIX = "recordings/";
  private static final int BATCH = 200;

  /** A blob that is younger may belong to a step that is about to be committed. */
  private static final Duration YOUNG = Duration.ofHours(1);

  private static final int SHOWN_MAX = 1000;

  private final Database database;
  private final Journal journal;
  private final MeetingTranscriptStore meetingTranscriptStore;
  private final BlobStore blobs;
  private final BlobsToDelete blobsToDelete;
  private final MeetingSyncReporter sync;
  private final RecordingConfig terms;
  private final InstantSource time;
  private final PeriodicTask task = new PeriodicTask("recordings-retention", ROUND, this::round);

  RecordingRetention(
      Database database,
      Journal journal,
      MeetingTranscriptStore meetingTranscriptStore,
      BlobStore blobs,
      MeetingSyncReporter sync,
      RecordingConfig terms,
      InstantSource time) {
    this.database = database;
    this.journal = journal;
    this.meetingTranscriptStore = meetingTranscriptStore;
    this.blobs = blobs;
    this.blobsToDelete = new BlobsToDelete(database, blobs);
    this.sync = sync;
    this.terms = terms;
    this.time = time;
  }

  /** A row whose audio is not in the store, or not as it was. */
  record MissingAudio(String recordingId, String key, String what) {}

  /**
   * The result of comparing store and rows.
   *
   * @param orphans keys of blobs without a row; at most a thousand are shown
   * @param missing rows without their blob; at most a thousand are shown
   * @param repaired how many orphans were deleted and rows repaired
   */
  record StorageAudit(
      long blobs, long rows, List<String> orphans, List<MissingAudio> missing, int repaired) {}

  private record KeptAudio(String id, String key, long size) {}

  void start() {
    task.startAfter(ROUND);
  }

  @Override
  public void close() {
    task.close();
  }

  private Duration round() throws IOException {
    int _ = tidy();
    return ROUND;
  }

  /**
   * Deletes audio past its retention, and what could not be deleted before; returns how many
   * recordings lost theirs.
   */
  int tidy() throws IOException {
    boolean _ = blobsToDelete.delete();
    int recordings = terms.retention().map(this::expire).orElse(0);
    int _ = blobs.deletePartials(time.instant().minus(PARTIALS_KEPT));
    int _ = WorkFolder.deleteAbandoned(Instant.now().minus(PARTIALS_KEPT));
    return recordings;
  }

  private int expire(Duration retention) {
    return batches(() -> expired(retention))
        + batches(() -> expiredTracks(retention))
        + batches(() -> expiredParts(retention));
  }

  /** How many recordings lost audio; nothing more is removed while the store is away. */
  private int batches(Supplier<List<String>> expired) {
    int recordings = 0;
    List<String> batch;
    do {
      batch = expired.get();
      recordings += (int) batch.stream().distinct().count();
    } while (blobsToDelete.delete() && !batch.isEmpty());
    return recordings;
  }

  /**
   * Removes the rows of some parts that were never put together; returns their recordings. A step
   * that failed may have stored some of the files, one for each participant and one of the whole,
   * which no row names.
   */
  private List<String> expiredParts(Duration retention) {
    return database.transaction(
        tx ->
            tx.sql(
                    """
                    with expired as (
                      select p.recording_id, p.part, p.blob_key
                      from recording_parts p join recordings r on r.recording_id = p.recording_id
                      where r.status in ('done', 'failed', 'given_up', 'cancelled', 'empty')
                        and r.state_entered_at < now() - ? * interval '1 millisecond'
                      order by r.state_entered_at limit ? for update of p skip locked),
                    changed as (
                      delete from recording_parts p using expired o
                      where p.recording_id = o.recording_id and p.part = o.part),
                    removed as (
                      select recording_id, blob_key from expired
                      union all
                      select o.recording_id, 'recordings/' || o.recording_id
                        || case n when 0 then '/audio' else '/track-' || n end
                      from (select distinct recording_id from expired) o,
                        generate_series(0, (
                          select count(distinct p.participant_id) from recording_parts p
                          where p.recording_id = o.recording_id)) n)
                    """
                        + BlobsToDelete.INSERT
                        + "returning recording_id")
                .with(retention, BATCH)
                .list(resultRow -> resultRow.text("recording_id")));
  }

  /** Removes the blobs of some tracks from their rows; returns their recordings. */
  private List<String> expiredTracks(Duration retention) {
    return database.transaction(
        tx ->
            tx.sql(
                    """
                    with removed as (
                      select t.recording_id, t.track, t.blob_key
                      from recording_tracks t join recordings r on r.recording_id = t.recording_id
                      where t.blob_key is not null
                        and r.status in ('done', 'failed', 'given_up', 'cancelled', 'empty')
                        and r.state_entered_at < now() - ? * interval '1 millisecond'
                      order by r.state_entered_at limit ? for update of t skip locked),
                    changed as (
                      update recording_tracks t set blob_key = null, blob_sha256 = null
                      from removed o where t.recording_id = o.recording_id and t.track = o.track)
                    """
                        + BlobsToDelete.INSERT
                        + "returning recording_id")
                .with(retention, BATCH)
                .list(resultRow -> resultRow.text("recording_id")));
  }

  /** Removes the blobs of some recordings from their rows; returns these recordings. */
  private List<String> expired(Duration retention) {
    return database.transaction(
        tx ->
            tx.sql(
                    """
                    with removed as (
                      select recording_id, blob_key from recordings
                      where blob_key is not null
                        and status in ('done', 'failed', 'given_up', 'cancelled', 'empty')
                        and state_entered_at < now() - ? * interval '1 millisecond'
                      order by state_entered_at limit ? for update skip locked),
                    changed as (
                      update recordings r set blob_key = null, blob_sha256 = null
                      from removed o where r.recording_id = o.recording_id)
                    """
                        + BlobsToDelete.INSERT
                        + "returning recording_id")
                .with(retention, BATCH)
                .list(resultRow -> resultRow.text("recording_id")));
  }

  /**
   * Deletes a recording with its transcript, audio and documents; the id stays known as deleted. A
   * store that is away deletes the audio later, and a step that is at work what it stores after.
   */
  boolean delete(RecordingRow row, String actor) {
    return database.transaction(
        tx -> {
          Optional<RecordingRow> before = RecordingTransitions.lock(tx, row.id());
          int updated =
              tx.sql(
                      """
                      update recordings set deleted_at = now(), updated_at = now(),
                        epoch = epoch + 1, transcript_open = false, blob_key = null,
                        blob_sha256 = null
                      where recording_id = ? and deleted_at is null
                      """)
                  .with(row.id())
                  .update();
          if (updated == 0) {
            return false;
          }
          int _ =
              tx.sql("delete from recording_documents where recording_id = ?")
                  .with(row.id())
                  .update();
          PieceStore.delete(tx, row.id());
          RecordingParts.delete(tx, row.id());
          WaveformStore.delete(tx, row.id());
          List<String> keys = new ArrayList<>(RecordingTracks.keys(tx, row.id()));
          keys.add(DownloadStep.key(row.id()).text());
          BlobsToDelete.add(tx, row.id(), keys);
          int _ =
              tx.sql("delete from recording_tracks where recording_id = ?").with(row.id()).update();
          row.meetingId()
              .ifPresent(
                  meeting -> {
                    meetingTranscriptStore.forget(
                        tx, meeting, MeetingTranscriptStore.ofRecording(row.id()));
                    SummaryStore.forget(tx, journal, meeting, actor);
                  });
          journal.append(
              tx,
              List.of(
                  NewJournalEvent.of(
                      "recording.deleted",
                      "recording:" + row.id(),
                      row.userId(),
                      Map.of("recording_id", row.id(), "actor", actor))));
          before.ifPresent(it -> sync.deleted(tx, it));
          tx.afterCommit(() -> blobsToDelete.delete(row.id()));
          return true;
        });
  }

  /** Compares store and rows both ways; with {@code repair} it also repairs the differences. */
  StorageAudit audit(boolean repair) throws IOException {
    List<String> orphans = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    long all = 0;
    Instant young = time.instant().minus(YOUNG);
    Optional<String> after = Optional.empty();
    do {
      BlobStore.BlobPage blobPage = blobs.list(PREFIX, after, BlobStore.PAGE_MAX);
      Set<String> known = known(blobPage.blobs());
      for (BlobInfo blobInfo : blobPage.blobs()) {
        all++;
        if (!known.contains(blobInfo.key()) && blobInfo.storedAt().isBefore(young)) {
          orphans.add(blobInfo.key());
        } else {
          boolean _ = seen.add(blobInfo.key() + " " + blobInfo.size());
        }
      }
      after = blobPage.next();
    } while (after.isPresent());
    List<MissingAudio> missing = new ArrayList<>();
    long rows = 0;
    String from = "";
    for (List<KeptAudio> batch = rows(from); !batch.isEmpty(); batch = rows(from)) {
      for (KeptAudio keptAudio : batch) {
        rows++;
        from = keptAudio.key();
        if (!seen.contains(keptAudio.key() + " " + keptAudio.size())) {
          fault(keptAudio).ifPresent(missing::add);
        }
      }
    }
    int repaired = repair ? repair(orphans, missing) : 0;
    return new StorageAudit(all, rows, shown(orphans), shown(missing), repaired);
  }

  /** Check again: it may be newer than the listing. */
  private Optional<MissingAudio> fault(KeptAudio keptAudio) throws IOException {
    Optional<BlobInfo> blob = blobs.stat(new BlobKey(keptAudio.key()));
    if (blob.isEmpty()) {
      return Optional.of(new MissingAudio(keptAudio.id(), keptAudio.key(), "not in the store"));
    }
    return blob.get().size() == keptAudio.size()
        ? Optional.empty()
        : Optional.of(
            new MissingAudio(
                keptAudio.id(),
                keptAudio.key(),
                blob.get().size() + " bytes instead of " + keptAudio.size()));
  }

  private int repair(List<String> orphans, List<MissingAudio> missing) throws IOException {
    int repaired = 0;
    for (String key : orphans) {
      repaired += blobs.delete(new BlobKey(key)) ? 1 : 0;
    }
    for (MissingAudio row : missing) {
      repaired +=
          database.read(
              tx ->
                  tx.sql(
                          """
                          with whole as (
                            update recordings set blob_key = null, blob_sha256 = null
                            where recording_id = ? and blob_key = ? returning 1),
                          track as (
                            update recording_tracks set blob_key = null, blob_sha256 = null
                            where recording_id = ? and blob_key = ? returning 1),
                          part as (
                            delete from recording_parts
                            where recording_id = ? and blob_key = ? returning 1)
                          select count(*) as n from (
                            select * from whole union all select * from track
                            union all select * from part) as repaired
                          """)
                      .with(
                          row.recordingId(),
                          row.key(),
                          row.recordingId(),
                          row.key(),
                          row.recordingId(),
                          row.key())
                      .one(resultRow -> (int) resultRow.longAt("n")));
    }
    return repaired;
  }

  private Set<String> known(List<BlobInfo> page) {
    String[] keys = page.stream().map(BlobInfo::key).toArray(String[]::new);
    return new HashSet<>(
        database.read(
            tx ->
                tx.sql(
                        """
                        select blob_key from recordings where blob_key = any(?)
                        union all select blob_key from recording_tracks where blob_key = any(?)
                        union all select blob_key from recording_parts where blob_key = any(?)
                        """)
                    .with(keys, keys, keys)
                    .list(resultRow -> resultRow.text("blob_key"))));
  }

  private List<KeptAudio> rows(String after) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select recording_id, blob_key, blob_size from recordings
                    where blob_key is not null and blob_key > ?
                    union all
                    select recording_id, blob_key, blob_size from recording_tracks
                    where blob_key is not null and blob_key > ?
                    union all
                    select recording_id, blob_key, blob_size from recording_parts
                    where blob_key > ?
                    order by blob_key limit ?
                    """)
                .with(after, after, after, BATCH)
                .list(RecordingRetention::kept));
  }

  private static KeptAudio kept(io.convoke.engine.sql.ResultRow resultRow) {
    return new KeptAudio(
        resultRow.text("recording_id"), resultRow.text("blob_key"), resultRow.longAt("blob_size"));
  }

  private static <T> List<T> shown(List<T> all) {
    return List.copyOf(all.subList(0, Math.min(SHOWN_MAX, all.size())));
  }
}
