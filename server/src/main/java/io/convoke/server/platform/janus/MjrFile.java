package io.convoke.server.platform.janus;

import io.convoke.engine.json.Json;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * A file in which Janus records one stream: {@code MJR00002}, a JSON header behind its length in 16
 * bits, then frames of {@code MEET}, milliseconds since the first one in 32 bits, a length in 16
 * bits and an RTP packet. The header is written with the first frame. The file of a Janus that was
 * killed ends within a frame.
 */
final class MjrFile implements AutoCloseable {
  private static final String MAGIC = "MJR00002";
  private static final String FRAME = "MEET";
  private static final int TAG = 4;

  /** Times in a header must be after 2010. */
  private static final long EARLIEST_US = 1_262_304_000_000_000L;

  private final DataInputStream in;

  private MjrFile(DataInputStream in) {
    this.in = in;
  }

  /**
   * What a header says.
   *
   * @param audio whether it is sound
   * @param encrypted whether its frames are encrypted from end to end
   * @param created when Janus opened the file
   * @param firstFrame when the first frame came
   * @param redType the payload type of packets that repeat earlier ones (RFC 2198), or -1
   */
  record MjrHeader(
      boolean audio,
      String codec,
      boolean encrypted,
      Instant created,
      Instant firstFrame,
      int redType) {}

  /**
   * A frame; never compared.
   *
   * @param at when it came, after the first one
   */
  @SuppressWarnings("ArrayRecordComponent")
  record MjrFrame(Duration at, byte[] packet) {}

  /** Opens a file at its first byte. */
  static MjrFile open(Path path) throws IOException {
    return new MjrFile(
        new DataInputStream(new BufferedInputStream(Files.newInputStream(path), 1 << 16)));
  }

  /** The header of a file; empty if no frame has come, or the file is none of Janus'. */
  static Optional<MjrHeader> header(Path path) throws IOException {
    try (MjrFile file = open(path)) {
      return file.header();
    }
  }

  /** Reads the header, once and before the frames. */
  Optional<MjrHeader> header() throws IOException {
    try {
      if (!text(MAGIC.length()).equals(MAGIC)) {
        return Optional.empty();
      }
      JsonNode json = Json.read(text(in.readUnsignedShort()));
      long first = json.path("u").asLong(0);
      long created = json.path("s").asLong(first);
      return created < EARLIEST_US || first < created
          ? Optional.empty()
          : Optional.of(
              new MjrHeader(
                  json.path("t").asString("").equals("a"),
                  json.path("c").asString(""),
                  json.path("e").asBoolean(false),
                  instant(created),
                  instant(first),
                  json.path("or").asInt(-1)));
    } catch (EOFException | JacksonException notYet) {
      return Optional.empty();
    }
  }

  /** The next frame; empty at the end, and where the file is cut off or damaged. */
  Optional<MjrFrame> next() throws IOException {
    try {
      if (!text(TAG).equals(FRAME)) {
        return Optional.empty();
      }
      long at = Integer.toUnsignedLong(in.readInt());
      byte[] packet = new byte[in.readUnsignedShort()];
      in.readFully(packet);
      return Optional.of(new MjrFrame(Duration.ofMillis(at), packet));
    } catch (EOFException end) {
      return Optional.empty();
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  private String text(int length) throws IOException {
    byte[] bytes = new byte[length];
    in.readFully(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
