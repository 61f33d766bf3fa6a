package io.convoke.server.platform.janus;

import io.convoke.server.platform.janus.MjrFile.MjrFrame;
import io.convoke.server.platform.janus.MjrFile.MjrHeader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * The sound of an {@link MjrFile} as Ogg with Opus (RFC 3533, RFC 7845), made while it is read and
 * the same each time: packets in their order, silence where there are none. Times follow the RTP
 * timestamps, unless they differ from the arrival by more than ten seconds; then the arrival.
 */
final class OpusOggStream extends InputStream {
  /** The longest track. */
  static final Duration LONGEST = Duration.ofHours(24);

  private static final int RATE = 48_000;
  private static final long SAMPLES_MAX = LONGEST.toSeconds() * RATE;

  /** Samples of a frame by the configuration of its packet (RFC 6716, table 2). */
  private static final int[] FRAME_SAMPLES = {
    480, 960, 1920, 2880, 480, 960, 1920, 2880, 480, 960, 1920, 2880, 480, 960, 480, 960,
    120, 240, 480, 960, 120, 240, 480, 960, 120, 240, 480, 960, 120, 240, 480, 960
  };

  /** Samples of the silent packet, 20 ms. */
  private static final int SILENCE_SAMPLES = 960;

  /** A frame of silence as WebRTC sends it. */
  private static final byte[] SILENCE = {(byte) 0xf8, (byte) 0xff, (byte) 0xfe};

  /** Packets that are held back to put late ones in their place: about a second. */
  private static final int REORDERED_MAX = 50;

  private static final int PACKETS_PER_PAGE = 50;
  private static final int SEGMENTS_MAX = 255;

  /** Opus has at most 120 ms in a packet, far below this. */
  private static final int PACKET_MAX = 8000;

  private static final long TRUSTED_DRIFT = 10L * RATE;
  private static final int BEGIN_OF_STREAM = 2;
  private static final int END_OF_STREAM = 4;
  private static final int SERIAL = 1;
  private static final int[] CRC = crcTable();

  private final MjrFile file;
  private final int redType;
  private final PriorityQueue<Sound> waiting =
      new PriorityQueue<>(Comparator.comparingLong(Sound::sequence));
  private final List<byte[]> packets = new ArrayList<>();
  private final ByteArrayOutputStream made = new ByteArrayOutputStream();
  private ByteBuffer page = ByteBuffer.allocate(0);
  private int segments;
  private int pages;
  private long samples;
  private long lastSequence = -1;
  private long newestSequence = -1;
  private int base;
  private boolean begun;
  private boolean ended;

  /** A packet with its place in the stream. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Sound(long sequence, int timestamp, long arrival, byte[] payload) {}

  /** Reads a file whose header has been read. */
  OpusOggStream(MjrFile file, MjrHeader header) {
    this.file = file;
    this.redType = header.redType();
    made.writeBytes(page(List.of(opusHead()), 0, BEGIN_OF_STREAM));
    made.writeBytes(page(List.of(opusTags()), 0, 0));
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) == 1 ? one[0] & 0xff : -1;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (!page.hasRemaining()) {
      fill();
      page = ByteBuffer.wrap(made.toByteArray());
      made.reset();
    }
    if (!page.hasRemaining()) {
      return -1;
    }
    int count = Math.min(length, page.remaining());
    ByteBuffer _ = page.get(target, offset, count);
    return count;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  /** Makes the next page, or the last one, unless there is one to give. */
  private void fill() throws IOException {
    while (made.size() == 0 && !ended) {
      readAhead();
      Sound next = waiting.poll();
      if (next == null || samples >= SAMPLES_MAX) {
        ended = true;
        flush(END_OF_STREAM);
      } else if (next.sequence() > lastSequence) {
        lastSequence = next.sequence();
        place(next);
      }
    }
  }

  /** Reads until enough packets are held back, or to the end of the file. */
  private void readAhead() throws IOException {
    boolean more = true;
    while (more && waiting.size() <= REORDERED_MAX) {
      Optional<MjrFrame> frame = file.next();
      frame.ifPresent(this::arrived);
      more = frame.isPresent();
    }
  }

  private void arrived(MjrFrame frame) {
    Optional<RtpPacket> parsed = RtpPacket.of(frame.packet(), redType);
    if (parsed.isEmpty() || parsed.get().payload().length > PACKET_MAX) {
      return;
    }
    RtpPacket packet = parsed.get();
    long sequence =
        newestSequence == -1
            ? packet.sequence() + (1L << 16)
            : newestSequence + (short) (packet.sequence() - newestSequence);
    newestSequence = Math.max(newestSequence, sequence);
    boolean _ =
        waiting.add(
            new Sound(
                sequence,
                packet.timestamp(),
                frame.at().toMillis() * (RATE / 1000),
                packet.payload()));
  }

  /** Writes a packet behind what is missing before it; one that lies in the past is dropped. */
  private void place(Sound sound) {
    // Timestamps wrap around after a day; the difference to what was written does not.
    long position = samples + (sound.timestamp() - base - (int) samples);
    if (!begun || Math.abs(position - sound.arrival()) > TRUSTED_DRIFT) {
      begun = true;
      base = sound.timestamp() - (int) sound.arrival();
      position = sound.arrival();
    }
    // However far a packet jumps, the silence before it ends with the longest track.
    position = Math.min(position, SAMPLES_MAX);
    while (position - samples >= SILENCE_SAMPLES) {
      add(SILENCE, SILENCE_SAMPLES);
    }
    int length = samples(sound.payload());
    if (position + length > samples) {
      add(sound.payload(), length);
    }
  }

  private void add(byte[] packet, int length) {
    int needed = packet.length / 255 + 1;
    if (segments + needed > SEGMENTS_MAX || packets.size() == PACKETS_PER_PAGE) {
      flush(0);
    }
    boolean _ = packets.add(packet);
    segments += needed;
    samples += length;
  }

  private void flush(int flags) {
    made.writeBytes(page(packets, samples, flags));
    packets.clear();
    segments = 0;
  }

  /** The samples of a packet, as its first bytes tell (RFC 6716, 3.1). */
  static int samples(byte[] packet) {
    int frame = FRAME_SAMPLES[(packet[0] & 0xff) >> 3];
    return switch (packet[0] & 3) {
      case 0 -> frame;
      case 1, 2 -> 2 * frame;
      default -> packet.length > 1 ? (packet[1] & 0x3f) * frame : 0;
    };
  }

  private byte[] page(List<byte[]> content, long granule, int flags) {
    int lacing = content.stream().mapToInt(packet -> packet.length / 255 + 1).sum();
    int body = content.stream().mapToInt(packet -> packet.length).sum();
    ByteBuffer bytes = ByteBuffer.allocate(27 + lacing + body).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer _ = bytes.put(ascii("OggS")).put((byte) 0).put((byte) flags).putLong(granule);
    ByteBuffer _ = bytes.putInt(SERIAL).putInt(pages++).putInt(0).put((byte) lacing);
    for (byte[] packet : content) {
      for (int left = packet.length; left >= 0; left -= 255) {
        ByteBuffer _ = bytes.put((byte) Math.min(255, left));
      }
    }
    for (byte[] packet : content) {
      ByteBuffer _ = bytes.put(packet);
    }
    ByteBuffer _ = bytes.putInt(22, crc(bytes.array()));
    return bytes.array();
  }

  private static byte[] opusHead() {
    return ByteBuffer.allocate(19)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(ascii("OpusHead"))
        .put((byte) 1)
        .put((byte) 2)
        .putShort((short) 0)
        .putInt(RATE)
        .putShort((short) 0)
        .put((byte) 0)
        .array();
  }

  private static byte[] opusTags() {
    byte[] vendor = ascii("convoke");
    return ByteBuffer.allocate(16 + vendor.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(ascii("OpusTags"))
        .putInt(vendor.length)
        .put(vendor)
        .putInt(0)
        .array();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static int crc(byte[] bytes) {
    int crc = 0;
    for (byte one : bytes) {
      crc = (crc << 8) ^ CRC[(crc >>> 24) ^ (one & 0xff)];
    }
    return crc;
  }

  private static int[] crcTable() {
    int[] table = new int[256];
    for (int i = 0; i < table.length; i++) {
      int value = i << 24;
      for (int bit = 0; bit < 8; bit++) {
        value = (value << 1) ^ (value < 0 ? 0x04c11db7 : 0);
      }
      table[i] = value;
    }
    return table;
  }
}
