// <sync-status meeting-id="42">: whether a meeting has reached the CRM, for any page. One module without
// dependencies: a spinner while it syncs, a green check when it has, a retry button when it failed or stalled, and
// nothing without a sync. All elements of a page with the same address share one request.
//
// Attributes: meeting-id; src (default /sync-status); interval in seconds (default 5); events, the address of an event
// stream, such as /events, from which changes are taken at once. Property: headers, the request headers or a
// function that returns them. Event: sync-status-change, its detail is the record.

const INTERVAL_S = 5;
const LONGEST_WAIT_MS = 60_000;
const LIMIT_MS = 15_000;
// Ids of one request; the server takes no more.
const TOGETHER = 100;
// While changes are told, asking is only the safety net.
const TOLD_WAIT_MS = 60_000;
// The server sends a comment every 15 s.
const SILENCE_MS = 40_000;
const ID = /^[A-Za-z0-9_.:-]{1,128}$/;

const headersOf = (given) => (typeof given === 'function' ? given() : given);

/** One polled address, shared by its elements. */
class Source {
  constructor(src, headers) {
    this.src = src;
    this.headers = headers;
    this.elements = new Set();
    /** The last response, by the requested ids. */
    this.tags = new Map();
    this.failures = 0;
    this.asking = this.again = false;
    this.hurry = () => {
      if (!document.hidden && this.elements.size > 0) this.soon();
    };
  }

  add(element) {
    document.addEventListener('visibilitychange', this.hurry);
    addEventListener('online', this.hurry);
    this.elements.add(element);
    this.tags.clear();
    this.soon();
  }

  remove(element) {
    this.elements.delete(element);
    if (this.elements.size > 0) return;
    clearTimeout(this.timer);
    document.removeEventListener('visibilitychange', this.hurry);
    removeEventListener('online', this.hurry);
  }

  /** Schedules a request; immediate ones wait until all current elements are connected. */
  soon(ms = 0) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(), ms);
  }

  async ask() {
    // Elements added meanwhile are not part of this request.
    if (this.asking) return void (this.again = true);
    [this.asking, this.again] = [true, false];
    try {
      // A hidden page does not poll; it polls when it is shown again.
      if (!document.hidden) {
        const ids = [...new Set([...this.elements].map((element) => element.meetingId).filter((id) => ID.test(id)))].sort();
        for (let at = 0; at < ids.length; at += TOGETHER) await this.askFor(ids.slice(at, at + TOGETHER));
      }
      this.failures = 0;
    } catch {
      this.failures += 1;
      for (const element of this.elements) element.lost();
    }
    this.asking = false;
    if (this.elements.size > 0) this.soon(this.again && this.failures === 0 ? 0 : this.pause());
  }

  /** The shortest interval that an element wants; after failures twice as long each time, a little scattered. */
  pause() {
    const elements = [...this.elements];
    const told = elements.every((element) => element.isTold);
    const wanted = told ? TOLD_WAIT_MS : Math.min(...elements.map((element) => element.intervalMs));
    if (this.failures === 0) return wanted;
    const longer = Math.min(LONGEST_WAIT_MS, wanted * 2 ** Math.min(this.failures, 10));
    return Math.min(LONGEST_WAIT_MS, longer * (0.9 + Math.random() * 0.2));
  }

  async askFor(ids) {
    const key = ids.join('\n');
    const query = new URLSearchParams(ids.map((id) => ['meeting_id', id]));
    const tag = this.tags.get(key);
    const response = await fetch(`${this.src}?${query}`, {
      headers: { Accept: 'application/json', ...headersOf(this.headers), ...(tag ? { 'If-None-Match': tag } : {}) },
      cache: 'no-store',
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const asked = [...this.elements].filter((element) => ids.includes(element.meetingId));
    if (response.status === 304) return asked.forEach((element) => element.confirm());
    const gone = ids.length === 1 && (response.status === 404 || response.status === 403);
    if (!response.ok && !gone) throw new Error(`the sync status answered ${response.status}`);
    const body = gone ? { items: [] } : await response.json();
    const records = Array.isArray(body.items) ? body.items : [body];
    const tagged = response.headers.get('ETag');
    if (tagged) this.tags.set(key, tagged);
    for (const element of asked) {
      const record = records.find(({ meeting_id }) => meeting_id === element.meetingId);
      if (record) element.show(record);
      else element.clear();
    }
  }

  async retry(id) {
    const response = await fetch(`${this.src}/${encodeURIComponent(id)}/retry`, {
      method: 'POST',
      headers: { Accept: 'application/json', ...headersOf(this.headers) },
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    this.tags.clear();
    if (response.ok) tell(await response.json());
    else if (response.status !== 409) throw new Error(`the retry answered ${response.status}`);
    this.soon();
  }
}

/** One event stream, read with fetch so that it can carry headers, for all elements that name it. */
class EventStream {
  constructor(url, headers) {
    this.url = url;
    this.headers = headers;
    this.elements = new Set();
    this.lastId = '';
    this.failures = 0;
    this.abort = null;
    this.live = false;
  }

  add(element) {
    this.elements.add(element);
    if (!this.abort) void this.listen();
  }

  remove(element) {
    this.elements.delete(element);
    if (this.elements.size > 0) return;
    this.abort?.abort();
    this.abort = null;
  }

  async listen() {
    const abort = new AbortController();
    this.abort = abort;
    try {
      const response = await fetch(`${this.url}?type=sync.status_changed`, {
        headers: { Accept: 'text/event-stream', ...headersOf(this.headers), ...(this.lastId ? { 'Last-Event-ID': this.lastId } : {}) },
        cache: 'no-store',
        signal: abort.signal,
      });
      if (!response.ok || !response.body) throw new Error(`the event stream answered ${response.status}`);
      this.live = true;
      this.failures = 0;
      // Fetches changes from before the stream was connected.
      for (const element of this.elements) element.source?.soon();
      await this.read(response.body, abort);
    } catch {
      // Until the stream is connected again, the elements poll.
    }
    this.live = false;
    if (this.abort !== abort) return;
    this.failures += 1;
    for (const element of this.elements) element.source?.soon();
    const wait = Math.min(LONGEST_WAIT_MS, 500 * 2 ** Math.min(this.failures, 8)) * (0.5 + Math.random() / 2);
    setTimeout(() => this.abort === abort && void this.listen(), wait);
  }

  async read(body, abort) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const silence = setTimeout(() => abort.abort(), SILENCE_MS);
      const { done, value } = await reader.read().finally(() => clearTimeout(silence));
      if (done) return;
      const blocks = (rest + value).split(/\r?\n\r?\n/);
      rest = blocks.pop();
      for (const block of blocks) this.take(block);
    }
  }

  take(block) {
    let data = '';
    for (const line of block.split(/\r?\n/)) {
      if (line.startsWith('id:')) this.lastId = line.slice(3).trim();
      else if (line.startsWith('data:')) data += line.slice(5);
    }
    if (data) tell(JSON.parse(data).data);
  }
}

function shared(all, url, headers, make) {
  const known = all.get(url) ?? [];
  let found = known.find((one) => one.headers === headers);
  if (!found) all.set(url, [...known, (found = make())]);
  return found;
}

const sources = new Map();
const streams = new Map();
const shown = new Set();

/** Updates every element of this meeting; an older record changes nothing. */
export function tell(record) {
  if (!record || typeof record.meeting_id !== 'string' || !Number.isInteger(record.version)) return;
  for (const element of shown) if (element.meetingId === record.meeting_id) element.show(record);
}

const SHEET = new CSSStyleSheet();
SHEET.replaceSync(`
  :host { display: inline-flex; align-items: center; vertical-align: middle; color: inherit; }
  :host([hidden]) { display: none; }
  svg { width: 1.15em; height: 1.15em; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
  .success { color: var(--sync-status-good, #197a3e); }
  .failure, .stalled { color: var(--sync-status-bad, #b3261e); }
  .in_progress { color: var(--sync-status-busy, #5b5fc7); }
  .in_progress svg { animation: turn 1s linear infinite; }
  .old { opacity: 0.5; }
  .old svg { animation: none; stroke-dasharray: 2 2.4; }
  button { all: unset; cursor: pointer; display: inline-flex; border-radius: 4px; padding: 2px; }
  button:focus-visible { outline: 2px solid currentColor; outline-offset: 1px; }
  button[disabled] { cursor: default; opacity: 0.6; }
  .said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  @keyframes turn { to { transform: rotate(1turn); } }
  @media (prefers-reduced-motion: reduce) { .in_progress svg { animation-duration: 4s; } }
`);

const AGAIN = 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.8h-2.8';
const DRAWN = { in_progress: 'M8 2.5a5.5 5.5 0 1 1-5.5 5.5', success: 'm3 8.5 3.2 3.2L13 4.8', failure: AGAIN, stalled: AGAIN };

function drawing(path) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS(space, 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

const minutesOrHours = (ms) => (ms < 5_400_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`);
const ago = (ms) => `${ms < 60_000 ? 'less than a minute' : minutesOrHours(ms)} ago`;

export class SyncStatusElement extends HTMLElement {
  static observedAttributes = ['meeting-id', 'src', 'events'];

  constructor() {
    super();
    this.attachShadow({ mode: 'open' }).adoptedStyleSheets = [SHEET];
    this._headers = {};
    this.record = null;
    /** When the record was known to be true. */
    this.confirmedAt = 0;
    this.isOld = false;
    this.isBusy = false;
    this.trouble = '';
    this.source = this.stream = null;
  }

  get meetingId() { return this.getAttribute('meeting-id') ?? ''; }

  get intervalMs() {
    const seconds = Number(this.getAttribute('interval') ?? INTERVAL_S);
    return (Number.isFinite(seconds) && seconds > 0 ? seconds : INTERVAL_S) * 1000;
  }

  get headers() { return this._headers; }
  set headers(given) {
    if (given === this._headers) return;
    this._headers = given ?? {};
    this.connect();
  }

  /** Whether this element gets changes from an event stream. */
  get isTold() { return this.stream?.live ?? false; }

  connectedCallback() {
    shown.add(this);
    this.connect();
  }

  disconnectedCallback() {
    shown.delete(this);
    this.disconnect();
  }

  attributeChangedCallback(name, before, now) {
    if (name === 'meeting-id' && before !== now) this.clear();
    if (before !== now) this.connect();
  }

  connect() {
    this.disconnect();
    if (!this.isConnected || !this.meetingId) return;
    const src = this.getAttribute('src') || '/sync-status';
    const events = this.getAttribute('events');
    const headers = this._headers;
    this.source = shared(sources, src, headers, () => new Source(src, headers));
    this.source.add(this);
    if (events) {
      this.stream = shared(streams, events, headers, () => new EventStream(events, headers));
      this.stream.add(this);
    }
  }

  disconnect() {
    this.source?.remove(this);
    this.stream?.remove(this);
    this.source = this.stream = null;
  }

  /** Shows a record, unless a newer one is shown. */
  show(record) {
    const held = this.record;
    if (held && held.version > record.version) return;
    const changed = !held || held.version !== record.version || held.stalled !== record.stalled;
    this.record = record;
    this.isOld = record.stale === true;
    if (!this.isOld) this.confirmedAt = Date.now();
    this.trouble = '';
    this.draw();
    if (changed) this.dispatchEvent(new CustomEvent('sync-status-change', { detail: record, bubbles: true, composed: true }));
  }

  /** The shown record is still current. */
  confirm() {
    if (this.record) this.show(this.record);
  }

  /** The current status is unknown: the shown one is marked as old. */
  lost() {
    if (!this.record || this.isOld) return;
    this.isOld = true;
    this.draw();
  }

  clear() {
    this.record = null;
    this.isOld = false;
    this.draw();
  }

  async retry() {
    if (!this.source || this.isBusy) return;
    this.isBusy = true;
    this.trouble = '';
    this.draw();
    try {
      await this.source.retry(this.meetingId);
    } catch {
      this.trouble = 'It could not be asked for; please try again.';
    } finally {
      this.isBusy = false;
      this.draw();
    }
  }

  /** Its text: a tooltip, and a label for screen readers. */
  words({ status, stalled, last_step, error_message }) {
    const at = last_step ? ` (${last_step})` : '';
    const why = error_message ? `: ${error_message}` : '';
    const running = stalled ? `Sync stands still${at}. Try again` : `Syncing${at}`;
    const said = status === 'success' ? 'Synced' : status === 'failure' ? `Sync failed${at}${why}. Try again` : running;
    const old = this.isOld ? `, as it was ${ago(Date.now() - this.confirmedAt)}` : '';
    return `${said}${old}${this.trouble ? `. ${this.trouble}` : ''}`;
  }

  draw() {
    const root = this.shadowRoot;
    const record = this.record;
    const state = !record || record.status === 'not_started' ? '' : record.stalled ? 'stalled' : record.status;
    this.toggleAttribute('data-old', this.isOld);
    this.setAttribute('data-state', state || 'nothing');
    if (!record || !state) return root.replaceChildren();
    const words = this.words(record);
    const again = state === 'failure' || state === 'stalled';
    const held = root.querySelector(again ? 'button' : 'span[role]');
    const box = held ?? document.createElement(again ? 'button' : 'span');
    if (box.dataset.drawn !== DRAWN[state]) {
      const said = document.createElement('span');
      said.className = 'said';
      box.replaceChildren(drawing(DRAWN[state]), said);
      box.dataset.drawn = DRAWN[state];
    }
    box.className = `${state}${this.isOld ? ' old' : ''}`;
    box.title = words;
    box.querySelector('.said').textContent = words;
    if (again) {
      box.disabled = this.isBusy;
      box.onclick = () => void this.retry();
    } else box.setAttribute('role', 'status');
    if (!held) root.replaceChildren(box);
  }
}

if (!customElements.get('sync-status')) customElements.define('sync-status', SyncStatusElement);
