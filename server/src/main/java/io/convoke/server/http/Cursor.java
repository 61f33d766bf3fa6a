package io.convoke.server.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/**
 * An opaque position in a list: the sort keys of the last row shown, as unpadded base64url text.
 * Not a secret and not a permission: every query still filters by what the caller may see, so a
 * forged cursor only moves the caller within their own list. What does not parse is a 400, and so
 * is a key that no row can have.
 */
public final class Cursor {
  private static final int MAX_LENGTH = 1024;
  private static final String VERSION = "1";
  private static final char SEPARATOR = '\u001f';

  /** Postgres has none in its texts. */
  private static final char NUL = 0;

  /** A time before the year 0 or after 9999; Postgres does not hold all that Java reads. */
  private static final Pattern FAR_TIME =
      Pattern.compile("[+-][0-9]+-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:.*");

  private Cursor() {}

  /**
   * The cursor after a row with these sort keys, each written by {@link String#valueOf(Object)}.
   */
  public static String of(Object... keys) {
    StringBuilder text = new StringBuilder(VERSION);
    for (Object key : keys) {
      text.append(SEPARATOR).append(key);
    }
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.toString().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The sort keys in a cursor.
   *
   * @throws Problem 400 if it is malformed
   */
  public static List<String> parse(String cursor) {
    List<String> parts = split(decode(cursor));
    if (parts.size() < 2
        || !parts.getFirst().equals(VERSION)
        || parts.stream().anyMatch(Cursor::isNoKey)) {
      throw invalid();
    }
    return List.copyOf(parts.subList(1, parts.size()));
  }

  /**
   * The sort keys in a cursor of a list that is ordered by numbers alone, for example {@code (id)}.
   *
   * @throws Problem 400 if it is malformed or does not hold exactly {@code count} numbers
   */
  public static long[] parseLongs(String cursor, int count) {
    List<String> keys = parse(cursor);
    if (keys.size() != count) {
      throw invalid();
    }
    try {
      return keys.stream().mapToLong(Long::parseLong).toArray();
    } catch (NumberFormatException _) {
      throw invalid();
    }
  }

  private static boolean isNoKey(String text) {
    return text.indexOf(NUL) >= 0 || FAR_TIME.matcher(text).matches();
  }

  private static String decode(String cursor) {
    if (cursor.isEmpty() || cursor.length() > MAX_LENGTH) {
      throw invalid();
    }
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(cursor);
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (IllegalArgumentException | CharacterCodingException _) {
      throw invalid();
    }
  }

  private static List<String> split(String text) {
    List<String> parts = new ArrayList<>();
    int from = 0;
    for (int at = text.indexOf(SEPARATOR); at >= 0; at = text.indexOf(SEPARATOR, from)) {
      parts.add(text.substring(from, at));
      from = at + 1;
    }
    parts.add(text.substring(from));
    return parts;
  }

  private static Problem invalid() {
    return Problem.badRequest("cursor", "is not a cursor of this list");
  }
}
