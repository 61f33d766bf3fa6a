import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Drives the official client of the Model Context Protocol for Java: Driver URL KEY. It reads and
 * writes the lines of driver.mjs.
 */
public final class Driver {
  private static final McpJsonMapper JSON = McpJsonDefaults.getMapper();

  /** What the SDK logs must not come between the lines. */
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  public static void main(String[] arguments) throws IOException {
    System.setOut(System.err);
    URI url = URI.create(arguments[0]);
    String key = arguments[1];
    var transport =
        HttpClientStreamableHttpTransport.builder(url.resolve("/").toString())
            .endpoint(url.getPath())
            .httpRequestCustomizer((request, _, _, _, _) -> request.header("X-API-Key", key))
            .build();
    try (McpSyncClient client =
        McpClient.sync(transport)
            .clientInfo(new McpSchema.Implementation("convoke-test", "1"))
            .build()) {
      McpSchema.InitializeResult begun = client.initialize();
      say(
          Map.of(
              "server", begun.serverInfo(),
              "version", begun.protocolVersion(),
              "tools", client.listTools().tools().stream().map(McpSchema.Tool::name).toList(),
              "prompts", client.listPrompts().prompts().stream().map(McpSchema.Prompt::name).toList(),
              "resources",
                  client.listResources().resources().stream().map(McpSchema.Resource::uri).toList()));
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        say(answer(client, JSON.readValue(line, Map.class)));
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static Object answer(McpSyncClient client, Map<String, Object> asked) {
    Map<String, Object> given = (Map<String, Object>) asked.getOrDefault("arguments", Map.of());
    try {
      if (asked.containsKey("resource")) {
        return client.readResource(
            new McpSchema.ReadResourceRequest(asked.get("resource").toString()));
      }
      if (asked.containsKey("prompt")) {
        return client.getPrompt(
            new McpSchema.GetPromptRequest(asked.get("prompt").toString(), given));
      }
      return client.callTool(new McpSchema.CallToolRequest(asked.get("tool").toString(), given));
    } catch (RuntimeException e) {
      return Map.of("failed", String.valueOf(e));
    }
  }

  private static void say(Object value) throws IOException {
    OUT.println(JSON.writeValueAsString(value));
  }
}
