/** Follows what happens, over every restart of the server: `events.js [AFTER]`. */
import { Convoke } from "@convoke/client";

const after = process.argv[2];
const from = after === undefined ? {} : { after: Number(after) };
for await (const event of new Convoke().events.stream(from)) {
  console.log(event.seq, event.type, event.subject);
}
