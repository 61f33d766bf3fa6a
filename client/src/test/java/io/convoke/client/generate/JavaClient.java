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
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** The sources of the Java client: a record for each schema, a class for each operation. */
final class JavaClient {
  private static final String TYPES = "io.convoke.client.types";
  private static final String CALLS = "io.convoke.client.calls";

  /** Names that Java or the classes above the generated ones have. */
  private static final Set<String> TAKEN =
      Set.of(
          "default", "class", "enum", "case", "public", "import", "parts", "wait", "notify", "new");

  private static final Map<String, String> IMPORTS =
      Map.of(
          "Instant", "java.time.Instant",
          "JsonNode", "tools.jackson.databind.JsonNode",
          "JsonProperty", "com.fasterxml.jackson.annotation.JsonProperty",
          "List", "java.util.List",
          "Map", "java.util.Map",
          "Optional", "java.util.Optional",
          "ApiCall", "io.convoke.client.ApiCall",
          "ListCall", "io.convoke.client.ListCall",
          "CallParts", "io.convoke.client.CallParts",
          "AnswerType", "io.convoke.client.AnswerType");

  private final ApiDocument document;
  private final String hash;
  private final Map<String, String> files = new TreeMap<>();

  /** Records that belong to the class that is being written. */
  private final List<String> nested = new ArrayList<>();

  private JavaClient(ApiDocument document, String hash) {
    this.document = document;
    this.hash = hash;
  }

  /** Texts of files by their paths below the folder of sources. */
  static Map<String, String> of(ApiDocument document, String hash) {
    JavaClient client = new JavaClient(document, hash);
    document.schemas().forEach(client::schema);
    document.operations().forEach(client::operation);
    client.packageInfo(TYPES, "The objects of the API, as its OpenAPI document has them.");
    client.packageInfo(CALLS, "The operations of the API, each with what it takes.");
    return client.files;
  }

  private void packageInfo(String name, String sentence) {
    files.put(
        name.replace('.', '/') + "/package-info.java",
        """
        /**
         * %s Generated: {@code ./convoke test -Dapi.write=true --only GeneratedClientsTest}; the
         * sha256 of the document was %s.
         */
        @NullMarked
        package %s;

        import org.jspecify.annotations.NullMarked;
        """
            .formatted(sentence, hash, name));
  }

  private void file(String inPackage, String name, String body) {
    Set<String> words = new TreeSet<>(List.of(body.split("[^A-Za-z0-9_]+")));
    Stream<String> known =
        IMPORTS.entrySet().stream()
            .filter(it -> words.contains(it.getKey()))
            .map(Map.Entry::getValue);
    Stream<String> types =
        inPackage.equals(TYPES)
            ? Stream.of()
            : document.schemas().keySet().stream()
                .filter(words::contains)
                .map(it -> TYPES + "." + it);
    String imports =
        Stream.concat(known, types)
            .sorted()
            .map(it -> "import " + it + ";\n")
            .collect(Collectors.joining());
    files.put(
        inPackage.replace('.', '/') + "/" + name + ".java",
        "package " + inPackage + ";\n\n" + imports + (imports.isEmpty() ? "" : "\n") + body);
  }

  private void schema(String name, JsonNode schema) {
    nested.clear();
    String text = record(name, schema, "A {@code " + name + "} of the API.", "");
    file(TYPES, name, text);
  }

  /** A record, with those of its members. */
  private String record(String name, JsonNode schema, String sentence, String indent) {
    List<String> components = new ArrayList<>();
    StringBuilder notes = new StringBuilder();
    List<String> inner = new ArrayList<>();
    for (Map.Entry<String, JsonNode> member : schema.path("properties").properties()) {
      JsonNode of = member.getValue();
      String component = camel(member.getKey());
      boolean there = ApiDocument.required(schema, member.getKey()) && !ApiDocument.nullable(of);
      String type = type(of, name + capital(component), !there);
      components.add(
          annotation(member.getKey(), component)
              + (there ? type : "Optional<" + type + ">")
              + " "
              + component);
      note(of)
          .ifPresent(
              it ->
                  notes.append(" * @param ").append(component).append(' ').append(it).append('\n'));
    }
    inner.addAll(nested);
    nested.clear();
    String javadoc =
        notes.isEmpty()
            ? "/** " + sentence + " */\n"
            : "/**\n * " + sentence + "\n *\n" + notes + " */\n";
    String parameters = components.isEmpty() ? "" : "\n    " + String.join(",\n    ", components);
    String text = javadoc + "public record " + name + "(" + parameters + ") {";
    text += inner.isEmpty() ? "}\n" : "\n" + String.join("\n", inner) + "}\n";
    return text.indent(indent.length());
  }

  private static String annotation(String member, String component) {
    // As Jackson's SNAKE_CASE does, which reads them.
    String snake = component.replaceAll("(?<![A-Z])([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    return snake.equals(member) ? "" : "@JsonProperty(\"" + member + "\") ";
  }

  private static Optional<String> note(JsonNode schema) {
    String text = schema.path("description").asString("");
    List<String> values = ApiDocument.values(schema);
    if (!values.isEmpty()) {
      text += (text.isEmpty() ? "" : " ") + "One of " + String.join(", ", values) + ".";
    }
    return text.isEmpty() ? Optional.empty() : Optional.of(escaped(text));
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("@", "&#64;")
        .replace("*/", "*&#47;")
        .replace('\n', ' ');
  }

  /** The Java type of a schema; a nested record is written for an object that has no name. */
  private String type(JsonNode given, String name, boolean boxed) {
    JsonNode schema = ApiDocument.withoutNull(given);
    Optional<String> reference = ApiDocument.reference(schema);
    if (reference.isPresent()) {
      return reference.get();
    }
    return switch (ApiDocument.type(schema)) {
      case "string" ->
          schema.path("format").asString("").equals("date-time") ? "Instant" : "String";
      case "integer" -> boxed ? "Long" : "long";
      case "number" -> boxed ? "Double" : "double";
      case "boolean" -> boxed ? "Boolean" : "boolean";
      case "array" -> "List<" + type(schema.path("items"), singular(name), true) + ">";
      case "object" -> object(schema, name);
      default -> "JsonNode";
    };
  }

  private String object(JsonNode schema, String name) {
    if (schema.has("properties")) {
      List<String> before = List.copyOf(nested);
      nested.clear();
      String text = record(name, schema, sentence(name), "  ");
      nested.clear();
      nested.addAll(before);
      nested.add(text);
      return name;
    }
    JsonNode values = schema.path("additionalProperties");
    return ApiDocument.type(values).equals("string") ? "Map<String, String>" : "JsonNode";
  }

  private static String sentence(String name) {
    return name.endsWith("Answer")
        ? "What is answered."
        : name.endsWith("Entry") ? "An entry of the list." : "A part of what is around it.";
  }

  private static String singular(String name) {
    return name.endsWith("s") ? name.substring(0, name.length() - 1) : name + "Item";
  }

  private void operation(ApiOperation operation) {
    nested.clear();
    String name = className(document, operation);
    String parent =
        switch (operation.answer()) {
          case ApiAnswer.PageAnswer(JsonNode item) ->
              "ListCall<" + answer(item, name, "Entry") + ">";
          case ApiAnswer.JsonAnswer(JsonNode schema) ->
              "ApiCall<" + answer(schema, name, "Answer") + ">";
          case ApiAnswer.TextAnswer _ -> "ApiCall<String>";
          case ApiAnswer.BytesAnswer _ -> "ApiCall<byte[]>";
          case ApiAnswer.AddressAnswer _ -> "ApiCall<java.net.URI>";
          case ApiAnswer.NoContentAnswer _ -> "ApiCall<JsonNode>";
        };
    String answered = parent.substring(parent.indexOf('<') + 1, parent.length() - 1);
    String shape =
        switch (operation.answer()) {
          case ApiAnswer.PageAnswer _ -> answered + ".class";
          case ApiAnswer.JsonAnswer _ -> "AnswerType.json(" + answered + ".class)";
          case ApiAnswer.TextAnswer _ -> "AnswerType.text()";
          case ApiAnswer.BytesAnswer _ -> "AnswerType.bytes()";
          case ApiAnswer.AddressAnswer _ -> "AnswerType.address()";
          case ApiAnswer.NoContentAnswer _ -> "AnswerType.nothing()";
        };
    StringBuilder text = new StringBuilder();
    text.append("/** ").append(escaped(operation.summary())).append(" {@code ");
    text.append(operation.method()).append(' ').append(operation.path()).append("}. */\n");
    text.append("public final class ")
        .append(name)
        .append(" extends ")
        .append(parent)
        .append(" {\n");
    text.append("  private ").append(name).append("(CallParts parts) {\n");
    text.append("    super(parts, ").append(shape).append(");\n  }\n\n");
    text.append(factory(name, operation));
    for (ApiParameter parameter : operation.parameters()) {
      if (!parameter.required()) {
        setter(text, name, parameter.in(), parameter.name(), parameter.schema(), parameter.text());
      }
    }
    operation.body().ifPresent(body -> members(text, name, operation, body));
    nested.forEach(it -> text.append('\n').append(it));
    file(CALLS, name, text.append("}\n").toString());
  }

  /** The name of an operation's class; a type may have its own name already. */
  static String className(ApiDocument document, ApiOperation operation) {
    String name = capital(operation.id());
    return document.schemas().containsKey(name) ? name + "Call" : name;
  }

  /** The type of an answer, as the head of a class has to name it. */
  private String answer(JsonNode schema, String name, String suffix) {
    String type = type(schema, name + suffix, true);
    return type.equals(name + suffix) ? name + "." + type : type;
  }

  /** The method that makes the call of what it cannot do without. */
  private String factory(String name, ApiOperation operation) {
    List<String> parameters = new ArrayList<>();
    StringBuilder made = new StringBuilder();
    made.append("CallParts.")
        .append(
            switch (operation.repetition()) {
              case REPEATABLE -> "repeatable";
              case WITH_KEY -> "withKey";
              case ONCE -> "once";
            });
    made.append("(\"")
        .append(operation.method())
        .append("\", \"")
        .append(operation.path())
        .append("\")");
    for (ApiParameter parameter : operation.parameters()) {
      if (parameter.required()) {
        String variable = camel(parameter.name());
        parameters.add(type(parameter.schema(), name + capital(variable), false) + " " + variable);
        made.append("\n            .")
            .append(parameter.in())
            .append("(\"")
            .append(parameter.name())
            .append("\", ")
            .append(variable)
            .append(")");
      }
    }
    operation.body().ifPresent(body -> required(name, body, parameters, made));
    return """
          /** The call, with what it needs. */
          public static %s of(%s) {
            return new %s(
                %s);
          }
        """
        .formatted(name, String.join(", ", parameters), name, made);
  }

  private void required(String name, ApiBody body, List<String> parameters, StringBuilder made) {
    if (!body.json()) {
      parameters.add("String contentType");
      parameters.add("byte[] body");
      made.append("\n            .bytes(contentType, body)");
    } else if (body.schema().has("properties")) {
      for (Map.Entry<String, JsonNode> member : body.schema().path("properties").properties()) {
        if (ApiDocument.required(body.schema(), member.getKey())) {
          String variable = camel(member.getKey());
          String type = type(member.getValue(), name + capital(variable), false);
          parameters.add(type + " " + variable);
          made.append("\n            .member(\"")
              .append(member.getKey())
              .append("\", ")
              .append(variable)
              .append(")");
        }
      }
      if (body.required()) {
        made.append("\n            .body()");
      }
    } else if (body.required()) {
      parameters.add("JsonNode body");
      made.append("\n            .body(body)");
    }
  }

  private void members(StringBuilder text, String name, ApiOperation operation, ApiBody body) {
    if (body.json() && !body.schema().has("properties") && !body.required()) {
      method(text, name, "What is sent.", "body(JsonNode body)", "body(body)");
    }
    for (Map.Entry<String, JsonNode> member : body.schema().path("properties").properties()) {
      if (ApiDocument.required(body.schema(), member.getKey())) {
        continue;
      }
      String note = note(member.getValue()).orElse("");
      setter(text, name, "member", member.getKey(), member.getValue(), note);
      if (operation.method().equals("PATCH") && ApiDocument.nullable(member.getValue())) {
        String made = "noMember(\"" + member.getKey() + "\")";
        String method = "without" + capital(camel(member.getKey())) + "()";
        method(text, name, "{@code " + member.getKey() + "} is null.", method, made);
      }
    }
  }

  private void setter(
      StringBuilder text, String name, String in, String parameter, JsonNode schema, String note) {
    String variable = camel(parameter);
    String value = variable.endsWith("_") ? "value" : variable;
    String type = type(schema, name + capital(variable), false);
    String sentence =
        "{@code " + parameter + "}" + (note.isEmpty() ? "." : ": " + escapedOnce(note));
    method(
        text,
        name,
        sentence,
        variable + "(" + type + " " + value + ")",
        in + "(\"" + parameter + "\", " + value + ")");
  }

  private static String escapedOnce(String note) {
    return note.contains("&lt;") || note.contains("&amp;") ? note : escaped(note);
  }

  private static void method(
      StringBuilder text, String name, String sentence, String signature, String made) {
    text.append(
        """

          /** %s */
          public %s %s {
            return new %s(parts().%s);
          }
        """
            .formatted(sentence, name, signature, name, made));
  }

  static String camel(String name) {
    StringBuilder text = new StringBuilder();
    for (String part : name.split("[-_.]", -1)) {
      text.append(
          text.isEmpty()
              ? part.substring(0, 1).toLowerCase(Locale.ROOT) + part.substring(1)
              : capital(part));
    }
    return TAKEN.contains(text.toString()) ? text + "_" : text.toString();
  }

  private static String capital(String name) {
    return name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
  }
}
