// @ts-check
// One list out of several cursored ones. "Live" and "ended" are each two requests; rows are shown only down to
// the point that every unfinished source has reached, so a gap never looks like the end of the list.
import { api } from './api.js';
import { Cell } from './cell.js';
import { asProblem } from './problem.js';
import { terminal } from './status.js';

/** @typedef {import('./types.js').Meeting} Meeting */
/** @typedef {{show: 'live'|'ended'|'all', platform: string, user: string}} Filter */
/** @typedef {{fetch: (query: any) => Promise<import('./types.js').Page<Meeting>>, query: any, cursor: string|null, done: boolean, last: number}} Source */

const PAGE = 100;
/** Pages of each source that a reload reads at most. */
const PAGES = 20;

/** Nothing, where a key is not for it. @param {import('./problem.js').Problem} problem */
function none(problem) {
  if (problem.status !== 403) throw problem;
  return { items: [], next_cursor: null };
}

/** @param {Filter} filter @returns {Source[]} */
function sourcesOf({ show, platform, user }) {
  const common = { platform, user_id: user, limit: PAGE };
  /** @param {Source['fetch']} fetch @param {any} [query] */
  const source = (fetch, query = {}) => ({ fetch, query: { ...common, ...query }, cursor: null, done: false, last: Infinity });
  switch (show) {
    case 'live':
      return [source((asked) => api.activeBots(asked).catch(none)), source(api.meetings, { status: 'active' })];
    case 'ended':
      return [source(api.meetings, { status: 'completed' }), source(api.meetings, { status: 'failed' })];
    case 'all':
      return [source(api.meetings)];
  }
}

/** The id down to which every unfinished source was read. @param {Source[]} sources */
const floorOf = (sources) => Math.max(0, ...sources.map(({ done, last }) => (done || last === Infinity ? 0 : last)));

/** @param {Filter} filter @param {Meeting} meeting */
export const matches = ({ show, platform, user }, meeting) =>
  (show === 'all' || terminal(meeting.status) === (show === 'ended')) &&
  (!platform || meeting.platform === platform) &&
  (!user || String(meeting.user_id) === user);

/**
 * @typedef {object} ListState
 * @property {'loading'|'ready'|'failed'} phase
 * @property {boolean} busy a request is under way
 * @property {boolean} more older rows can be fetched
 * @property {number} floor rows below this id may have gaps and are not shown
 * @property {number} at when the first page was fetched
 * @property {import('./problem.js').Problem|null} problem
 */

export class MeetingList {
  /** @param {Filter} filter @param {import('./cell.js').Table<Meeting>} table */
  constructor(filter, table) {
    this.filter = filter;
    this.table = table;
    this.turn = 0;
    this.sources = sourcesOf(filter);
    /** @type {Cell<ListState>} */
    this.state = new Cell(/** @type {ListState} */ ({ phase: 'loading', busy: false, more: false, floor: 0, at: 0, problem: null }));
  }

  /**
   * Fetches from the top down to the floor that was reached; the rows stay until the response arrives, which lacks
   * rows added meanwhile.
   */
  async reload() {
    const before = [...this.table.rows.keys()];
    const { at, floor: reached } = this.state.value;
    const seen = await this.step(sourcesOf(this.filter), at > 0 ? reached : Infinity);
    if (!seen) return;
    const { floor } = this.state.value;
    for (const id of before) {
      const row = id >= floor && !seen.has(id) && this.table.get(id);
      if (row && matches(this.filter, row)) this.table.drop(id);
    }
  }

  /** Fetches the next page of whichever sources hold the list back. */
  async more() {
    await this.step(this.sources, Infinity);
  }

  /**
   * @param {Source[]} sources
   * @param {number} reached the floor to read down to, after one page in any case
   * @returns {Promise<Set<number>|null>} the ids that came, null when it failed or another reload overtook it
   */
  async step(sources, reached) {
    const turn = ++this.turn;
    this.state.update((before) => ({ ...before, busy: true }));
    try {
      const seen = new Set();
      for (let read = 0; read === 0 || (read < PAGES && floorOf(sources) > reached); read++) {
        const asked = this.table.clock;
        const held = floorOf(sources);
        const due = sources.filter(({ done, last }) => !done && last >= held);
        const pages = await Promise.all(
          due.map((source) => source.fetch({ ...source.query, cursor: source.cursor })),
        );
        if (turn !== this.turn) return null;
        pages.forEach((page, i) => {
          const source = due[i];
          source.cursor = page.next_cursor ?? null;
          source.done = !source.cursor;
          for (const row of page.items) {
            this.table.take(row, asked);
            seen.add(row.id);
            source.last = Math.min(source.last, row.id);
          }
        });
      }
      this.sources = sources;
      const more = sources.some(({ done }) => !done);
      this.state.set({ phase: 'ready', busy: false, more, floor: floorOf(sources), at: this.state.value.at || Date.now(), problem: null });
      return seen;
    } catch (thrown) {
      if (turn === this.turn) this.state.update((before) => ({ ...before, busy: false, phase: 'failed', problem: asProblem(thrown) }));
      return null;
    }
  }
}
