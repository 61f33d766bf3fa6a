/** One event of a stream of server-sent events; `id` is the last one that the stream named. */
export interface Message {
  id: string;
  event: string;
  data: string;
}

const LONGEST = 8 << 20;

/**
 * The complete events of a stream; what the end of the stream cuts off is left out. `heard` is
 * called for every chunk, comments included.
 */
export async function* messages(
  body: AsyncIterable<Uint8Array>,
  heard: () => void = () => {},
): AsyncGenerator<Message> {
  const decoder = new TextDecoder();
  let rest = "";
  let id = "";
  let event = "";
  let data: string[] = [];
  for await (const chunk of body) {
    heard();
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > LONGEST) {
      throw new RangeError("a line of the stream is too long");
    }
    for (const raw of lines) {
      const line = raw.replace(/\r$/, "");
      if (line === "") {
        if (data.length > 0) {
          yield { id, event: event || "message", data: data.join("\n") };
        }
        event = "";
        data = [];
        continue;
      }
      const colon = line.indexOf(":");
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "id") {
        id = value;
      } else if (field === "event") {
        event = value;
      } else if (field === "data") {
        data.push(value);
      }
    }
  }
}
