package io.convoke.server.mcp;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.OperatorRole;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.mcp.McpMessages.McpReply;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * {@code POST /mcp}: the Model Context Protocol over streamable HTTP, without sessions. Each
 * message is answered with JSON at once, so there is no stream to open with GET.
 */
public final class McpEndpoint {
  private static final int BATCH_MAX = 20;
  private static final Schema VERSION = Schema.printable(1, 40);

  private static final Schema MESSAGE =
      Schema.object()
          .required("jsonrpc", Schema.oneOf("2.0"))
          .optional("method", Schema.printable(1, 200))
          .optional("params", Schema.anyObject())
          .optional("id", Schema.anyOf(Schema.text(0, 200), Schema.integer()));

  private static final Schema RESPONSE =
      Schema.object()
          .required("jsonrpc", Schema.oneOf("2.0"))
          .required("id", Schema.any())
          .optional("result", Schema.anyObject())
          .optional(
              "error",
              Schema.object()
                  .required("code", Schema.integer())
                  .required("message", Schema.text())
                  .optional("data", Schema.any()));

  private final McpMessages messages;

  /**
   * Serves tools that call these operations.
   *
   * @param operations of all features
   * @param secrets for confirmations
   */
  public McpEndpoint(List<Endpoint> operations, SecretBox secrets, InstantSource clock) {
    AnswerSchemas answers = new AnswerSchemas(operations);
    List<McpTool> tools = new ArrayList<>(new ReadingTools(answers, clock).tools());
    tools.addAll(new ActingTools(answers, new Confirmations(secrets, clock)).tools());
    this.messages = new McpMessages(tools);
  }

  /** The one endpoint. */
  public Endpoint endpoint() {
    return Endpoint.post("/mcp")
        .id("callMcp")
        .tag("mcp")
        .summary("Send a message of the Model Context Protocol, for language models.")
        .description(
            "JSON-RPC 2.0. Tools call operations of this server with the caller's rights, and these"
                + " are limited and audited as if the caller had sent them. A batch (of protocol"
                + " version 2025-03-26) has at most 20 messages.")
        .roles(CallerRole.USER)
        .operators(OperatorRole.VIEWER)
        .anyScope()
        .callsOthers()
        .header(
            "MCP-Protocol-Version",
            VERSION.describe("The version of the protocol that this message follows."))
        .header(
            "Mcp-Method",
            Schema.printable(1, 200).describe("The method of the message; from 2026-07-28 on."))
        .header(
            "Mcp-Name",
            Schema.printable(1, 200).describe("The tool that is called; from 2026-07-28 on."))
        .body(Schema.anyOf(MESSAGE, Schema.array(MESSAGE, BATCH_MAX)))
        .answers(200, Schema.anyOf(RESPONSE, Schema.array(RESPONSE)))
        .answers(202)
        .answers(400, RESPONSE)
        .answers(404, RESPONSE)
        .handle(this::answer);
  }

  private Response answer(Request request) {
    checkOrigin(request);
    JsonNode body = request.json();
    if (!body.isArray()) {
      return switch (messages.answer(request, body)) {
        case McpReply.RpcResponse(int status, Map<String, Object> response) ->
            Response.status(status, response);
        case McpReply.NoResponse() -> Response.accepted();
      };
    }
    List<Object> responses = new ArrayList<>();
    for (JsonNode message : body) {
      switch (messages.answer(request, message)) {
        case McpReply.RpcResponse(_, Map<String, Object> response) -> responses.add(response);
        case McpReply.NoResponse() -> {}
      }
    }
    return responses.isEmpty() ? Response.accepted() : Response.ok(responses);
  }

  /**
   * Refuses pages of other sites, whose browsers may reach us where their servers cannot.
   *
   * @throws Problem 403 for an {@code Origin} that is not the host that was asked
   */
  private static void checkOrigin(Request request) {
    Optional<String> origin = request.header("Origin");
    if (origin.isPresent()
        && !request.header("Host").filter(host -> isHost(origin.get(), host)).isPresent()) {
      throw Problem.of(403, "origin_refused", "Pages of other sites may not call this.");
    }
  }

  private static boolean isHost(String origin, String host) {
    int scheme = origin.indexOf("://");
    return scheme > 0 && origin.substring(scheme + 3).equalsIgnoreCase(host);
  }
}
