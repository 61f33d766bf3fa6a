package io.convoke.server.recordings;

import io.convoke.server.http.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads {@code multipart/form-data} part by part, as it arrives. */
final class MultipartReader {
  private static final Pattern BOUNDARY =
      Pattern.compile("(?i)multipart/form-data\\s*;.*?boundary=\"?([^\";,\\s]{1,200})\"?.*");
  private static final Pattern NAME =
      Pattern.compile("(?i)content-disposition\\s*:.*?[;\\s]name=\"([^\"]{1,100})\".*");
  private static final int BUFFER = 64 * 1024;
  private static final int LINE_MAX = 1024;
  private static final int LINES_MAX = 20;

  private final InputStream in;
  private final byte[] delimiter;
  private final byte[] buffer = new byte[BUFFER];
  private int from;
  private int to;
  private boolean ended;

  private MultipartReader(InputStream in, String boundary) {
    this.in = in;
    this.delimiter = ("\r\n--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
    // The first delimiter has no line before it.
    buffer[to++] = '\r';
    buffer[to++] = '\n';
  }

  /** One part: the name of its field, and its content, to be read before the next part. */
  record FormPart(String name, InputStream content) {}

  /**
   * A reader of this body.
   *
   * @throws Problem 400 if the content type is another one
   */
  static MultipartReader of(String contentType, InputStream in) {
    Matcher matcher = BOUNDARY.matcher(contentType);
    if (!matcher.matches()) {
      throw Problem.badRequest("body", "is to be multipart/form-data with a boundary");
    }
    return new MultipartReader(in, matcher.group(1));
  }

  /**
   * The next part; what is left of the one before is passed over.
   *
   * @throws Problem 400 if the body is not of that form
   */
  Optional<FormPart> next() throws IOException {
    long _ = new PartContent().transferTo(OutputStream.nullOutputStream());
    from += delimiter.length;
    String rest = line();
    if (rest.strip().equals("--")) {
      ended = true;
      return Optional.empty();
    }
    Optional<String> name = Optional.empty();
    String header = line();
    for (int lines = 0; !header.isEmpty(); lines++) {
      Matcher matcher = NAME.matcher(header);
      if (matcher.matches()) {
        name = Optional.of(matcher.group(1));
      }
      if (lines == LINES_MAX) {
        throw malformed();
      }
      header = line();
    }
    return Optional.of(
        new FormPart(name.orElseThrow(MultipartReader::malformed), new PartContent()));
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    while (true) {
      if (from == to && !fill()) {
        if (line.toString().startsWith("--")) {
          return line.toString();
        }
        throw malformed();
      }
      int next = buffer[from++];
      if (next == '\n') {
        return line.toString();
      }
      if (next != '\r') {
        line.append((char) (next & 0xff));
      }
      if (line.length() > LINE_MAX) {
        throw malformed();
      }
    }
  }

  /** Reads more behind what is there; false at the end of the body. */
  private boolean fill() throws IOException {
    System.arraycopy(buffer, from, buffer, 0, to - from);
    to -= from;
    from = 0;
    int got = in.read(buffer, to, buffer.length - to);
    to += Math.max(0, got);
    return got != -1;
  }

  /** Where the delimiter, or what has arrived of it, begins in the buffer. */
  private int contentEnd() {
    int end = from;
    while (!beginsDelimiter(end)) {
      end++;
    }
    return end;
  }

  /** Whether all that is in the buffer from there on, even nothing, may be a delimiter. */
  private boolean beginsDelimiter(int at) {
    int length = Math.min(delimiter.length, to - at);
    for (int i = 0; i < length; i++) {
      if (buffer[at + i] != delimiter[i]) {
        return false;
      }
    }
    return true;
  }

  private static Problem malformed() {
    return Problem.badRequest("body", "is not well-formed multipart/form-data");
  }

  /** The bytes up to the next delimiter. */
  private final class PartContent extends InputStream {
    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) == 1 ? one[0] & 0xff : -1;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      int end = contentEnd();
      while (end == from && to - from < delimiter.length) {
        if (ended || !fill()) {
          throw malformed();
        }
        end = contentEnd();
      }
      if (end == from) {
        return -1;
      }
      int some = Math.min(length, end - from);
      System.arraycopy(buffer, from, into, offset, some);
      from += some;
      return some;
    }
  }
}
