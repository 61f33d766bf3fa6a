package io.convoke.server.mcp;

import io.convoke.engine.json.Json;
import io.convoke.server.http.OperationCall;
import io.convoke.server.http.OperationCalls;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.http.schema.SchemaRenderer;
import io.convoke.server.http.schema.SchemaValidator;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** A tool: how clients see it, which operations it needs, and what it does. Immutable. */
final class McpTool {
  /** What a tool answers: JSON that its output schema describes. */
  @FunctionalInterface
  interface ToolWork {
    /**
     * Answers one call.
     *
     * @throws Problem for what the caller may not have, or what cannot be
     */
    JsonNode answer(ToolCall call);
  }

  /** What a tool does to the world, for clients that ask a person first. */
  enum ToolEffect {
    /** It reads. */
    READS,
    /** It adds something. */
    ADDS,
    /** It ends something. */
    ENDS
  }

  /**
   * How a tool looks.
   *
   * @param input the schema of its arguments, an object
   * @param output the schema of its answer, an object
   * @param operations which of our operations it calls; a caller who may not call all of them does
   *     not see it
   */
  record ToolDescription(
      String name,
      String title,
      String description,
      ToolEffect effect,
      Schema input,
      Schema output,
      Set<String> operations) {}

  private final ToolDescription description;
  private final SchemaValidator arguments;
  private final ToolWork work;

  McpTool(ToolDescription description, ToolWork work) {
    this.description = description;
    this.arguments = new SchemaValidator(description.input());
    this.work = work;
  }

  String name() {
    return description.name();
  }

  /** Whether the caller's credential permits all that it calls. */
  boolean permittedTo(OperationCalls calls) {
    return description.operations().stream().allMatch(calls::permits);
  }

  /**
   * Answers a call with these arguments.
   *
   * @throws Problem 400 for arguments that its schema refuses
   */
  JsonNode answer(Request request, JsonNode given) {
    List<Problem.FieldError> errors = arguments.check(given, "");
    if (!errors.isEmpty()) {
      throw Problem.badRequest(errors);
    }
    return work.answer(new ToolCall(request, name(), given));
  }

  /** The entry of {@code tools/list}. */
  Map<String, Object> listed() {
    Map<String, Object> listed = new LinkedHashMap<>();
    listed.put("name", name());
    listed.put("title", description.title());
    listed.put("description", description.description());
    listed.put("inputSchema", SchemaRenderer.whole(description.input()));
    listed.put("outputSchema", SchemaRenderer.whole(description.output()));
    boolean reads = description.effect() == ToolEffect.READS;
    Map<String, Object> annotations = new LinkedHashMap<>();
    annotations.put("title", description.title());
    annotations.put("readOnlyHint", reads);
    annotations.put("destructiveHint", description.effect() == ToolEffect.ENDS);
    // What acts runs once for each confirmation.
    annotations.put("idempotentHint", true);
    annotations.put("openWorldHint", !reads);
    listed.put("annotations", annotations);
    return listed;
  }

  /**
   * One call of a tool.
   *
   * @param request the request that it came by
   * @param arguments valid against the tool's input schema
   */
  record ToolCall(Request request, String tool, JsonNode arguments) {
    /** An argument; empty if it is absent or null. */
    Optional<JsonNode> argument(String name) {
      return Optional.of(arguments.path(name)).filter(it -> !it.isMissingNode() && !it.isNull());
    }

    /** A text argument. */
    Optional<String> text(String name) {
      return argument(name).map(JsonNode::asString);
    }

    /** The call with those of these arguments that are present as its query parameters. */
    OperationCall queried(OperationCall operation, String... names) {
      OperationCall all = operation;
      for (String name : names) {
        Optional<JsonNode> value = argument(name);
        if (value.isPresent()) {
          all = all.query(name, value.get().asString());
        }
      }
      return all;
    }

    /** The JSON that an operation answers for the caller. */
    JsonNode answerOf(OperationCall operation) {
      return json(request.operations().call(operation));
    }

    /** The same; empty if it is not there for the caller. */
    Optional<JsonNode> found(OperationCall operation) {
      try {
        return Optional.of(answerOf(operation));
      } catch (Problem problem) {
        if (problem.status() == 404) {
          return Optional.empty();
        }
        throw problem;
      }
    }

    /** The arguments without these. */
    ObjectNode without(String... names) {
      return arguments.deepCopy().asObject().without(List.of(names));
    }
  }

  /** The body of an answer as JSON; of a document, its text. */
  static JsonNode json(Response response) {
    return switch (response.body()) {
      case Response.ResponseBody.JsonBody(Object value) -> Json.tree(value);
      case Response.ResponseBody.BytesBody(String type, byte[] bytes) -> {
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (type.endsWith("problem+json")) {
          throw replayed(Json.read(text));
        }
        yield type.startsWith(Response.JSON)
            ? Json.read(text)
            : JsonNodeFactory.instance.stringNode(text);
      }
      case Response.ResponseBody.EmptyBody _,
          Response.ResponseBody.StreamBody _,
          Response.ResponseBody.EventStreamBody _ ->
          JsonNodeFactory.instance.objectNode();
    };
  }

  /** A refusal that was stored for its idempotency key. */
  private static Problem replayed(JsonNode problem) {
    return Problem.of(
        problem.path("status").asInt(500),
        problem.path("code").asString("internal"),
        problem.path("detail").asString(""));
  }
}
