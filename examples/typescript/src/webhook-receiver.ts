/** Registers itself for events and prints those that are authentic: `webhook-receiver.js PORT`. */
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { Convoke, verifyWebhook } from "@convoke/client";

const port = Number(process.argv[2]);
const endpoint = await new Convoke().webhooks.create({ url: `http://127.0.0.1:${port}/hooks` });
const seen = new Set<unknown>(); // a message may arrive twice

const server = createServer(async (request, response) => {
  try {
    const event = verifyWebhook(endpoint.secret, request.headers, await buffer(request));
    if (!seen.has(request.headers["webhook-id"])) {
      seen.add(request.headers["webhook-id"]);
      console.log(event.type, event.subject);
    }
    response.writeHead(204).end();
  } catch (error) {
    console.log("refused", String(error));
    response.writeHead(401).end();
  }
});
server.listen(port, "127.0.0.1", () => console.log("ready", endpoint.id));
