package io.convoke.server.http.schema;

import io.convoke.engine.json.Json;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Problem.FieldError;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    checkStorable(tree, "", errors);
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

  private static void checkStorable(JsonNode node, String path, List<FieldError> errors) {
    if (errors.size() >= 20) {
      return;
    }
    switch (node.getNodeType()) {
      case STRING -> checkText(node.asString(), path, errors);
      case NUMBER -> checkNumber(node, path, errors);
      case OBJECT -> {
        for (Map.Entry<String, JsonNode> member : node.properties()) {
          String inner = path.isEmpty() ? member.getKey() : path + "." + member.getKey();
          checkText(member.getKey(), path.isEmpty() ? "body" : path, errors);
          checkStorable(member.getValue(), inner, errors);
        }
      }
      case ARRAY -> {
        for (int i = 0; i < node.size(); i++) {
          checkStorable(node.get(i), path.isEmpty() ? "" + i : path + "." + i, errors);
        }
      }
      case BOOLEAN, NULL, MISSING, BINARY, POJO -> {}
    }
  }

  private static void checkNumber(JsonNode node, String path, List<FieldError> errors) {
    if (node.isBigDecimal()) {
      BigDecimal number = node.decimalValue();
      if (Math.abs((long) number.precision() - number.scale()) > MAX_EXPONENT
          || Math.abs((long) number.scale()) > MAX_EXPONENT) {
        errors.add(new FieldError(path.isEmpty() ? "body" : path, "is a number out of range"));
      }
    }
  }

  private static void checkText(String text, String path, List<FieldError> errors) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0) {
        errors.add(new FieldError(path.isEmpty() ? "body" : path, "must not contain NUL"));
        return;
      }
      if (Character.isSurrogate(c)) {
        boolean paired =
            Character.isHighSurrogate(c)
                && i + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(i + 1));
        if (!paired) {
          errors.add(new FieldError(path.isEmpty() ? "body" : path, "holds half a character"));
          return;
        }
        i++;
      }
    }
  }
}
