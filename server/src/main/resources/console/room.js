// @ts-check
// Everything the console holds about one open meeting: its row, who is in it, its bot, timeline and transcript.
import { api } from './api.js';
import { Cell, Resource } from './cell.js';

/** @typedef {import('./types.js').JournalEvent} JournalEvent */
/** @typedef {import('./types.js').Meeting} Meeting */

/** The console shows at most this many events of one meeting; older ones stay on the server. */
const MOST_EVENTS = 2000;
const PAGE = 200;

export class Room {
  /** @param {number} id @param {import('./cell.js').Table<Meeting>} table where the row lives */
  constructor(id, table) {
    this.id = id;
    this.row = new Resource(async () => {
      const row = await api.meeting(id);
      table.put(row);
      return row;
    });
    this.presence = new Resource(() => api.participants(id));
    this.bot = new Resource(() => api.bot(id));
    this.transcript = new Resource(() => api.transcript(id));
    /** Events by seq, ascending; `more` when the server holds some that are not here. */
    this.timeline = new Resource(() => readTimeline(id));
    /** Ids of sessions whose arrival or departure was just seen, for a short highlight. */
    this.fresh = new Cell(/** @type {ReadonlySet<string>} */ (new Set()));
  }

  /** @param {boolean} tracked rows without a bot have no bot status to ask for */
  loadParts(tracked) {
    const parts = [this.presence, this.timeline, this.transcript, ...(tracked ? [] : [this.bot])];
    return Promise.all(parts.map((part) => part.load()));
  }

  /** @param {JournalEvent[]} events */
  append(events) {
    this.timeline.patch((held) => {
      const known = new Set(held.events.map(({ seq }) => seq));
      const added = events.filter(({ seq }) => !known.has(seq));
      if (added.length === 0) return held;
      const all = [...held.events, ...added].sort((a, b) => a.seq - b.seq);
      const cut = all.length > MOST_EVENTS;
      return { events: cut ? all.slice(-MOST_EVENTS) : all, more: held.more || cut };
    });
  }
}

/**
 * Reads the timeline to its end, whichever way the server orders it, up to the bound.
 * @param {number} id
 * @returns {Promise<{events: JournalEvent[], more: boolean}>}
 */
async function readTimeline(id) {
  /** @type {Map<number, JournalEvent>} */
  const events = new Map();
  let cursor = /** @type {string|null} */ (null);
  do {
    const page = await api.timeline(id, { limit: PAGE, cursor });
    for (const event of page.items) events.set(event.seq, event);
    cursor = page.next_cursor ?? null;
  } while (cursor && events.size < MOST_EVENTS);
  return { events: [...events.values()].sort((a, b) => a.seq - b.seq), more: cursor !== null };
}
