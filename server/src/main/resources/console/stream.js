// @ts-check
// The event stream: GET /events as server-sent events over fetch, resumed with Last-Event-ID, closed after a
// silence, retried with backoff and jitter. It reports whether the delivered data may be stale. A browser gives all tabs
// of a host six connections, so a hidden tab has no stream, unless it follows the events themselves.
import { Cell, nextFrame } from './cell.js';
import { Problem } from './problem.js';
import { time } from './time.js';

/** The server sends a comment every 15 s; after this long without a byte the line is dead. */
const SILENCE_MS = 40_000;
/** After a connection this long, the next failure resets the backoff. */
const STEADY_MS = 10_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** A tab that is hidden for this long ends its stream. */
const HIDDEN_MS = 5000;

/**
 * @typedef {object} Link
 * @property {'off'|'connecting'|'live'|'down'} phase
 * @property {number} since when this phase began
 * @property {number} lostAt since when there is no live connection; 0 while there is, or while the first is made
 * @property {number} retryAt when the next attempt starts; 0 unless down
 * @property {Problem|null} problem why events are refused while all else is permitted; data is then polled, and `live`
 */

/** @typedef {import('./types.js').JournalEvent} JournalEvent */

/** True when what is shown may be out of date. @param {Link} link */
export const isStale = ({ lostAt }) => lostAt > 0;

export class EventStream {
  /**
   * @param {object} given
   * @param {(headers: Record<string, string>, signal: AbortSignal) => Promise<Response>} given.open
   * @param {(events: JournalEvent[]) => void} given.onEvents called once per frame with what arrived
   * @param {(again: boolean) => void} given.onLive a connection stands, or is refused; `again`: events may have been missed
   * @param {() => void} given.onRefused the server no longer takes our credentials
   */
  constructor({ open, onEvents, onLive, onRefused }) {
    this.open = open;
    this.onEvents = onEvents;
    this.onLive = onLive;
    this.onRefused = onRefused;
    /** @type {Cell<Link>} */
    this.link = new Cell(/** @type {Link} */ ({ phase: 'off', since: time(), lostAt: 0, retryAt: 0, problem: null }));
    /** Number of events so far. */
    this.received = new Cell(0);
    this.lastId = '';
    this.failures = 0;
    /** @type {AbortController|null} */
    this.abort = null;
    /** Since when there is none because the tab was hidden; 0 otherwise. */
    this.pausedAt = 0;
    /** Until the next attempt. @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    /** Until a silent connection is closed. @type {ReturnType<typeof setTimeout>|undefined} */
    this.silence = undefined;
    /** Until a hidden tab pauses. @type {ReturnType<typeof setTimeout>|undefined} */
    this.hiding = undefined;
    /** @type {JournalEvent[]} */
    this.waiting = [];
    /** Further listeners to events, called once per frame. @type {Set<(events: JournalEvent[]) => void>} */
    this.taps = new Set();
    this.deliver = () => {
      const events = this.waiting;
      this.waiting = [];
      if (events.length === 0) return;
      this.received.set(this.received.value + events.length);
      this.onEvents(events);
      for (const tap of this.taps) tap(events);
    };
    this.hurry = () => {
      clearTimeout(this.hiding);
      if (!document.hidden) this.connectNow();
      else this.hiding = setTimeout(() => this.taps.size || this.pause(), HIDDEN_MS);
    };
    this.offline = () => this.abort?.abort();
  }

  start() {
    addEventListener('online', this.hurry);
    addEventListener('offline', this.offline);
    document.addEventListener('visibilitychange', this.hurry);
    if (document.hidden) this.pause();
    else void this.connect();
  }

  stop() {
    removeEventListener('online', this.hurry);
    removeEventListener('offline', this.offline);
    document.removeEventListener('visibilitychange', this.hurry);
    clearTimeout(this.hiding);
    this.pause();
    this.pausedAt = 0;
  }

  /** Ends the stream until it is connected again from then on; what it misses is to be fetched. */
  pause() {
    clearTimeout(this.timer);
    this.pausedAt ||= this.link.value.lostAt || time();
    this.enter('off');
    this.abort?.abort();
    this.abort = null;
    this.lastId = '';
    this.failures = 0;
    this.waiting = [];
  }

  /** @param {Link['phase']} phase @param {number} [retryAt] @param {Problem|null} [problem] */
  enter(phase, retryAt = 0, problem = null) {
    const since = time();
    const lostAt = phase === 'live' || phase === 'off' ? 0 : this.link.value.lostAt || (phase === 'down' ? this.pausedAt || since : 0);
    this.link.set({ phase, since, lostAt, retryAt, problem });
  }

  /** Ends the pause, or the waiting between two attempts. */
  connectNow() {
    if (/off|down/.test(this.link.value.phase)) void this.connect();
  }

  async connect() {
    clearTimeout(this.timer);
    const abort = new AbortController();
    this.abort = abort;
    const { lostAt, problem: before } = this.link.value;
    const again = (lostAt || this.pausedAt) > 0 || !!before;
    if (!before) this.enter('connecting');
    let liveAt = 0;
    try {
      const headers = { Accept: 'text/event-stream', ...(this.lastId ? { 'Last-Event-ID': this.lastId } : {}) };
      this.heard(abort);
      const response = await this.open(headers, abort.signal);
      this.heard(abort);
      const problem = response.ok ? null : await Problem.from(response);
      if (this.abort !== abort) return;
      if (problem?.status === 401) return this.onRefused();
      if (problem && problem.status !== 403) throw problem;
      liveAt = Date.now();
      this.pausedAt = 0;
      this.enter('live', 0, problem);
      this.onLive(again);
      if (problem) {
        this.timer = setTimeout(() => this.connect(), LONGEST_WAIT_MS);
        return;
      }
      await this.read(/** @type {ReadableStream<Uint8Array>} */ (response.body), abort);
    } catch {
      // Every failure is handled alike: report and retry.
    }
    if (this.abort !== abort) return;
    this.failures = liveAt > 0 && Date.now() - liveAt > STEADY_MS ? 0 : this.failures + 1;
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(this.failures, 8));
    const wait = longest * (0.5 + Math.random() / 2);
    this.enter('down', time() + wait);
    this.timer = setTimeout(() => this.connect(), wait);
  }

  /** @param {ReadableStream<Uint8Array>} body @param {AbortController} abort */
  async read(body, abort) {
    const parser = new SseParser((message) => this.take(message));
    const reader = body.pipeThrough(/** @type {any} */ (new TextDecoderStream())).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.heard(abort);
      parser.push(value);
    }
  }

  /** Closes the connection when it is silent from now on. @param {AbortController} abort */
  heard(abort) {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => abort.abort(), SILENCE_MS);
  }

  /** @param {Message} message */
  take(message) {
    if (message.id) this.lastId = message.id;
    try {
      const event = JSON.parse(message.data);
      if (!event || typeof event !== 'object') return;
      this.waiting.push({ ...event, seq: event.seq ?? Number(message.id), type: event.type ?? message.event });
      nextFrame(this.deliver);
    } catch {
      // A malformed event must not end the stream; the next refetch covers it.
    }
  }
}

// A parser for server-sent events (WHATWG HTML, section 9.2), fed with text as it arrives. EventSource would
// parse too, but it cannot tell a session that has ended from a server that is away.

/**
 * @typedef {object} Message
 * @property {string} id the last id seen so far; empty when there was none
 * @property {string} event
 * @property {string} data
 */

class SseParser {
  /** @param {(message: Message) => void} onMessage */
  constructor(onMessage) {
    this.onMessage = onMessage;
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
  }

  dispatch() {
    const { data, event } = this;
    this.data = [];
    this.event = '';
    if (data.length > 0) this.onMessage({ id: this.id, event: event || 'message', data: data.join('\n') });
  }
}
