package io.convoke.server.http.listener;

import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Parameter;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Problem.FieldError;
import io.convoke.server.http.RequestBodyKind;
import io.convoke.server.http.Schema;
import io.convoke.server.http.schema.SchemaValidator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** An endpoint made ready to serve: its schemas compiled, its timers found. */
final class CompiledOperation {
  private static final int MAX_REPEATS = 100;

  private record CompiledParameter(Parameter declared, SchemaValidator checker) {}

  private final Endpoint endpoint;
  private final List<CompiledParameter> parameters;
  private final Optional<SchemaValidator> bodyChecker;
  private final OperationTimer timer;
  private final boolean raw;

  CompiledOperation(Endpoint endpoint, OperationTimer timer) {
    this.endpoint = endpoint;
    this.timer = timer;
    this.parameters =
        endpoint.parameters().stream()
            .map(
                declared -> new CompiledParameter(declared, new SchemaValidator(declared.schema())))
            .toList();
    this.bodyChecker =
        switch (endpoint.body()) {
          case RequestBodyKind.JsonRequestBody(Schema schema, _, _) ->
              Optional.of(new SchemaValidator(schema));
          case RequestBodyKind.RawRequestBody _,
              RequestBodyKind.StreamedRequestBody _,
              RequestBodyKind.NoRequestBody _ ->
              Optional.empty();
        };
    this.raw = endpoint.body() instanceof RequestBodyKind.RawRequestBody;
  }

  Endpoint endpoint() {
    return endpoint;
  }

  OperationTimer timer() {
    return timer;
  }

  /** Whether this is a fast path: bytes in, no checks, no span. */
  boolean raw() {
    return raw;
  }

  /**
   * Checks what came beside the body, unless the endpoint takes it raw.
   *
   * @throws Problem 400 with every finding
   */
  void checkParameters(
      Map<String, String> path,
      Map<String, List<String>> query,
      Function<String, Optional<String>> headers) {
    if (raw) {
      return;
    }
    List<FieldError> errors = new ArrayList<>();
    for (CompiledParameter parameter : parameters) {
      String name = parameter.declared.name();
      List<String> values =
          switch (parameter.declared.place()) {
            case PATH -> List.of(path.getOrDefault(name, ""));
            case QUERY -> query.getOrDefault(name, List.of());
            case HEADER -> headers.apply(name).map(List::of).orElse(List.of());
          };
      check(parameter, values, errors);
    }
    if (!errors.isEmpty()) {
      throw Problem.badRequest(errors);
    }
  }

  /**
   * Checks the body.
   *
   * @throws Problem 400 with every finding
   */
  void checkBody(JsonNode body) {
    bodyChecker.ifPresent(
        schemaValidator -> {
          List<FieldError> errors = schemaValidator.check(body, "");
          if (!errors.isEmpty()) {
            throw Problem.badRequest(errors);
          }
        });
  }

  private static void check(
      CompiledParameter parameter, List<String> values, List<FieldError> errors) {
    Parameter declared = parameter.declared;
    if (values.isEmpty() && declared.required()) {
      errors.add(new FieldError(declared.name(), "is required"));
    }
    if (values.size() > (declared.repeated() ? MAX_REPEATS : 1)) {
      errors.add(new FieldError(declared.name(), "is given too often"));
      return;
    }
    for (String value : values) {
      if (parameter.checker.surely(value)) {
        continue;
      }
      errors.addAll(parameter.checker.check(typed(value, declared.schema()), declared.name()));
    }
  }

  /** The text of a parameter as the JSON value that its schema speaks about. */
  private static JsonNode typed(String text, Schema schema) {
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    try {
      if (schema.isType("integer")) {
        return nodes.numberNode(Long.parseLong(text));
      }
      if (schema.isType("number")) {
        double number = Double.parseDouble(text);
        return Double.isFinite(number) ? nodes.numberNode(number) : nodes.stringNode(text);
      }
    } catch (NumberFormatException _) {
      return nodes.stringNode(text);
    }
    if (schema.isType("boolean") && (text.equals("true") || text.equals("false"))) {
      return nodes.booleanNode(text.equals("true"));
    }
    return nodes.stringNode(text);
  }
}
