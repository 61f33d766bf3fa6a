// @ts-check
// A parser for server-sent events (WHATWG HTML, section 9.2), fed with text as it arrives. EventSource would
// parse too, but it cannot send the header that carries the key.

/**
 * @typedef {object} Message
 * @property {string} id the last id seen so far; empty when there was none
 * @property {string} event
 * @property {string} data
 */

export class SseParser {
  /** @param {(message: Message) => void} onMessage @param {(ms: number) => void} [onRetry] */
  constructor(onMessage, onRetry = () => {}) {
    this.onMessage = onMessage;
    this.onRetry = onRetry;
    this.rest = '';
    this.id = '';
    this.event = '';
    /** @type {string[]} */
    this.data = [];
  }

  /** Takes the next piece of the stream; a line may be cut anywhere. @param {string} text */
  push(text) {
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/);
    this.rest = /** @type {string} */ (lines.pop());
    for (const line of lines) this.line(line);
  }

  /** @param {string} line */
  line(line) {
    if (line === '') return this.dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
    if (field === 'data') this.data.push(value);
    else if (field === 'event') this.event = value;
    else if (field === 'id' && !value.includes('\0')) this.id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.onRetry(Number(value));
  }

  dispatch() {
    const { data, event } = this;
    this.data = [];
    this.event = '';
    if (data.length > 0) this.onMessage({ id: this.id, event: event || 'message', data: data.join('\n') });
  }
}
