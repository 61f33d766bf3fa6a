package io.convoke.client.generate;

import io.convoke.client.generate.ApiDocument.ApiAnswer;
import io.convoke.client.generate.ApiDocument.ApiBody;
import io.convoke.client.generate.ApiDocument.ApiOperation;
import io.convoke.client.generate.ApiDocument.ApiParameter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** The sources of the Python client: a TypedDict for each schema, a method for each operation. */
final class PythonClient {
  private static final Set<String> KEYWORDS =
      Set.of("from", "class", "def", "import", "global", "in", "is", "not", "or", "and", "pass");

  /** Texts of TypedDicts, each after those that it needs. */
  private final List<String> types = new ArrayList<>();

  private PythonClient() {}

  /** Texts of files by their names. */
  static Map<String, String> of(ApiDocument document, String hash) {
    PythonClient client = new PythonClient();
    String head =
        """
        # Generated: ./convoke test -Dapi.write=true --only GeneratedClientsTest
        # The sha256 of docs/reference/openapi.json was %s.
        """
            .formatted(hash);
    document.schemas().forEach((name, schema) -> client.dictionary(name, schema, ""));
    String methods =
        document.operations().stream().map(client::method).collect(Collectors.joining("\n"));
    return Map.of(
        "types.py",
        head
            + """
            \"""The objects of the API, as its OpenAPI document has them. Times are RFC 3339 texts in UTC.

            They are dictionaries with types, so members that a newer server adds are there too.
            \"""

            from __future__ import annotations

            from typing import Any, Generic, Literal, NotRequired, TypedDict, TypeVar

            T = TypeVar("T")


            class Page(TypedDict, Generic[T]):
                \"""A part of a list; ``next_cursor`` leads on.\"""

                items: list[T]
                next_cursor: str | None
            """
            + client.types.stream().map(it -> "\n\n" + it).collect(Collectors.joining()),
        "operations.py",
        head
            + """
            \"""The operations of the API, each with what it takes.\"""

            from __future__ import annotations

            from typing import Any, Literal

            from . import types as t
            from ._calls import Caller


            class Operations(Caller):
                \"""Every operation of the API's document, by its name there.\"""

            """
            + methods);
  }

  private void dictionary(String name, JsonNode schema, String sentence) {
    List<String> members = new ArrayList<>();
    boolean words = false;
    for (Map.Entry<String, JsonNode> member : schema.path("properties").properties()) {
      String type = type(member.getValue(), name + capital(member.getKey()), "");
      boolean needed = ApiDocument.required(schema, member.getKey());
      String shown = needed ? type : "NotRequired[" + type + "]";
      words |= KEYWORDS.contains(member.getKey()) || !member.getKey().matches("[a-zA-Z_]\\w*");
      members.add(
          "\""
              + member.getKey()
              + "\": "
              + (words ? "\"" + shown.replace("\"", "'") + "\"" : shown));
    }
    if (words) {
      types.add(
          name
              + " = TypedDict(\n    \""
              + name
              + "\",\n    {\n"
              + members.stream()
                  .map(it -> "        " + quoted(it) + ",\n")
                  .collect(Collectors.joining())
              + "    },\n)\n");
      return;
    }
    String body =
        members.stream()
            .map(it -> "    " + it.replaceFirst("\"(\\w+)\"", "$1") + "\n")
            .collect(Collectors.joining());
    String text = sentence.isEmpty() ? "" : "    \"\"\"" + sentence + "\"\"\"\n\n";
    types.add("class " + name + "(TypedDict):\n" + text + (body.isEmpty() ? "    pass\n" : body));
  }

  /** A member of the functional form, whose types are texts. */
  private static String quoted(String member) {
    String type = member.substring(member.indexOf(": ") + 2);
    return type.startsWith("\"")
        ? member
        : member.substring(0, member.indexOf(": ") + 2) + "\"" + type.replace("\"", "'") + "\"";
  }

  /** The Python type of a schema; a TypedDict is written for an object that has no name. */
  private String type(JsonNode given, String name, String prefix) {
    String type = withoutNull(ApiDocument.withoutNull(given), name, prefix);
    return ApiDocument.nullable(given) && !type.equals("Any") ? type + " | None" : type;
  }

  private String withoutNull(JsonNode schema, String name, String prefix) {
    Optional<String> reference = ApiDocument.reference(schema);
    if (reference.isPresent()) {
      return prefix + reference.get();
    }
    List<String> values = ApiDocument.values(schema);
    if (!values.isEmpty()) {
      return values.stream().collect(Collectors.joining("\", \"", "Literal[\"", "\"]"));
    }
    if (schema.has("anyOf")) {
      return schema
          .path("anyOf")
          .valueStream()
          .map(it -> type(it, name, prefix))
          .distinct()
          .collect(Collectors.joining(" | "));
    }
    return switch (ApiDocument.type(schema)) {
      case "string" -> "str";
      case "integer" -> "int";
      case "number" -> "float";
      case "boolean" -> "bool";
      case "array" -> "list[" + type(schema.path("items"), name + "Item", prefix) + "]";
      case "object" -> {
        if (!schema.has("properties")) {
          JsonNode more = schema.path("additionalProperties");
          String value = more.isEmpty() ? "Any" : type(more, name + "Value", prefix);
          yield "dict[str, " + value + "]";
        }
        dictionary(name, schema, "");
        yield prefix + name;
      }
      default -> "Any";
    };
  }

  private String method(ApiOperation operation) {
    String name = capital(operation.id());
    List<String> parameters = new ArrayList<>(List.of("self"));
    for (ApiParameter one : operation.in("path")) {
      parameters.add(variable(one.name()) + ": " + type(one.schema(), name, "t."));
    }
    operation.body().ifPresent(body -> parameters.add(body(name, body)));
    List<ApiParameter> named =
        Stream.concat(operation.in("query").stream(), operation.in("header").stream()).toList();
    List<String> options = new ArrayList<>();
    for (ApiParameter one : named) {
      String type = type(one.schema(), name, "t.");
      options.add(
          variable(one.name())
              + ": "
              + (one.required() ? type : type.replace(" | None", "") + " | None = None"));
    }
    if (operation.body().filter(it -> !it.json()).isPresent()) {
      options.add("content_type: str");
    }
    if (operation.repetition() == ApiDocument.Repetition.WITH_KEY) {
      options.add("idempotency_key: str | None = None");
    }
    if (!options.isEmpty()) {
      parameters.add("*");
      parameters.addAll(options);
    }
    return """
            def %s(
                %s,
            ) -> %s:
                \"""%s\"""
                return self._call(
                    "%s",
                    "%s",
                    "%s",
                    "%s",
        %s        )
        """
            .formatted(
                snake(operation.id()),
                String.join(",\n        ", parameters),
                answer(name, operation.answer()),
                operation.summary(),
                operation.method(),
                operation.path(),
                operation.repetition().name().toLowerCase(Locale.ROOT),
                kind(operation.answer()),
                passed(operation))
            .indent(4)
            .replaceAll("(?m)^    (?=\\S)", "    ")
            .replaceAll("(?m)^ {8}", "    ")
            .stripTrailing()
        + "\n";
  }

  private String body(String name, ApiBody body) {
    String type = body.json() ? type(body.schema(), name + "Body", "t.") : "bytes";
    return "body: " + type + (body.required() ? "" : " | None = None");
  }

  private String answer(String name, ApiAnswer answer) {
    return switch (answer) {
      case ApiAnswer.PageAnswer(JsonNode item) ->
          "t.Page[" + type(item, name + "Entry", "t.") + "]";
      case ApiAnswer.JsonAnswer(JsonNode schema) -> type(schema, name + "Answer", "t.");
      case ApiAnswer.TextAnswer _, ApiAnswer.AddressAnswer _ -> "str";
      case ApiAnswer.BytesAnswer _ -> "bytes";
      case ApiAnswer.NoContentAnswer _ -> "None";
    };
  }

  private static String kind(ApiAnswer answer) {
    return switch (answer) {
      case ApiAnswer.PageAnswer _ -> "json";
      case ApiAnswer.JsonAnswer(JsonNode schema) -> schema.has("anyOf") ? "any" : "json";
      case ApiAnswer.TextAnswer _ -> "text";
      case ApiAnswer.AddressAnswer _ -> "address";
      case ApiAnswer.BytesAnswer _ -> "bytes";
      case ApiAnswer.NoContentAnswer _ -> "nothing";
    };
  }

  /** What a method hands on. */
  private static String passed(ApiOperation operation) {
    StringBuilder text = new StringBuilder();
    for (String place : List.of("path", "query", "header")) {
      String pairs =
          operation.in(place).stream()
              .map(it -> "\"" + it.name() + "\": " + variable(it.name()))
              .collect(Collectors.joining(", "));
      if (!pairs.isEmpty()) {
        text.append("            ").append(place).append("={").append(pairs).append("},\n");
      }
    }
    if (operation.body().isPresent()) {
      text.append("            body=body,\n");
    }
    if (operation.body().filter(it -> !it.json()).isPresent()) {
      text.append("            content_type=content_type,\n");
    }
    if (operation.repetition() == ApiDocument.Repetition.WITH_KEY) {
      text.append("            key=idempotency_key,\n");
    }
    return text.toString();
  }

  /** An operation's name as Python writes names. */
  static String snake(String name) {
    return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }

  private static String variable(String name) {
    String text = name.replace('-', '_').toLowerCase(Locale.ROOT);
    return KEYWORDS.contains(text) ? text + "_" : text;
  }

  private static String capital(String name) {
    return Stream.of(name.split("_"))
        .filter(it -> !it.isEmpty())
        .map(it -> it.substring(0, 1).toUpperCase(Locale.ROOT) + it.substring(1))
        .collect(Collectors.joining());
  }
}
