package io.convoke.server.http.schema;

import io.convoke.engine.json.Json;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Problem.FieldError;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;

/**
 * Reads JSON as strictly as RFC 8259 permits: no duplicate members, no NaN, nothing after the end;
 * and nothing that Postgres could not store as {@code jsonb}: NUL, unpaired surrogates, numbers
 * beyond what {@code numeric} takes.
 */
public final class StrictJsonReader {
  private static final int MAX_EXPONENT = 1000;
  private static final int MAX_ERRORS = 20;
  private static final int MAX_FIELD = 300;

  private static final ObjectReader READER =
      Json.mapper()
          .reader()
          .with(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .with(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .without(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES);

  private static final tools.jackson.databind.ObjectWriter CANONICAL =
      Json.mapper()
          .writer()
          .with(JsonNodeFeature.WRITE_PROPERTIES_SORTED)
          .without(SerializationFeature.INDENT_OUTPUT);

  private StrictJsonReader() {}

  /**
   * Where a value is: its name or index in what holds it; the body is in nothing. It becomes text
   * for findings alone: a path may be as long as the body, and a body has many values.
   */
  private record JsonLocation(Optional<JsonLocation> holder, String name) {
    static final JsonLocation BODY = new JsonLocation(Optional.empty(), "body");

    /** The dotted path, cut where it is longer than a reader needs. */
    String field() {
      StringBuilder path = new StringBuilder();
      appendTo(path);
      if (path.length() > MAX_FIELD) {
        boolean half = Character.isHighSurrogate(path.charAt(MAX_FIELD - 1));
        path.setLength(half ? MAX_FIELD - 1 : MAX_FIELD);
        path.append("...");
      }
      return path.isEmpty() ? "body" : path.toString();
    }

    private void appendTo(StringBuilder path) {
      if (holder.isPresent()) {
        holder.get().appendTo(path);
        if (path.length() <= MAX_FIELD) {
          path.append(path.isEmpty() ? "" : ".").append(name);
        }
      }
    }
  }

  /** The tree of a body; a {@link Problem} 400 if it is malformed. */
  public static JsonNode read(byte[] body) {
    JsonNode tree;
    try {
      tree = READER.readTree(body);
    } catch (StreamConstraintsException _) {
      throw Problem.badRequest(
          "body", "is nested too deeply, or holds a number or name that is too long");
    } catch (JacksonException e) {
      throw Problem.badRequest("body", "is not valid JSON" + place(e));
    } catch (NumberFormatException _) {
      // The reader's own finding about an exponent of more than ten digits.
      throw Problem.badRequest("body", "holds a number that is out of range");
    }
    if (tree.isMissingNode()) {
      throw Problem.badRequest("body", "is required");
    }
    List<FieldError> errors = new ArrayList<>();
    checkStorable(tree, JsonLocation.BODY, errors);
    if (!errors.isEmpty()) {
      throw Problem.badRequest(errors);
    }
    return tree;
  }

  /** Canonical bytes: independent of the order of members and of white space. */
  public static byte[] canonical(JsonNode tree) {
    return CANONICAL.writeValueAsBytes(tree);
  }

  private static String place(JacksonException e) {
    var at = e.getLocation();
    return at == null || at.getLineNr() < 1
        ? ""
        : " (line " + at.getLineNr() + ", column " + at.getColumnNr() + ")";
  }

  private static void checkStorable(JsonNode node, JsonLocation place, List<FieldError> errors) {
    switch (node.getNodeType()) {
      case STRING -> checkText(node.asString(), place, errors);
      case NUMBER -> checkNumber(node, place, errors);
      case OBJECT -> {
        Optional<JsonLocation> holder = Optional.of(place);
        for (Map.Entry<String, JsonNode> member : node.properties()) {
          checkText(member.getKey(), place, errors);
          checkStorable(member.getValue(), new JsonLocation(holder, member.getKey()), errors);
        }
      }
      case ARRAY -> {
        Optional<JsonLocation> holder = Optional.of(place);
        for (int i = 0; i < node.size(); i++) {
          checkStorable(node.get(i), new JsonLocation(holder, String.valueOf(i)), errors);
        }
      }
      case BOOLEAN, NULL, MISSING, BINARY, POJO -> {}
    }
  }

  private static void checkNumber(JsonNode node, JsonLocation place, List<FieldError> errors) {
    if (node.isBigDecimal()) {
      BigDecimal number = node.decimalValue();
      if (Math.abs((long) number.precision() - number.scale()) > MAX_EXPONENT
          || Math.abs((long) number.scale()) > MAX_EXPONENT) {
        add(errors, place, "is a number out of range");
      }
    }
  }

  private static void checkText(String text, JsonLocation place, List<FieldError> errors) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0) {
        add(errors, place, "must not contain NUL");
        return;
      }
      if (Character.isSurrogate(c)) {
        boolean paired =
            Character.isHighSurrogate(c)
                && i + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(i + 1));
        if (!paired) {
          add(errors, place, "holds half a character");
          return;
        }
        i++;
      }
    }
  }

  private static void add(List<FieldError> errors, JsonLocation place, String message) {
    if (errors.size() < MAX_ERRORS) {
      errors.add(new FieldError(place.field(), message));
    }
  }
}
