/** Finds what was said, and prints the transcript around it: `search.js WORDS`. */
import { Convoke } from "@convoke/client";

const convoke = new Convoke();
for await (const hit of convoke.search(process.argv[2] ?? "")) {
  console.log(`meeting ${hit.meeting_id} at ${hit.start.toFixed(0)} s, ${hit.speaker}: ${hit.text}`);
  console.log((await convoke.transcripts.export(hit.meeting_id, "srt")).text);
  break;
}
