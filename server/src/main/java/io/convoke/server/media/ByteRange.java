package io.convoke.server.media;

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
public record ByteRange(long from, long length, long size) {
  private static final Pattern ONE = Pattern.compile("bytes=(\\d{0,18})-(\\d{0,18})");

  /** The requested range. */
  public sealed interface RequestedRange {
    /** The whole file: no header, several ranges, or a malformed one. */
    record RangeWhole() implements RequestedRange {}

    /** One part of it. */
    record RangePart(ByteRange range) implements RequestedRange {}

    /** It begins behind the end. */
    record RangeBeyondEnd() implements RequestedRange {}
  }

  /** Reads the header {@code Range}. */
  public static RequestedRange of(Optional<String> header, long size) {
    Matcher one = ONE.matcher(header.map(String::strip).orElse(""));
    if (!one.matches() || (one.group(1).isEmpty() && one.group(2).isEmpty())) {
      return new RequestedRange.RangeWhole();
    }
    if (one.group(1).isEmpty()) {
      long last = Math.min(Long.parseLong(one.group(2)), size);
      return last == 0 ? new RequestedRange.RangeBeyondEnd() : part(size - last, size - 1, size);
    }
    long from = Long.parseLong(one.group(1));
    long to = one.group(2).isEmpty() ? Long.MAX_VALUE : Long.parseLong(one.group(2));
    if (to < from) {
      return new RequestedRange.RangeWhole();
    }
    return from >= size
        ? new RequestedRange.RangeBeyondEnd()
        : part(from, Math.min(to, size - 1), size);
  }

  private static RequestedRange part(long from, long to, long size) {
    return new RequestedRange.RangePart(new ByteRange(from, to - from + 1, size));
  }

  /** The header {@code Content-Range}. */
  public String header() {
    return "bytes " + from + "-" + (from + length - 1) + "/" + size;
  }
}
