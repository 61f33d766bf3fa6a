// @ts-check
// Data of one open meeting: row, participants, bot, timeline and transcript.
import { api } from './api.js';
import { SAID, meetingOf } from './apply.js';
import { Cell, Resource } from './cell.js';
import { asProblem } from './problem.js';

/** @typedef {import('./types.js').JournalEvent} JournalEvent */
/** @typedef {import('./types.js').Meeting} Meeting */

const PAGE = 200;
/** Pages of events that are read at once, from the newest back. */
const PAGES = 5;

export class Room {
  /** @param {number} id @param {import('./cell.js').Table<Meeting>} table where the row lives */
  constructor(id, table) {
    this.id = id;
    this.row = new Resource(async () => {
      const asked = table.clock;
      const row = await api.meeting(id);
      table.take(row, asked);
      return row;
    });
    this.presence = new Resource(() => api.participants(id));
    this.bot = new Resource(() => api.bot(id));
    /** Events by seq, ascending; `older` leads to those that are not here. */
    this.timeline = new Resource(() => this.newest());
    /** What has come since the running read of the timeline began. @type {JournalEvent[]|null} */
    this.arrived = null;
    /** Ids of sessions that have just joined or left, for a short highlight. */
    this.fresh = new Cell(/** @type {ReadonlySet<string>} */ (new Set()));
  }

  /** @param {boolean} tracked rows without a bot have no bot status to ask for */
  loadParts(tracked) {
    const parts = [this.presence, this.timeline, ...(tracked ? [] : [this.bot])];
    return Promise.all(parts.map((part) => part.load()));
  }

  /** @param {JournalEvent[]} events */
  append(events) {
    this.arrived?.push(...events);
    this.timeline.patch((held) => {
      const all = merged(held.events, events);
      return all === held.events ? held : { ...held, events: all };
    });
  }

  /**
   * Reads the newest events; those that arrive meanwhile may be missing in what is read. Older ones that are here stay.
   * @returns {Promise<{events: JournalEvent[], older: string|null}>}
   */
  async newest() {
    const arrived = (this.arrived = /** @type {JournalEvent[]} */ ([]));
    const { events, older } = await readTimeline(this.id, null);
    if (this.arrived === arrived) this.arrived = null;
    const held = this.timeline.value;
    const at = held ? held.events.findIndex(({ seq }) => seq === events[0]?.seq) : -1;
    if (held && at > 0) return { events: merged([...held.events.slice(0, at), ...events], arrived), older: held.older };
    return { events: merged(events, arrived), older };
  }

  /** Reads older events. */
  async older() {
    const cursor = this.timeline.value?.older;
    if (!cursor) return;
    const { events, older } = await readTimeline(this.id, cursor);
    this.timeline.patch((held) => (held.older === cursor ? { events: [...events, ...held.events], older } : held));
  }
}

/** Events by seq, each once; the same array when nothing is added. @param {JournalEvent[]} held @param {JournalEvent[]} come */
function merged(held, come) {
  const bySeq = new Map([...come, ...held].map((event) => [event.seq, event]));
  return bySeq.size === held.length ? held : [...bySeq.values()].sort((a, b) => a.seq - b.seq);
}

/**
 * Reads a part of the timeline, from the newest event or from a cursor back.
 * @param {number} id @param {string|null} cursor
 * @returns {Promise<{events: JournalEvent[], older: string|null}>}
 */
async function readTimeline(id, cursor) {
  /** @type {JournalEvent[]} */
  const events = [];
  for (let i = 0; i < PAGES && (i === 0 || cursor); i++) {
    const page = await api.timeline(id, { limit: PAGE, cursor, order: 'newest' });
    events.push(...page.items);
    cursor = page.next_cursor ?? null;
  }
  return { events: events.reverse(), older: cursor };
}

// The transcript of a meeting: read once page by page, then updated by the events that carry stored segments.

/** @typedef {import('./types.js').Segment} Segment */
/** @typedef {Map<number, Segment>} Held segments by id */

const SEGMENTS = 1000;

/**
 * @typedef {object} Spoken
 * @property {Segment[]} segments
 * @property {boolean} partial more may be said
 * @property {boolean} whole all that the server has is here
 */

/** A loader of shown data, see store.js. */
export class Words {
  /** @param {number} meeting @param {string} [session] only the words of this session */
  constructor(meeting, session = '') {
    this.key = `words:${meeting} ${session}`;
    this.meeting = meeting;
    this.session = session;
    this.moving = false;
    this.turn = 0;
    /** @type {Held} */
    this.held = new Map();
    /** The result of the running read; no read runs while both are the same. @type {Held} */
    this.read = this.held;
    // Events carry every change, so a complete transcript stays current; an incomplete one is read again.
    /** @type {Cell<import('./cell.js').Fetched<Spoken>>} */
    this.cell = new Cell(/** @type {any} */ ({ phase: 'loading', value: null, problem: null, at: Date.now() }));
  }

  async load() {
    const turn = ++this.turn;
    const first = !this.cell.value.value?.whole;
    /** @type {Held} */
    const read = new Map();
    this.read = read;
    if (first) this.held = read;
    try {
      let cursor = /** @type {string|null} */ (null);
      do {
        const page = await api.transcript(this.meeting, { limit: SEGMENTS, cursor });
        if (turn !== this.turn) return;
        for (const segment of page.segments) put(read, segment);
        cursor = page.next_cursor;
        if (!cursor) this.held = read;
        if (!cursor || first) this.show(page.partial, !cursor, { phase: 'ready', problem: null, at: cursor ? Date.now() : Infinity });
      } while (cursor);
    } catch (thrown) {
      if (turn === this.turn) this.cell.update((before) => ({ ...before, phase: 'failed', problem: asProblem(thrown), at: Date.now() }));
    }
  }

  /** Applies the segments of the events; true when the server has more. @param {import('./types.js').JournalEvent[]} events */
  hears(events) {
    let again = false;
    let said = false;
    for (const event of events) {
      if (meetingOf(event) !== this.meeting) continue;
      if (event.type === SAID) {
        said = true;
        // The result of an unfinished read may be older.
        again ||= event.data?.replaces && !this.cell.value.value?.whole;
        for (const held of new Set([this.held, this.read])) take(held, event.data);
      } else again ||= /^(transcript|recording)\./.test(event.type);
    }
    const { value } = this.cell.value;
    if (said && value) this.show(value.partial, value.whole);
    return again;
  }

  /** @param {boolean} partial @param {boolean} whole @param {Partial<import('./cell.js').Fetched<Spoken>>} [how] */
  show(partial, whole, how) {
    const segments = [...this.held.values()].filter(({ session_uid }) => !this.session || session_uid === this.session);
    /** Sessions stand in the order in which they began to speak. @type {Map<string|null, number>} */
    const begin = new Map();
    for (const { id, session_uid } of segments) begin.set(session_uid, Math.min(id, begin.get(session_uid) ?? id));
    const at = (/** @type {Segment} */ { session_uid }) => begin.get(session_uid) ?? 0;
    segments.sort((a, b) => at(a) - at(b) || a.start - b.start || a.id - b.id);
    this.cell.update((before) => ({ ...before, ...how, value: { segments, partial, whole } }));
  }
}

/** A draft never replaces what is completed. @param {Held} held @param {Segment} segment */
function put(held, segment) {
  if (segment.completed || !held.get(segment.id)?.completed) held.set(segment.id, segment);
}

/** @param {Held} held @param {any} data of an event */
function take(held, { replaces, session_uid, segments }) {
  if (replaces) for (const [id, each] of held) if (each.session_uid === session_uid) held.delete(id);
  for (const segment of segments) put(held, segment);
}
