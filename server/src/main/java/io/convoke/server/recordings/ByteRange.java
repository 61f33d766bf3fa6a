package io.convoke.server.recordings;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A byte range of a file (RFC 9110, 14.1.2), as players request it after a seek.
 *
 * @param from the first byte
 * @param length of the part, at least 1
 * @param size of the whole
 */
record ByteRange(long from, long length, long size) {
  private static final Pattern ONE = Pattern.compile("bytes=(\\d{0,18})-(\\d{0,18})");

  /** The requested range. */
  sealed interface Asked {
    /** The whole file: no header, several ranges, or a malformed one. */
    record Whole() implements Asked {}

    record Part(ByteRange range) implements Asked {}

    /** It begins behind the end. */
    record Beyond() implements Asked {}
  }

  /** Reads the header {@code Range}. */
  static Asked of(Optional<String> header, long size) {
    Matcher one = ONE.matcher(header.map(String::strip).orElse(""));
    if (!one.matches() || (one.group(1).isEmpty() && one.group(2).isEmpty())) {
      return new Asked.Whole();
    }
    if (one.group(1).isEmpty()) {
      long last = Math.min(Long.parseLong(one.group(2)), size);
      return last == 0 ? new Asked.Beyond() : part(size - last, size - 1, size);
    }
    long from = Long.parseLong(one.group(1));
    long to = one.group(2).isEmpty() ? size - 1 : Long.parseLong(one.group(2));
    if (to < from && !one.group(2).isEmpty()) {
      return new Asked.Whole();
    }
    return from >= size ? new Asked.Beyond() : part(from, Math.min(to, size - 1), size);
  }

  private static Asked part(long from, long to, long size) {
    return new Asked.Part(new ByteRange(from, to - from + 1, size));
  }

  /** The header {@code Content-Range}. */
  String header() {
    return "bytes " + from + "-" + (from + length - 1) + "/" + size;
  }
}
