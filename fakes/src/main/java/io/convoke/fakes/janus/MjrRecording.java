package io.convoke.fakes.janus;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** A file as Janus records a stream (originals, janus-9), made of packets that tests choose. */
public final class MjrRecording {
  private static final int TWENTY_MS = 960;
  private static final int OPUS = 111;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final int payloadType;

  private MjrRecording(String header, int payloadType) {
    this.payloadType = payloadType;
    bytes.writeBytes(ascii("MJR00002"));
    bytes.writeBytes(ByteBuffer.allocate(2).putShort((short) header.length()).array());
    bytes.writeBytes(ascii(header));
  }

  /** Sound with Opus; {@code more} are further fields of the header, each behind a comma. */
  public static MjrRecording opus(Instant created, Instant first, String more) {
    return new MjrRecording(
        "{\"t\": \"a\", \"c\": \"opus\", \"s\": %d, \"u\": %d%s}"
            .formatted(micros(created), micros(first), more),
        OPUS);
  }

  /** The sound of an Ogg file with Opus in packets of 20 ms, as if it were spoken from then on. */
  public static byte[] ofOgg(Instant created, Instant first, byte[] ogg) {
    MjrRecording recording = opus(created, first, "");
    int number = 0;
    for (byte[] packet : OggPackets.of(ogg).packets()) {
      MjrRecording _ = recording.packet(20L * number, number, TWENTY_MS * number, packet);
      number++;
    }
    return recording.bytes();
  }

  /** Adds a packet that came {@code at} milliseconds after the first one. */
  public MjrRecording packet(long at, int sequence, int timestamp, byte... payload) {
    return packet(at, payloadType, sequence, timestamp, payload);
  }

  /** The same with another payload type. */
  public MjrRecording packet(long at, int type, int sequence, int timestamp, byte[] payload) {
    bytes.writeBytes(ascii("MEET"));
    bytes.writeBytes(
        ByteBuffer.allocate(6 + 12)
            .putInt((int) at)
            .putShort((short) (12 + payload.length))
            .put((byte) 0x80)
            .put((byte) type)
            .putShort((short) sequence)
            .putInt(timestamp)
            .putInt(0x5EAF00D)
            .array());
    bytes.writeBytes(payload);
    return this;
  }

  /** The file. */
  public byte[] bytes() {
    return bytes.toByteArray();
  }

  /** The name that the VideoRoom plugin gives the file of a stream. */
  public static String name(String room, String participant, Instant created) {
    return "videoroom-%s-user-%s-%d-audio-0.mjr".formatted(room, participant, micros(created));
  }

  private static long micros(Instant time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
