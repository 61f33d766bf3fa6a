package io.convoke.fakes.janus;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What is in an Ogg file with one stream of Opus; each page is checked (RFC 3533).
 *
 * @param packets without the two headers
 * @param samples where the last page ends, in samples of 48 kHz
 */
public record OggPackets(List<byte[]> packets, long samples) {
  private static final int HEADERS = 2;

  public OggPackets {
    packets = List.copyOf(packets);
  }

  /** Reads a file. */
  public static OggPackets of(byte[] ogg) {
    ByteBuffer in = ByteBuffer.wrap(ogg).order(ByteOrder.LITTLE_ENDIAN);
    List<byte[]> packets = new ArrayList<>();
    ByteArrayOutputStream packet = new ByteArrayOutputStream();
    long samples = 0;
    for (int page = 0; in.hasRemaining(); page++) {
      int from = in.position();
      byte[] tag = new byte[4];
      ByteBuffer _ = in.get(tag);
      require(new String(tag, StandardCharsets.US_ASCII).equals("OggS"), "a page begins", page);
      samples = in.getLong(from + 6);
      require(in.getInt(from + 18) == page, "pages are numbered", page);
      byte[] lacing = new byte[in.get(from + 26) & 0xff];
      ByteBuffer _ = in.position(from + 27).get(lacing);
      for (byte one : lacing) {
        byte[] part = new byte[one & 0xff];
        ByteBuffer _ = in.get(part);
        packet.writeBytes(part);
        if (part.length < 255) {
          packets.add(packet.toByteArray());
          packet.reset();
        }
      }
      require(
          in.getInt(from + 22) == checksum(ogg, from, in.position()), "the checksum holds", page);
    }
    return new OggPackets(packets.subList(HEADERS, packets.size()), samples);
  }

  private static void require(boolean holds, String what, int page) {
    if (!holds) {
      throw new AssertionError("page " + page + ": not so: " + what);
    }
  }

  /** Bit by bit, with zeros in the place of the checksum. */
  private static int checksum(byte[] bytes, int from, int to) {
    int sum = 0;
    for (int i = from; i < to; i++) {
      int one = i >= from + 22 && i < from + 26 ? 0 : bytes[i] & 0xff;
      sum ^= one << 24;
      for (int bit = 0; bit < 8; bit++) {
        sum = sum < 0 ? sum << 1 ^ 0x04c11db7 : sum << 1;
      }
    }
    return sum;
  }
}
