// @ts-check
// The failure of a request: a problem document (RFC 9457), an unreadable response, or no response.

export class Problem extends Error {
  /**
   * @param {object} given
   * @param {number} given.status 0 when there was no answer
   * @param {string} given.title
   * @param {string} [given.detail]
   * @param {string} [given.code]
   * @param {string} [given.trace_id]
   * @param {{field: string, message: string}[]} [given.errors]
   * @param {number} [given.retry_after] seconds
   * @param {any[]} [given.components] of a server that cannot serve
   */
  constructor({ status, title, detail = '', code = '', trace_id = '', errors = [], retry_after = 0, components = [] }) {
    super(title);
    this.status = status;
    this.title = title;
    this.detail = detail;
    this.code = code;
    this.traceId = trace_id;
    this.errors = errors;
    this.retryAfter = retry_after;
    this.components = components;
  }

  /** @param {unknown} cause */
  static unreachable(cause) {
    const slow = cause instanceof DOMException && cause.name === 'TimeoutError';
    return new Problem({
      status: 0,
      title: slow ? 'Convoke takes too long to answer' : 'Convoke cannot be reached',
      detail: slow
        ? 'The request was given up after 15 seconds. What it asked for may still happen.'
        : 'There was no answer from the server. Is it running, and is this machine online?',
    });
  }

  /** @param {Response} response */
  static async from(response) {
    const retry = Number(response.headers.get('Retry-After'));
    const retry_after = Number.isFinite(retry) ? retry : 0;
    const body = await response.json().catch(() => null);
    const title = body?.title || `The server answered ${response.status} ${response.statusText}`.trim();
    const errors = Array.isArray(body?.errors) ? body.errors : [];
    return new Problem({
      status: response.status,
      title,
      detail: body?.detail ?? '',
      code: body?.code ?? '',
      trace_id: body?.trace_id ?? '',
      errors,
      retry_after,
      components: body?.components ?? [],
    });
  }
}

/** Whether it may be gone by itself when asked again. @param {Problem|null} problem */
export const passes = (problem) => !!problem && (problem.status === 0 || problem.status === 429 || problem.status >= 500);

/** Any thrown value as a Problem. @param {unknown} thrown */
export function asProblem(thrown) {
  if (thrown instanceof Problem) return thrown;
  const detail = thrown instanceof Error ? thrown.message : String(thrown);
  return new Problem({ status: 0, title: 'The console stumbled', detail });
}
