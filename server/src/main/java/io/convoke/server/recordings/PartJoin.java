package io.convoke.server.recordings;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.BlobStore.StoredBlob;
import io.convoke.agent.blobs.PartialBlob;
import io.convoke.server.recordings.RecordingParts.StoredPart;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * Makes one file of uploaded parts: one after the other, or of WAV their sound behind one header,
 * with silence where a participant's parts leave a gap.
 */
final class PartJoin {
  /** The canonical header of WAV, with the data right behind it. */
  private static final int WAV_HEADER = 44;

  /** Its lengths have 32 bits without a sign. */
  private static final long WAV_SIZE_MAX = 0xFFFF_FFFFL;

  /** What two channels of 48 kHz and 16 bits have in a second. */
  private static final int BYTE_RATE_MAX = 192_000;

  private static final int SILENCE = 1 << 20;

  private final BlobStore blobs;

  PartJoin(BlobStore blobs) {
    this.blobs = blobs;
  }

  /** Stores the file of these parts, which are in the order of their sound. */
  StoredBlob file(BlobKey key, StepClaim claim, List<StoredPart> parts) throws IOException {
    PartialBlob partial = blobs.partial(key, "run-" + claim.order().run());
    // A part of an earlier attempt may be in it.
    partial.discard();
    byte[] head = read(parts.getFirst());
    if (isWav(head)) {
      appendWav(partial, head, parts);
    } else {
      for (StoredPart part : parts) {
        append(partial, part, 0);
      }
    }
    return partial.complete();
  }

  private byte[] read(StoredPart first) throws IOException {
    return blobs
        .read(first.key(), 0, WAV_HEADER)
        .orElseThrow(() -> new IOException("a part is not in the store"));
  }

  private static boolean isWav(byte[] head) {
    return head.length == WAV_HEADER
        && text(head, 0).equals("RIFF")
        && text(head, 8).equals("WAVE")
        && text(head, 36).equals("data");
  }

  private static String text(byte[] bytes, int from) {
    return new String(bytes, from, 4, StandardCharsets.ISO_8859_1);
  }

  private void appendWav(PartialBlob partial, byte[] head, List<StoredPart> parts)
      throws IOException {
    long[] gaps = gaps(head, parts);
    long sound =
        parts.stream().mapToLong(PartJoin::sound).sum() + Arrays.stream(gaps).sum();
    byte[] whole = Arrays.copyOf(head, WAV_HEADER);
    ByteBuffer sizes = ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer _ = sizes.putInt(4, wavSize(sound + WAV_HEADER - 8));
    ByteBuffer _ = sizes.putInt(40, wavSize(sound));
    long _ = partial.append(new ByteArrayInputStream(whole), WAV_HEADER);
    for (int i = 0; i < gaps.length; i++) {
      appendSilence(partial, gaps[i]);
      append(partial, parts.get(i), WAV_HEADER);
    }
  }

  private static long sound(StoredPart part) {
    return Math.max(0, part.size() - WAV_HEADER);
  }

  /** Bytes of silence before each part. Parts of the whole meeting have no gaps. */
  private static long[] gaps(byte[] head, List<StoredPart> parts) {
    ByteBuffer format = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
    int byteRate = format.getInt(28);
    int frame = format.getShort(32);
    long[] gaps = new long[parts.size()];
    if (byteRate <= 0 || byteRate > BYTE_RATE_MAX || frame <= 0) {
      return gaps;
    }
    Duration began = parts.getFirst().offset();
    long at = 0;
    for (int i = 0; i < gaps.length; i++) {
      long wanted = parts.get(i).offset().minus(began).toMillis() * byteRate / 1000;
      gaps[i] = Math.max(0, wanted - at) / frame * frame;
      at += gaps[i] + sound(parts.get(i));
    }
    return gaps;
  }

  /** Of a longer file than the header can say, the greatest length: readers go on to its end. */
  private static int wavSize(long bytes) {
    return (int) Math.min(bytes, WAV_SIZE_MAX);
  }

  private static void appendSilence(PartialBlob partial, long bytes) throws IOException {
    byte[] silence = new byte[(int) Math.min(bytes, SILENCE)];
    for (long left = bytes; left > 0; left -= silence.length) {
      long _ = partial.append(new ByteArrayInputStream(silence), Math.min(left, silence.length));
    }
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
