/** What setTimeout takes at most. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * A signal that is aborted after so many milliseconds, or with one of some others. It is to be ended
 * in `finally`.
 *
 * `AbortSignal.timeout` and `AbortSignal.any` do not serve for it: in Node 20 and 22 their signals may
 * be collected as garbage while a request waits for them, which then waits for ever.
 */
export class Limit {
  readonly #controller = new AbortController();
  readonly #others: readonly AbortSignal[];
  readonly #timer: NodeJS.Timeout;
  readonly #abort = () => this.#controller.abort();
  #late = false;

  constructor(ms: number, ...others: AbortSignal[]) {
    this.#others = others;
    this.#timer = setTimeout(() => this.#expire(), Math.min(Math.ceil(ms), LONGEST_MS));
    others.forEach((other) => other.addEventListener("abort", this.#abort));
    if (others.some((other) => other.aborted)) {
      this.#abort();
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time was over before anything else aborted the signal. */
  get late(): boolean {
    return this.#late;
  }

  /** Begins the time anew. */
  refresh(): void {
    this.#timer.refresh();
  }

  /** Aborts what still goes on, and lets go of the other signals. */
  end(): void {
    clearTimeout(this.#timer);
    this.#others.forEach((other) => other.removeEventListener("abort", this.#abort));
    this.#abort();
  }

  #expire(): void {
    this.#late = !this.signal.aborted;
    this.#controller.abort(new Error("no answer in time"));
  }
}

/**
 * The body of an answer as it comes; throws once the signal is aborted. `fetch` alone may forget its
 * signal after the headers, for the same reason.
 */
export async function* parts(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    return;
  }
  const cancel = () => void reader.cancel(signal.reason).catch(() => {}); // broken before
  signal.addEventListener("abort", cancel);
  try {
    while (true) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) {
        signal.throwIfAborted();
        return;
      }
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

/** The whole body; throws if it is longer than so many bytes. */
export async function content(
  response: Response,
  signal: AbortSignal,
  longest = Infinity,
): Promise<Buffer> {
  const all: Uint8Array[] = [];
  let length = 0;
  for await (const part of parts(response, signal)) {
    all.push(part);
    length += part.length;
    if (length > longest) {
      throw new RangeError("too long");
    }
  }
  return Buffer.concat(all);
}
