package io.convoke.server.http.schema;

import com.networknt.schema.Error;
import com.networknt.schema.ExecutionConfig;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.OutputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.dialect.Dialect;
import com.networknt.schema.dialect.Dialects;
import com.networknt.schema.format.DateTimeFormat;
import io.convoke.engine.json.Json;
import io.convoke.server.http.Problem.FieldError;
import io.convoke.server.http.Schema;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** A compiled {@link Schema}. Its findings never repeat the value. */
public final class SchemaValidator {
  private static final int MAX_ERRORS = 20;
  private static final SchemaRegistry REGISTRY =
      SchemaRegistry.withDefaultDialect(
          Dialect.builder(Dialects.getDraft202012()).format(new InstantFormat()).build(),
          builder ->
              builder
                  .schemaCacheEnabled(false)
                  .schemaRegistryConfig(
                      SchemaRegistryConfig.builder()
                          .formatAssertionsEnabled(true)
                          .locale(Locale.ROOT)
                          .build()));

  /** Keywords that the quick check covers completely. */
  private static final Set<String> PLAIN = Set.of("type", "pattern", "maxLength", "description");

  private final com.networknt.schema.Schema compiled;
  private final Optional<PlainSchemaValidator> plain;

  /** A time that features can read, too: RFC 3339 allows a space for the T, and leap seconds. */
  private static final class InstantFormat extends DateTimeFormat {
    @Override
    public boolean matches(ExecutionContext context, String value) {
      if (!super.matches(context, value)) {
        return false;
      }
      try {
        var _ = Instant.parse(value);
        return true;
      } catch (DateTimeParseException _) {
        return false;
      }
    }
  }

  /** Ends a validation that has found enough. */
  private static final class EnoughErrors extends RuntimeException {
    private final transient List<Error> errors;

    private EnoughErrors(List<Error> errors) {
      super("", null, false, false);
      this.errors = errors;
    }
  }

  /**
   * Looks for no more than is shown: a body of a megabyte may have half a million errors. A value
   * that has so many by one of several schemas fits none of them.
   */
  private static final class BoundedContext extends ExecutionContext {
    private BoundedContext(ExecutionConfig config) {
      super(config);
    }

    @Override
    public void addError(Error error) {
      super.addError(error);
      check();
    }

    /** Where none of several schemas fits, the errors of all are added at once. */
    @Override
    public void setErrors(List<Error> errors) {
      super.setErrors(errors);
      check();
    }

    private void check() {
      if (getErrors().size() >= MAX_ERRORS) {
        throw new EnoughErrors(List.copyOf(getErrors()));
      }
    }
  }

  private record PlainSchemaValidator(Pattern pattern, int maxLength) {
    boolean fits(String text) {
      return text.length() <= maxLength && pattern.matcher(text).matches();
    }
  }

  public SchemaValidator(Schema schema) {
    this.plain = plain(schema.keywords());
    this.compiled = REGISTRY.getSchema(Json.tree(SchemaRenderer.inline(schema)));
  }

  private static Optional<PlainSchemaValidator> plain(Map<String, Object> keywords) {
    return "string".equals(keywords.get("type"))
            && keywords.get("pattern") instanceof String pattern
            && keywords.get("maxLength") instanceof Integer maxLength
            && PLAIN.containsAll(keywords.keySet())
        ? Optional.of(new PlainSchemaValidator(Pattern.compile(pattern), maxLength))
        : Optional.empty();
  }

  /**
   * A quick check: true if the text is certainly valid, as most parameters are. False decides
   * nothing.
   */
  public boolean surely(String text) {
    return plain.isPresent() && plain.get().fits(text);
  }

  /** The findings for the value of {@code field}; at most 20, empty if it is valid. */
  public List<FieldError> check(JsonNode value, String field) {
    return errors(value).stream()
        .limit(MAX_ERRORS)
        .map(error -> new FieldError(path(field, error), message(error)))
        .toList();
  }

  private List<Error> errors(JsonNode value) {
    ExecutionContext context =
        new BoundedContext(compiled.createExecutionContext().getExecutionConfig());
    try {
      return compiled.validate(context, value, OutputFormat.DEFAULT);
    } catch (EnoughErrors enough) {
      return enough.errors;
    }
  }

  private static String path(String field, Error error) {
    StringBuilder path = new StringBuilder(field);
    String pointer = error.getInstanceLocation().toString();
    if (!pointer.isEmpty()) {
      path.append(path.isEmpty() ? pointer.substring(1) : pointer);
    }
    if ("required".equals(error.getKeyword())) {
      path.append(path.isEmpty() ? "" : "/").append(error.getProperty());
    }
    return path.isEmpty() ? "body" : path.toString().replace('/', '.');
  }

  private static String message(Error error) {
    return switch (String.valueOf(error.getKeyword())) {
      case "required" -> "is required";
      case "type" -> "must be " + type(error.getSchemaNode());
      case "enum" -> "must be one of " + words(error.getSchemaNode());
      case "pattern" -> "has a form that is not allowed here";
      case "format" -> "is not a valid " + String.valueOf(error.getArguments()[0]);
      case "minimum" -> "must be at least " + error.getArguments()[0];
      case "maximum" -> "must be at most " + error.getArguments()[0];
      case "minLength" -> "is too short";
      case "maxLength" -> "is too long";
      case "maxItems" -> "has too many items";
      case null, default -> String.valueOf(error.getMessage());
    };
  }

  private static String type(JsonNode type) {
    return switch (type.asString()) {
      case "integer" -> "an integer";
      case "array" -> "an array";
      case "object" -> "an object";
      case "null" -> "null";
      default -> "a " + type.asString();
    };
  }

  private static String words(JsonNode words) {
    return String.join(", ", words.valueStream().map(JsonNode::asString).toList());
  }
}
