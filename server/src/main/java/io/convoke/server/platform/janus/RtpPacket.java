package io.convoke.server.platform.janus;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * What is needed of an RTP packet with Opus (RFC 3550, RFC 7587); its payload is never compared.
 *
 * @param sequence of 16 bits
 * @param timestamp of 32 bits, in samples of 48 kHz
 */
@SuppressWarnings("ArrayRecordComponent")
record RtpPacket(int sequence, int timestamp, byte[] payload) {
  private static final int FIXED = 12;
  private static final int VERSION = 2;

  /**
   * Parses a packet; empty if it is damaged or has no payload.
   *
   * @param redType the payload type of packets whose last block is the new one (RFC 2198), or -1
   */
  static Optional<RtpPacket> of(byte[] packet, int redType) {
    if (packet.length < FIXED || (packet[0] & 0xc0) >> 6 != VERSION) {
      return Optional.empty();
    }
    ByteBuffer bytes = ByteBuffer.wrap(packet);
    int from = FIXED + 4 * (packet[0] & 0x0f);
    if ((packet[0] & 0x10) != 0) {
      if (packet.length < from + 4) {
        return Optional.empty();
      }
      from += 4 + 4 * Short.toUnsignedInt(bytes.getShort(from + 2));
    }
    int to = packet.length - ((packet[0] & 0x20) != 0 ? packet[packet.length - 1] & 0xff : 0);
    if ((packet[1] & 0x7f) == redType) {
      from = newest(packet, from, to);
    }
    return from < to
        ? Optional.of(
            new RtpPacket(
                Short.toUnsignedInt(bytes.getShort(2)),
                bytes.getInt(4),
                Arrays.copyOfRange(packet, from, to)))
        : Optional.empty();
  }

  /** Where the last block begins: behind the headers of all, and the blocks before it. */
  private static int newest(byte[] packet, int from, int to) {
    int at = from;
    int older = 0;
    while (at < to && (packet[at] & 0x80) != 0) {
      if (at + 4 > to) {
        return to;
      }
      older += ((packet[at + 2] & 0x03) << 8) | (packet[at + 3] & 0xff);
      at += 4;
    }
    return at + 1 + older;
  }
}
