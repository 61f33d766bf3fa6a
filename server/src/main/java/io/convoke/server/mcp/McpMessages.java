package io.convoke.server.mcp;

import io.convoke.engine.json.Json;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * Answers single JSON-RPC messages of the Model Context Protocol, without any state: versions with
 * a handshake (2025-03-26 to 2025-11-25) and the one without (2026-07-28), in which each request
 * carries its version.
 */
final class McpMessages {
  /** The version without a handshake. */
  static final String MODERN = "2026-07-28";

  /** The versions with a handshake, newest first. */
  static final List<String> WITH_HANDSHAKE = List.of("2025-11-25", "2025-06-18", "2025-03-26");

  static final List<String> VERSIONS =
      Stream.concat(Stream.of(MODERN), WITH_HANDSHAKE.stream()).toList();

  private static final String META = "io.modelcontextprotocol/";
  private static final String PROTOCOL_VERSION = "protocolVersion";
  private static final String VERSION_HEADER = "MCP-Protocol-Version";

  /** For how long clients keep what changes with a release or a key's rights alone. */
  private static final int FRESH_MS = 300_000;

  /** Transcripts grow, and are corrected and deleted: no copy of one is fresh. */
  private static final int NEVER_FRESH_MS = 0;

  private static final int INVALID_PARAMS = -32602;
  private static final Pattern ENCODED =
      Pattern.compile(
          "=\\?base64\\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\\?=");

  private static final String INSTRUCTIONS =
      "Convoke sends bots into online meetings and keeps who was there, what was said and whether it"
          + " reached the CRM. Times are UTC. Start with list_meetings or search_transcripts. For a"
          + " bot that is late, use explain_bot. Tools that act change nothing at first: they say"
          + " what would happen and give a confirmation; show that to the person before you call"
          + " again with it.";

  private final List<McpTool> tools;

  McpMessages(List<McpTool> tools) {
    this.tools = List.copyOf(tools);
  }

  /** The answer to a message. */
  sealed interface McpReply {
    /** A JSON-RPC response with its HTTP status. */
    record RpcResponse(int status, Map<String, Object> body) implements McpReply {}

    /** A notification, or a response of the client: nothing to say. */
    record NoResponse() implements McpReply {}
  }

  /** A JSON-RPC error with the HTTP status of versions without a handshake. */
  private static final class RpcFailure extends RuntimeException {
    private final int status;
    private final int code;
    private final transient Optional<Object> data;

    private RpcFailure(int status, int code, String message, Optional<Object> data) {
      super(message, null, false, false);
      this.status = status;
      this.code = code;
      this.data = data;
    }
  }

  /** The version of one message, and whether that carries it itself. */
  private record MessageVersion(String name, boolean modern) {}

  /**
   * Answers one message, valid against the endpoint's schema.
   *
   * @throws Problem 400 for one without an answer, in a version that is not spoken
   */
  McpReply answer(Request request, JsonNode message) {
    JsonNode id = message.path("id");
    if (!message.path("method").isString() || id.isMissingNode()) {
      Optional<String> version = request.header(VERSION_HEADER);
      if (version.isPresent() && !VERSIONS.contains(version.get())) {
        throw Problem.badRequest(VERSION_HEADER, "is none of " + VERSIONS);
      }
      return new McpReply.NoResponse();
    }
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("jsonrpc", "2.0");
    body.put("id", id);
    try {
      MessageVersion version = version(request, message);
      Map<String, Object> result = result(request, message, version);
      if (version.modern()) {
        result.put("resultType", "complete");
        result.put("_meta", Map.of(META + "serverInfo", serverInfo()));
      }
      body.put("result", result);
      return new McpReply.RpcResponse(200, body);
    } catch (RpcFailure failure) {
      Map<String, Object> error = new LinkedHashMap<>();
      error.put("code", failure.code);
      error.put("message", failure.getMessage());
      failure.data.ifPresent(data -> error.put("data", data));
      body.put("error", error);
      return new McpReply.RpcResponse(failure.status, body);
    } catch (Problem problem) {
      Map<String, Object> error = new LinkedHashMap<>();
      error.put("code", problem.status() == 400 ? INVALID_PARAMS : -32603);
      error.put("message", problem.detail());
      error.put("data", problem.body(request.traceId()));
      body.put("error", error);
      return new McpReply.RpcResponse(200, body);
    }
  }

  private static MessageVersion version(Request request, JsonNode message) {
    JsonNode params = message.path("params");
    JsonNode meta = params.path("_meta");
    JsonNode own = meta.path(META + PROTOCOL_VERSION);
    Optional<String> header = request.header(VERSION_HEADER);
    if (!own.isString() && header.filter(MODERN::equals).isEmpty()) {
      String version = header.orElse("2025-03-26");
      if (!WITH_HANDSHAKE.contains(version)) {
        throw unsupported(version);
      }
      return new MessageVersion(version, false);
    }
    mirrored(VERSION_HEADER, header, own);
    if (!own.asString().equals(MODERN)) {
      throw unsupported(own.asString());
    }
    if (!meta.path(META + "clientCapabilities").isObject()) {
      throw new RpcFailure(
          400,
          INVALID_PARAMS,
          "_meta lacks the object " + META + "clientCapabilities",
          Optional.empty());
    }
    mirrored("Mcp-Method", request.header("Mcp-Method"), message.path("method"));
    switch (message.path("method").asString()) {
      case "tools/call", "prompts/get" ->
          mirrored("Mcp-Name", plain(request.header("Mcp-Name")), params.path("name"));
      case "resources/read" ->
          mirrored("Mcp-Name", plain(request.header("Mcp-Name")), params.path("uri"));
      default -> {}
    }
    return new MessageVersion(MODERN, true);
  }

  /** The text of a header that may be written as {@code =?base64?...?=}. */
  private static Optional<String> plain(Optional<String> header) {
    return header.map(
        value -> {
          Matcher encoded = ENCODED.matcher(value);
          return encoded.matches()
              ? new String(Base64.getDecoder().decode(encoded.group(1)), StandardCharsets.UTF_8)
              : value;
        });
  }

  /** A header must say what the body says: others route by it. */
  private static void mirrored(String name, Optional<String> header, JsonNode body) {
    if (header.isEmpty() || !header.get().equals(body.asString(""))) {
      throw new RpcFailure(
          400, -32020, "The header " + name + " does not say what the body says", Optional.empty());
    }
  }

  private static RpcFailure unsupported(String version) {
    return new RpcFailure(
        400,
        -32022,
        "Unsupported protocol version",
        Optional.of(Map.of("supported", VERSIONS, "requested", version)));
  }

  private Map<String, Object> result(Request request, JsonNode message, MessageVersion version) {
    String method = message.path("method").asString();
    JsonNode params = message.path("params");
    return switch (method) {
      case "initialize" -> initialized(params);
      case "server/discover" -> discovered();
      case "ping" -> new LinkedHashMap<>();
      case "tools/list" -> listed(request, version);
      case "resources/list" ->
          cached(
              TranscriptResources.list(
                  request.operations(),
                  Optional.of(params.path("cursor"))
                      .filter(JsonNode::isString)
                      .map(JsonNode::asString)),
              version,
              NEVER_FRESH_MS);
      case "resources/templates/list" -> cached(TranscriptResources.templates(), version, FRESH_MS);
      case "resources/read" -> cached(resource(request, params, version), version, NEVER_FRESH_MS);
      case "prompts/list" -> cached(MeetingPrompts.list(), version, FRESH_MS);
      case "prompts/get" ->
          MeetingPrompts.get(params.path("name").asString(""), params.path("arguments"))
              .orElseThrow(() -> invalid("No such prompt, or meeting_id is no number"));
      case "tools/call" -> called(request, params);
      default ->
          throw new RpcFailure(
              version.modern() ? 404 : 200, -32601, "Method not found", Optional.empty());
    };
  }

  /** The version that the client asks for, or our newest with a handshake. */
  private static Map<String, Object> initialized(JsonNode params) {
    String asked = params.path(PROTOCOL_VERSION).asString("");
    Map<String, Object> result = new LinkedHashMap<>();
    result.put(
        PROTOCOL_VERSION, WITH_HANDSHAKE.contains(asked) ? asked : WITH_HANDSHAKE.getFirst());
    result.put("capabilities", capabilities());
    result.put("serverInfo", serverInfo());
    result.put("instructions", INSTRUCTIONS);
    return result;
  }

  private static Map<String, Object> discovered() {
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("supportedVersions", VERSIONS);
    result.put("capabilities", capabilities());
    result.put("serverInfo", serverInfo());
    result.put("instructions", INSTRUCTIONS);
    result.put("ttlMs", FRESH_MS);
    result.put("cacheScope", "public");
    return result;
  }

  private static Map<String, Object> capabilities() {
    return Map.of("tools", Map.of(), "resources", Map.of(), "prompts", Map.of());
  }

  private static Map<String, Object> serverInfo() {
    return Map.of("name", "convoke", "title", "Convoke", "version", "1");
  }

  /** The tools that the caller's credential permits, always in the same order. */
  private Map<String, Object> listed(Request request, MessageVersion version) {
    List<Object> permitted = new ArrayList<>();
    for (McpTool tool : tools) {
      if (tool.permittedTo(request.operations())) {
        permitted.add(tool.listed());
      }
    }
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("tools", permitted);
    return cached(result, version, FRESH_MS);
  }

  /** For clients that keep results: for how long, and for this caller alone. */
  private static Map<String, Object> cached(
      Map<String, Object> result, MessageVersion version, int freshMs) {
    if (version.modern()) {
      result.put("ttlMs", freshMs);
      result.put("cacheScope", "private");
    }
    return result;
  }

  private static Map<String, Object> resource(
      Request request, JsonNode params, MessageVersion version) {
    String uri = params.path("uri").asString("");
    return TranscriptResources.read(request.operations(), uri)
        .orElseThrow(
            () ->
                new RpcFailure(
                    200,
                    version.modern() ? INVALID_PARAMS : -32002,
                    "Resource not found",
                    Optional.of(Map.of("uri", uri))));
  }

  private static RpcFailure invalid(String message) {
    return new RpcFailure(200, INVALID_PARAMS, message, Optional.empty());
  }

  /** A refusal is a result, so that the model reads it and can do better. */
  private Map<String, Object> called(Request request, JsonNode params) {
    String name = params.path("name").asString("");
    McpTool tool =
        tools.stream()
            .filter(it -> it.name().equals(name))
            .findFirst()
            .orElseThrow(() -> invalid("Unknown tool: " + name));
    JsonNode given = params.path("arguments");
    JsonNode arguments = given.isObject() ? given : Json.mapper().createObjectNode();
    try {
      JsonNode answer = tool.answer(request, arguments);
      Map<String, Object> result = content(Json.write(answer), false);
      result.put("structuredContent", answer);
      return result;
    } catch (Problem problem) {
      Map<String, Object> body = problem.body(request.traceId());
      problem.retryAfter().ifPresent(wait -> body.put("retry_after", seconds(wait)));
      return content(Json.write(body), true);
    }
  }

  private static long seconds(java.time.Duration wait) {
    return Math.max(1, wait.plusMillis(999).toSeconds());
  }

  private static Map<String, Object> content(String text, boolean error) {
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("content", List.of(Map.of("type", "text", "text", text)));
    result.put("isError", error);
    return result;
  }
}
