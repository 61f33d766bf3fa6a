package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import tools.jackson.databind.JsonNode;

/** Send a message of the Model Context Protocol, for language models. {@code POST /mcp}. */
public final class CallMcp extends ApiCall<JsonNode> {
  private CallMcp(CallParts parts) {
    super(parts, AnswerType.json(JsonNode.class));
  }

  /** The call, with what it needs. */
  public static CallMcp of(JsonNode body) {
    return new CallMcp(
        CallParts.once("POST", "/mcp")
            .body(body));
  }

  /** {@code MCP-Protocol-Version}: The version of the protocol that this message follows. */
  public CallMcp mCPProtocolVersion(String mCPProtocolVersion) {
    return new CallMcp(parts().header("MCP-Protocol-Version", mCPProtocolVersion));
  }

  /** {@code Mcp-Method}: The method of the message; from 2026-07-28 on. */
  public CallMcp mcpMethod(String mcpMethod) {
    return new CallMcp(parts().header("Mcp-Method", mcpMethod));
  }

  /** {@code Mcp-Name}: The tool that is called; from 2026-07-28 on. */
  public CallMcp mcpName(String mcpName) {
    return new CallMcp(parts().header("Mcp-Name", mcpName));
  }
}
