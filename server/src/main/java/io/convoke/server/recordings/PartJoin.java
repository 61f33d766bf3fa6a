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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/**
 * Makes one file of uploaded parts: one after the other, or of WAV their sound behind one header,
 * with silence where a participant's parts leave a gap. It is appended as one stream, since a store
 * in S3 writes up to eight megabytes anew at the end of each append, and parts are small.
 */
final class PartJoin {
  /** The canonical header of WAV, with the data right behind it. */
  private static final int WAV_HEADER = 44;

  /** Its lengths have 32 bits without a sign. */
  private static final long WAV_SIZE_MAX = 0xFFFF_FFFFL;

  /** What two channels of 48 kHz and 16 bits have in a second. */
  private static final int BYTE_RATE_MAX = 192_000;

  private static final byte[] SILENCE = new byte[1 << 20];

  private final BlobStore blobs;

  PartJoin(BlobStore blobs) {
    this.blobs = blobs;
  }

  /** What is opened when all before it was read. */
  @FunctionalInterface
  private interface JoinedContent {
    InputStream open() throws IOException;
  }

  /** Stores the file of these parts, which are in the order of their sound. */
  StoredBlob file(BlobKey key, int run, List<StoredPart> parts) throws IOException {
    PartialBlob partial = blobs.partial(key, "run-" + run);
    // A part of an earlier attempt may be in it.
    partial.discard();
    byte[] head = read(parts.getFirst());
    try (InputStream content = new JoinedStream(isWav(head) ? wav(head, parts) : all(parts, 0))) {
      long _ = partial.append(content, Long.MAX_VALUE);
    } catch (UncheckedIOException e) {
      throw e.getCause();
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

  private List<JoinedContent> wav(byte[] head, List<StoredPart> parts) {
    long[] gaps = gaps(head, parts);
    long sound = parts.stream().mapToLong(PartJoin::sound).sum() + Arrays.stream(gaps).sum();
    byte[] whole = Arrays.copyOf(head, WAV_HEADER);
    ByteBuffer sizes = ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer _ = sizes.putInt(4, wavSize(sound + WAV_HEADER - 8));
    ByteBuffer _ = sizes.putInt(40, wavSize(sound));
    List<JoinedContent> contents = new ArrayList<>();
    contents.add(() -> new ByteArrayInputStream(whole));
    for (int i = 0; i < gaps.length; i++) {
      addSilence(contents, gaps[i]);
      contents.addAll(all(List.of(parts.get(i)), WAV_HEADER));
    }
    return contents;
  }

  private static long sound(StoredPart part) {
    return Math.max(0, part.size() - WAV_HEADER);
  }

  /**
   * Bytes of silence before each part: what a sample lacks that the part before it left unfinished,
   * and a gap, which parts of the whole meeting have not.
   */
  private static long[] gaps(byte[] head, List<StoredPart> parts) {
    ByteBuffer format = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
    int told = format.getInt(28);
    // Without a rate that can be there are no gaps.
    int byteRate = told > 0 && told <= BYTE_RATE_MAX ? told : 0;
    int frame = format.getShort(32);
    long[] gaps = new long[parts.size()];
    if (frame <= 0) {
      return gaps;
    }
    Duration began = parts.getFirst().offset();
    long at = 0;
    for (int i = 0; i < gaps.length; i++) {
      long wanted = parts.get(i).offset().minus(began).toMillis() * byteRate / 1000;
      int rest = Math.floorMod(-at, frame);
      gaps[i] = rest + Math.max(0, wanted - at - rest) / frame * frame;
      at += gaps[i] + sound(parts.get(i));
    }
    return gaps;
  }

  /** Of a longer file than the header can say, the greatest length: readers go on to its end. */
  private static int wavSize(long bytes) {
    return (int) Math.min(bytes, WAV_SIZE_MAX);
  }

  private static void addSilence(List<JoinedContent> contents, long bytes) {
    for (long left = bytes; left > 0; left -= SILENCE.length) {
      int length = (int) Math.min(left, SILENCE.length);
      contents.add(() -> new ByteArrayInputStream(SILENCE, 0, length));
    }
  }

  /** Parts without their first bytes. */
  private List<JoinedContent> all(List<StoredPart> parts, int from) {
    return parts.stream()
        .filter(part -> part.size() > from)
        .<JoinedContent>map(
            part ->
                () ->
                    blobs
                        .open(part.key(), from)
                        .orElseThrow(() -> new IOException("a part is not in the store")))
        .toList();
  }

  /** Contents one after the other, of which one at a time is open. */
  private static final class JoinedStream extends InputStream {
    private final Iterator<JoinedContent> rest;
    private InputStream open = InputStream.nullInputStream();

    private JoinedStream(List<JoinedContent> contents) {
      this.rest = contents.iterator();
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) == 1 ? one[0] & 0xff : -1;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int read = open.read(into, offset, length);
      while (read < 0 && rest.hasNext()) {
        open.close();
        open = rest.next().open();
        read = open.read(into, offset, length);
      }
      return read;
    }

    @Override
    public void close() throws IOException {
      open.close();
    }
  }
}
