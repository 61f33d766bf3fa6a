package io.convoke.server.recordings;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.BlobStore.StoredBlob;
import io.convoke.agent.blobs.PartialBlob;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of recordings that bots upload, each a blob, and the one file that becomes of them: one
 * after the other, or of WAV their sound behind one header.
 */
final class RecordingParts {
  /** The kind of a recording that comes in parts. */
  static final String KIND = "bot";

  private static final Logger log = LoggerFactory.getLogger(RecordingParts.class);

  /** The canonical header of WAV, with the data right behind it. */
  private static final int WAV_HEADER = 44;

  /** Its lengths have 32 bits without a sign. */
  private static final long WAV_SIZE_MAX = 0xFFFF_FFFFL;

  private final Database database;
  private final BlobStore blobs;

  RecordingParts(Database database, BlobStore blobs) {
    this.database = database;
    this.blobs = blobs;
  }

  /** A stored part. */
  record StoredPart(int number, BlobKey key, long size) {}

  static BlobKey key(String recordingId, int number) {
    return new BlobKey("recordings/%s/part-%06d".formatted(recordingId, number));
  }

  static void add(Tx tx, String recordingId, StoredPart part) {
    int _ =
        tx.sql(
                """
                insert into recording_parts (recording_id, part, blob_key, blob_size)
                values (?, ?, ?, ?)
                on conflict (recording_id, part) do update set blob_size = excluded.blob_size
                """)
            .with(recordingId, part.number(), part.key().text(), part.size())
            .update();
  }

  /** The parts of a recording, in their order. */
  static List<StoredPart> of(Tx tx, String recordingId) {
    return tx.sql(
            """
            select part, blob_key, blob_size from recording_parts
            where recording_id = ? order by part
            """)
        .with(recordingId)
        .list(
            row ->
                new StoredPart(
                    row.intAt("part"), new BlobKey(row.text("blob_key")), row.longAt("blob_size")));
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

  static void delete(Tx tx, String recordingId) {
    int _ = tx.sql("delete from recording_parts where recording_id = ?").with(recordingId).update();
  }

  /** Puts a recording's file together; the parts go once it is stored. */
  StepResult assemble(StepClaim claim) throws IOException {
    List<StoredPart> parts = database.read(tx -> of(tx, claim.recordingId()));
    if (parts.isEmpty()) {
      return claim.row().audio().isPresent()
          ? StepResult.StepDone.of("it was put together before")
          : new StepResult.StepFailedForGood("its parts are not kept any more");
    }
    BlobKey key = DownloadStep.key(claim.recordingId());
    PartialBlob partial = blobs.partial(key, "run-" + claim.order().run());
    // A part of an earlier attempt may be in it.
    partial.discard();
    if (isWav(parts.getFirst())) {
      appendWav(partial, parts);
    } else {
      for (StoredPart part : parts) {
        append(partial, part, 0);
      }
    }
    StoredBlob storedBlob = partial.complete();
    return new StepResult.StepDone(
        parts.size() + " parts, " + storedBlob.size() + " bytes",
        tx -> {
          DownloadStep.store(tx, claim.recordingId(), key, storedBlob);
          delete(tx, claim.recordingId());
          tx.afterCommit(() -> forget(parts));
        });
  }

  /** Deletes blobs; the audit finds those that are left. */
  void forget(List<StoredPart> parts) {
    for (StoredPart part : parts) {
      try {
        boolean _ = blobs.delete(part.key());
      } catch (IOException e) {
        log.info("a part of a recording is left in the store: {}", e.getMessage());
      }
    }
  }

  private boolean isWav(StoredPart first) throws IOException {
    byte[] head =
        blobs
            .read(first.key(), 0, WAV_HEADER)
            .orElseThrow(() -> new IOException("a part is not in the store"));
    return head.length == WAV_HEADER
        && text(head, 0).equals("RIFF")
        && text(head, 8).equals("WAVE")
        && text(head, 36).equals("data");
  }

  private static String text(byte[] bytes, int from) {
    return new String(bytes, from, 4, StandardCharsets.ISO_8859_1);
  }

  private void appendWav(PartialBlob partial, List<StoredPart> parts) throws IOException {
    byte[] head =
        blobs
            .read(parts.getFirst().key(), 0, WAV_HEADER)
            .orElseThrow(() -> new IOException("a part is not in the store"));
    long sound = parts.stream().mapToLong(part -> Math.max(0, part.size() - WAV_HEADER)).sum();
    byte[] whole = Arrays.copyOf(head, WAV_HEADER);
    ByteBuffer sizes = ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer _ = sizes.putInt(4, wavSize(sound + WAV_HEADER - 8));
    ByteBuffer _ = sizes.putInt(40, wavSize(sound));
    long _ = partial.append(new ByteArrayInputStream(whole), WAV_HEADER);
    for (StoredPart part : parts) {
      append(partial, part, WAV_HEADER);
    }
  }

  /** Of a longer file than the header can say, the greatest length: readers go on to its end. */
  private static int wavSize(long bytes) {
    return (int) Math.min(bytes, WAV_SIZE_MAX);
  }

  private void append(PartialBlob partial, StoredPart part, int from) throws IOException {
    if (part.size() <= from) {
      return;
    }
    try (InputStream content =
        blobs
            .open(part.key(), from)
            .orElseThrow(() -> new IOException("a part is not in the store"))) {
      long _ = partial.append(content, Long.MAX_VALUE);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
