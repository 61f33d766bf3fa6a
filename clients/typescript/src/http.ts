import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, InvalidAnswer, Unreachable } from "./errors.js";
import { content, Limit } from "./limit.js";

export type Query = Readonly<Record<string, unknown>>;

/** How requests are sent; times are milliseconds. */
export interface HttpOptions {
  /** Of one attempt; 30,000 unless set. */
  timeout?: number;
  /** Repetitions of a request; 4 unless set. */
  retries?: number;
  /** The longest pause that a server may ask for; 20,000 unless set. */
  patience?: number;
  /** For tests. */
  sleep?: (ms: number) => Promise<unknown>;
}

export interface Request {
  query?: Query;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Doing it twice is doing it once. GET and DELETE are, unless said otherwise. */
  idempotent?: boolean;
  /** It takes an `Idempotency-Key`. */
  creates?: boolean;
  /** Its answer is an address to go on at. */
  redirects?: boolean;
}

/** A 2xx answer. */
export class Answer {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly body: Uint8Array,
  ) {}

  text(): string {
    return new TextDecoder().decode(this.body);
  }

  json(): unknown {
    try {
      return JSON.parse(this.text());
    } catch {
      throw new InvalidAnswer(`The answer (${this.status}) is not JSON`);
    }
  }

  /** The JSON object, taken for a `T`. */
  object<T>(): T {
    const value = this.json();
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new InvalidAnswer(`The answer (${this.status}) is not a JSON object`);
    }
    return value as T;
  }
}

/** The pause after so many failures: half of a doubled first one, or more. */
export function backoff(failures: number, first = 250, longest = 10_000): number {
  const full = Math.min(longest, first * 2 ** Math.min(failures - 1, 16));
  return full / 2 + (Math.random() * full) / 2;
}

/**
 * Sends requests to one server. A request is repeated only if a repetition cannot do it twice:
 * reads, deletions, what the API calls idempotent, and creations, which get an `Idempotency-Key`.
 * After all repetitions, or when the server asks for a pause beyond the patience, the last error is
 * thrown.
 */
export class Http {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeout: number;
  readonly #retries: number;
  readonly #patience: number;
  readonly #sleep: (ms: number) => Promise<unknown>;

  constructor(url: string, headers: Readonly<Record<string, string>>, options: HttpOptions) {
    if (!/^https?:\/\//i.test(url)) {
      throw new TypeError("url must begin with http:// or https://");
    }
    this.#url = url.replace(/\/+$/, "");
    this.#headers = { Accept: "application/json", ...headers };
    this.#timeout = options.timeout ?? 30_000;
    this.#retries = options.retries ?? 4;
    this.#patience = options.patience ?? 20_000;
    this.#sleep = options.sleep ?? sleep;
  }

  async send(method: string, path: string, request: Request = {}): Promise<Answer> {
    const headers: Record<string, string> = { ...request.headers };
    if (request.creates) {
      headers["Idempotency-Key"] ??= randomUUID();
    }
    const repeatable =
      request.creates || (request.idempotent ?? (method === "GET" || method === "DELETE"));
    let unanswered = false;
    for (let failures = 1; ; failures++) {
      try {
        return await this.#once(method, path, { ...request, headers });
      } catch (error) {
        if (unanswered && method === "DELETE" && error instanceof ApiError && error.status === 404) {
          return new Answer(204, new Headers(), new Uint8Array()); // deleted by an unanswered attempt
        }
        unanswered ||= !(error instanceof ApiError) || error.status === 502 || error.status === 504;
        const asked = error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0;
        if (!repeatable || failures > this.#retries || !passes(error) || asked > this.#patience) {
          throw error;
        }
        await this.#sleep(Math.max(backoff(failures), asked));
      }
    }
  }

  /** Opens the body of a 2xx answer. */
  async open(method: string, path: string, request: Request, signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { ...this.#headers, ...request.headers };
    const init: RequestInit = { method, headers, signal, redirect: "manual" };
    if (request.body instanceof Uint8Array) {
      init.body = request.body;
    } else if (request.body !== undefined) {
      headers["Content-Type"] = "application/json";
      init.body = JSON.stringify(request.body);
    }
    let response: Response;
    try {
      response = await fetch(this.#url + path + encode(request.query ?? {}), init);
    } catch (lost) {
      throw new Unreachable(`${method} ${path}: ${reason(lost)}`, { cause: lost });
    }
    if (!response.ok && !(request.redirects && response.status === 303)) {
      throw new ApiError(response.status, await problem(response, signal), retryAfter(response.headers));
    }
    return response;
  }

  async #once(method: string, path: string, request: Request): Promise<Answer> {
    const limit = new Limit(this.#timeout);
    try {
      const response = await this.open(method, path, request, limit.signal);
      const body = await content(response, limit.signal).catch((lost: unknown) => {
        throw new Unreachable(`${method} ${path}: the answer broke off: ${reason(lost)}`);
      });
      return new Answer(response.status, response.headers, new Uint8Array(body));
    } finally {
      limit.end();
    }
  }
}

/** `Retry-After` in seconds; undefined without one that can be understood. */
export function retryAfter(headers: Headers): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(value)) {
    return Number(value);
  }
  const at = /^\w{3}, /.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000);
}

export function encode(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== undefined && one !== null)
      .map((one) => `${name}=${encodeURIComponent(String(one))}`),
  );
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
}

/** A path of the API with its parameters, percent-encoded; `*` stays. */
export function fill(path: string, parameters: Readonly<Record<string, string | number>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const part = String(parameters[name] ?? "");
    if (/^\.{0,2}$/.test(part)) {
      throw new TypeError(`"${part}" names nothing`);
    }
    return encodeURIComponent(part);
  });
}

export function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

async function problem(
  response: Response,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(String(await content(response, signal)));
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Whether the same request may be answered otherwise a little later. */
function passes(error: unknown): boolean {
  return error instanceof ApiError
    ? [429, 502, 503, 504].includes(error.status) || error.code === "idempotency_in_flight"
    : error instanceof Unreachable;
}
