package io.convoke.server.http;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import tools.jackson.databind.JsonNode;

/**
 * Values for the schemas of an OpenAPI document, as JSON text: such as fit, and such as break what
 * reads them carelessly. Text and not trees, because some of them no tree can hold. The same seed
 * gives the same values.
 */
public final class HostileValues {
  private static final List<String> NUMBERS =
      List.of(
          "1e308",
          "-1e308",
          "1.7976931348623157E308",
          "1E400",
          "-1E400",
          "1e-400",
          "1e19",
          "1e18",
          "1.5",
          "1.0",
          "1e2",
          "-0.0",
          "0",
          "-1",
          "2147483647",
          "2147483648",
          "9007199254740993",
          "9223372036854775807",
          "9223372036854775807.5",
          "9223372036854775808",
          "-9223372036854775808",
          "-9223372036854775809",
          "9".repeat(400),
          "9".repeat(1500),
          "1e999999999",
          "1e99999999999",
          "NaN",
          "Infinity",
          "0x10",
          "01");

  private static final List<String> TEXTS =
      List.of(
          "\"\"",
          "\" \"",
          "\"\\u0000\"",
          "\"a\\u0000b\"",
          "\"\\ud800\"",
          "\"\\udc00x\"",
          "\"\\ud83d\\ude00\"",
          "\"\u202e\u0301\u00e9\ufeff\"",
          "\"\\u001f\\u007f\\u0085\\u2028\"",
          "\"" + "\u00e9".repeat(300) + "\"",
          "\"" + "\ud83d\ude00".repeat(3000) + "\"",
          "\"" + "x".repeat(70_000) + "\"",
          "\"../../etc/passwd\"",
          "\"'; drop table users; --\"",
          "\"%00\"",
          "\"1e308\"",
          "\"9223372036854775808\"",
          "\"https://[::1\"",
          "\"http://\\u00e9.example/%zz?\"");

  private static final List<String> DATES =
      List.of(
          "\"0000-01-01T00:00:00Z\"",
          "\"0001-01-01T00:00:00+18:00\"",
          "\"9999-12-31T23:59:59.999999999-18:00\"",
          "\"2016-12-31T23:59:60Z\"",
          "\"2016-12-31T15:59:60-08:00\"",
          "\"2030-01-01 00:00:00Z\"",
          "\"2026-02-30T00:00:00Z\"",
          "\"2026-01-01t00:00:00z\"",
          "\"2026-01-01T00:00:00.1234567890123Z\"",
          "\"2026-01-01T24:00:00Z\"",
          "\"-4713-01-01T00:00:00Z\"",
          "\"+292278994-08-17T07:12:55.807Z\"");

  private static final List<String> OTHERS =
      List.of(
          "null",
          "true",
          "[]",
          "{}",
          "[null]",
          "[[],{}]",
          "{\"\":\"\"}",
          "{\"a\":1,\"a\":2}",
          "{\"\\u0000\":1}",
          "{\"a\":1e308}",
          "{\"a\":1e131073}",
          "[".repeat(90) + "]".repeat(90),
          "[".repeat(5000) + "]".repeat(5000),
          "{\"a\":".repeat(300) + "1" + "}".repeat(300),
          "[",
          "");

  private static final List<String> ALL = all();

  private final JsonNode document;
  private final Random random;

  /** Values for the schemas of this document. */
  public HostileValues(JsonNode document, long seed) {
    this.document = document;
    this.random = new Random(seed);
  }

  /** What a value of this schema is most likely to be mistaken for: numbers, dates or texts. */
  public List<String> hostile(JsonNode schema) {
    JsonNode whole = resolved(schema);
    JsonNode type = whole.path("type");
    return switch ((type.isArray() ? type.get(0) : type).asString("")) {
      case "integer", "number" -> NUMBERS;
      case "string" -> whole.path("format").asString("").equals("date-time") ? DATES : TEXTS;
      case String _ -> OTHERS;
    };
  }

  private static List<String> all() {
    List<String> all = new ArrayList<>(NUMBERS);
    all.addAll(TEXTS);
    all.addAll(DATES);
    all.addAll(OTHERS);
    return List.copyOf(all);
  }

  /** Anything but, most of the time, what was asked for. */
  public String wrong() {
    return pick(ALL);
  }

  /** A number below a bound. */
  public int below(int bound) {
    return random.nextInt(bound);
  }

  /** One of several. */
  public <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  /**
   * JSON text of a value for this schema; each part is a wrong one with the given probability.
   *
   * @param known text of values that exist, by the name of the member or parameter
   */
  public String value(JsonNode schema, String name, Map<String, List<String>> known, double wrong) {
    if (random.nextDouble() < wrong) {
      return wrong();
    }
    if (known.containsKey(name) && random.nextInt(8) > 0) {
      return pick(known.get(name));
    }
    JsonNode whole = resolved(schema);
    if (whole.has("anyOf")) {
      return value(pick(whole.path("anyOf").valueStream().toList()), name, known, wrong);
    }
    if (whole.has("enum")) {
      return pick(whole.path("enum").valueStream().toList()).toString();
    }
    JsonNode type = whole.path("type");
    return switch (type.isArray() ? type.get(0).asString() : type.asString("")) {
      case "object" -> object(whole, known, wrong);
      case "array" -> array(whole, known, wrong);
      case "integer" -> pick(List.of("1", "2", "5", "42"));
      case "number" -> pick(List.of("0", "0.5", "3", "12.25"));
      case "boolean" -> pick(List.of("true", "false"));
      case "string" -> text(whole);
      case "null" -> "null";
      default -> pick(List.of("1", "\"any\"", "{}"));
    };
  }

  /** An object of this schema in which a member has the given value. */
  public String with(
      String member, String value, JsonNode schema, Map<String, List<String>> known) {
    String rest = object(resolved(schema), known, 0, member);
    String first = "{\"" + member + "\":" + value;
    return rest.equals("{}") ? first + "}" : first + "," + rest.substring(1);
  }

  private String object(JsonNode schema, Map<String, List<String>> known, double wrong) {
    return object(schema, known, wrong, "");
  }

  private String object(
      JsonNode schema, Map<String, List<String>> known, double wrong, String without) {
    List<String> required = schema.path("required").valueStream().map(JsonNode::asString).toList();
    List<String> members = new ArrayList<>();
    for (Map.Entry<String, JsonNode> member : schema.path("properties").properties()) {
      String name = member.getKey();
      boolean left =
          name.equals(without)
              || (required.contains(name) ? random.nextDouble() < wrong / 4 : random.nextBoolean());
      if (!left) {
        members.add("\"" + name + "\":" + value(member.getValue(), name, known, wrong));
      }
    }
    if (random.nextDouble() < wrong / 2) {
      members.add("\"" + pick(List.of("extra", "\\u0000", "\\ud800", "")) + "\":" + wrong());
    }
    if (!members.isEmpty() && random.nextDouble() < wrong / 4) {
      members.add(members.getFirst());
    }
    return "{" + String.join(",", members) + "}";
  }

  private String array(JsonNode schema, Map<String, List<String>> known, double wrong) {
    List<String> items = new ArrayList<>();
    int count = random.nextInt(3);
    for (int i = 0; i < count; i++) {
      items.add(value(schema.path("items"), "", known, wrong));
    }
    return "[" + String.join(",", items) + "]";
  }

  private String text(JsonNode schema) {
    String format = schema.path("format").asString("");
    if (format.equals("date-time")) {
      return pick(List.of("\"2026-01-01T00:00:00Z\"", "\"2031-05-06T07:08:09.123+02:00\""));
    }
    if (format.equals("uri")) {
      return "\"https://example.org/" + random.nextInt(100) + "\"";
    }
    int most = Math.min(schema.path("maxLength").asInt(20), 20);
    int least = Math.min(schema.path("minLength").asInt(1), most);
    String word = "abc" + random.nextInt(1000) + "-xyz-0123456789";
    return "\"" + word.substring(0, Math.max(least, Math.min(most, 6))) + "\"";
  }

  private JsonNode resolved(JsonNode schema) {
    return schema.has("$ref") ? document.at(schema.path("$ref").asString().substring(1)) : schema;
  }

  /** Text of a parameter that says the same as this JSON text, percent-encoded. */
  public static String encoded(String json) {
    String text = json.length() > 1 && json.startsWith("\"") ? unquoted(json) : json;
    StringBuilder encoded = new StringBuilder();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xff);
      if ((c < 0x80 && Character.isLetterOrDigit(c)) || c == '-' || c == '_' || c == '.') {
        encoded.append(c);
      } else {
        encoded.append('%').append(String.format("%02X", (int) c));
      }
      if (encoded.length() > 3000) {
        break;
      }
    }
    return encoded.toString();
  }

  private static String unquoted(String json) {
    return json.substring(1, json.length() - 1)
        .replace("\\u0000", "\0")
        .replace("\\ud83d\\ude00", "\ud83d\ude00");
  }
}
