import { createHmac, timingSafeEqual } from "node:crypto";
import { InvalidSignature } from "./errors.js";
import type { WebhookEvent } from "./models.js";

/** Headers of a request: those of `node:http`, `node:http2`, or `fetch`. */
export type GivenHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>;

const TOLERANCE_S = 300;

/**
 * Returns the event of a webhook (Standard Webhooks), or throws {@link InvalidSignature}.
 *
 * `body` is what was received, byte for byte. While a secret is replaced, pass both. A message may
 * arrive twice: remember `webhook-id`.
 */
export function verifyWebhook(
  secret: string | readonly string[],
  headers: GivenHeaders,
  body: string | Uint8Array,
  now: Date = new Date(),
): WebhookEvent {
  const id = header(headers, "webhook-id");
  const sent = header(headers, "webhook-timestamp");
  const signatures = header(headers, "webhook-signature");
  if (!id || !signatures || !sent || !/^\d+$/.test(sent)) {
    throw new InvalidSignature("The headers webhook-id, -timestamp and -signature are needed");
  }
  if (Math.abs(now.getTime() / 1000 - Number(sent)) > TOLERANCE_S) {
    throw new InvalidSignature("The message is too old, or from the future");
  }
  const secrets = typeof secret === "string" ? [secret] : secret;
  const expected = secrets.map((one) =>
    createHmac("sha256", key(one)).update(`${id}.${sent}.`).update(body).digest(),
  );
  const offered = signatures
    .split(" ")
    .filter((part) => part.startsWith("v1,"))
    .map((part) => Buffer.from(part.slice(3), "base64"));
  const authentic = offered.some((one) =>
    expected.some((other) => one.length === other.length && timingSafeEqual(one, other)),
  );
  if (!authentic) {
    throw new InvalidSignature("The signature is not of this secret");
  }
  try {
    const event: unknown = JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body));
    if (typeof event === "object" && event !== null && !Array.isArray(event)) {
      return event as WebhookEvent;
    }
  } catch {
    // thrown below
  }
  throw new InvalidSignature("The body is not a JSON object");
}

/** One header; the others may have names that no `Headers` take, as `:path` of HTTP/2. */
function header(headers: GivenHeaders, name: string): string | undefined {
  if (headers instanceof Headers) {
    return headers.get(name) ?? undefined;
  }
  const value = Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1];
  return value === undefined ? undefined : String(value);
}

function key(secret: string): Buffer {
  const text = secret.replace(/^whsec_/, "");
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === 0 || !/^[A-Za-z0-9+/]+=*$/.test(text)) {
    throw new TypeError("The secret is not base64");
  }
  return bytes;
}
