/** What this package throws; every error is a {@link ConvokeError}. */
export class ConvokeError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The server did not answer. A request that creates something may have been carried out. */
export class Unreachable extends ConvokeError {}

/** The server, or a proxy before it, answered something that is not of this API. */
export class InvalidAnswer extends ConvokeError {}

/** A webhook is not signed with this secret, or is too old. */
export class InvalidSignature extends ConvokeError {}

/** A refusal, by RFC 9457: `code` is stable and for programs, `problem` the whole answer. */
export class ApiError extends ConvokeError {
  readonly code: string;
  readonly detail: string;
  readonly traceId: string;

  /** `retryAfter` is in seconds. */
  constructor(
    readonly status: number,
    readonly problem: Readonly<Record<string, unknown>>,
    readonly retryAfter?: number,
  ) {
    const code = String(problem["code"] || `http_${status}`);
    const detail = String(problem["detail"] || problem["title"] || "");
    super(`${status} ${code}: ${detail}`);
    this.code = code;
    this.detail = detail;
    this.traceId = String(problem["trace_id"] || "");
  }
}
