// Drives an official client of the Model Context Protocol: node driver.mjs URL KEY sdk|client
// Reads {"tool" or "prompt", "arguments"} or {"resource"} a line, writes the result a line; the first line it writes is about the connection.
import { createInterface } from "node:readline";

const [url, key, which] = process.argv.slice(2);
const options = { requestInit: { headers: { "X-API-Key": key } } };
const me = { name: "convoke-test", version: "1" };
let client;
let transport;
if (which === "sdk") {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  client = new Client(me);
  transport = new StreamableHTTPClientTransport(new URL(url), options);
} else {
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  client = new Client(me, { versionNegotiation: { mode: "auto" } });
  transport = new StreamableHTTPClientTransport(new URL(url), options);
}
const say = (value) => process.stdout.write(JSON.stringify(value) + "\n");

await client.connect(transport);
const version = which === "sdk" ? transport.protocolVersion : client.getNegotiatedProtocolVersion();
const { tools } = await client.listTools();
const { prompts } = await client.listPrompts();
const { resources } = await client.listResources();
say({
  server: client.getServerVersion(),
  version,
  tools: tools.map((tool) => tool.name),
  prompts: prompts.map((prompt) => prompt.name),
  resources: resources.map((resource) => resource.uri),
});
for await (const line of createInterface({ input: process.stdin })) {
  const { tool, prompt, resource, arguments: given } = JSON.parse(line);
  try {
    if (resource) {
      say(await client.readResource({ uri: resource }));
    } else if (prompt) {
      say(await client.getPrompt({ name: prompt, arguments: given }));
    } else {
      say(await client.callTool({ name: tool, arguments: given }));
    }
  } catch (error) {
    say({ failed: String(error) });
  }
}
await client.close();
