package io.convoke.server.http;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Strict percent-decoding of paths and queries: invalid UTF-8 or a NUL is a 400. */
public final class PercentDecoder {
  private PercentDecoder() {}

  /** Decodes one path segment or query part; {@code field} is named in the problem. */
  public static String decode(String raw, boolean plusIsSpace, String field) {
    if (isPlain(raw, plusIsSpace)) {
      return raw;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(raw.length());
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      if (c == '%') {
        bytes.write(hexPair(raw, i, field));
        i += 2;
      } else if (c == '+' && plusIsSpace) {
        bytes.write(' ');
      } else if (c < 0x80) {
        bytes.write(c);
      } else {
        throw Problem.badRequest(field, "must be percent-encoded");
      }
    }
    return storable(utf8(bytes.toByteArray(), field), field);
  }

  /** The decoded parameters of a query string, in order. */
  public static Map<String, List<String>> query(String raw) {
    if (raw.isEmpty()) {
      return Map.of();
    }
    Map<String, List<String>> query = new LinkedHashMap<>();
    for (String pair : raw.split("&", -1)) {
      if (pair.isEmpty()) {
        continue;
      }
      int equals = pair.indexOf('=');
      String name = decode(equals < 0 ? pair : pair.substring(0, equals), true, "query");
      String value = equals < 0 ? "" : decode(pair.substring(equals + 1), true, name);
      query.computeIfAbsent(name, _ -> new ArrayList<>(1)).add(value);
    }
    return query;
  }

  private static boolean isPlain(String raw, boolean plusIsSpace) {
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      if (c == '%' || c >= 0x80 || c == 0 || (c == '+' && plusIsSpace)) {
        return false;
      }
    }
    return true;
  }

  private static int hexPair(String raw, int at, String field) {
    int high = at + 2 < raw.length() ? Character.digit(raw.charAt(at + 1), 16) : -1;
    int low = at + 2 < raw.length() ? Character.digit(raw.charAt(at + 2), 16) : -1;
    if (high < 0 || low < 0) {
      throw Problem.badRequest(field, "is not percent-encoded correctly");
    }
    return high * 16 + low;
  }

  private static String utf8(byte[] bytes, String field) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException _) {
      throw Problem.badRequest(field, "is not UTF-8");
    }
  }

  private static String storable(String text, String field) {
    if (text.indexOf('\0') >= 0) {
      throw Problem.badRequest(field, "must not contain NUL");
    }
    return text;
  }
}
