// @ts-check
// Which rows of a table are shown, newest first. Kept as rows change: a change costs what it changes, and only a row
// that
// comes or goes is a new list.
import { useEffect, useMemo } from './view.js';
import { Cell, useCell } from './cell.js';
import { score } from './keys.js';
import { matches } from './list.js';
import { haystack } from './status.js';

/** A row that no longer matches stays this long, so that it does not vanish at once. */
const LINGER_MS = 12_000;
const LOOK_MS = 1000;

/** @template {{id: number}} T */
export class Visible {
  /**
   * @param {import('./cell.js').Table<T>} table
   * @param {(row: T) => boolean} passes
   * @param {number} [linger] how long a row that passes no more is still shown, in milliseconds
   */
  constructor(table, passes, linger = 0) {
    this.table = table;
    this.passes = passes;
    this.linger = linger;
    /** The shown ids, descending. @type {Cell<number[]>} */
    this.ids = new Cell(/** @type {number[]} */ ([]));
    /** The same as a set. @type {Set<number>} */
    this.held = new Set();
    /** Since when a shown row no longer matches. @type {Map<number, number>} */
    this.leaving = new Map();
    this.hear = (/** @type {Iterable<number>} */ touched) => this.sift(touched);
    this.sift(table.rows.keys());
    this.version = table.version.value;
  }

  /** Subscribes to the table. @returns {() => void} ends that */
  open() {
    if (this.version !== this.table.version.value) this.sift([...this.held, ...this.table.rows.keys()]);
    this.table.changes.add(this.hear);
    const timer = setInterval(() => this.sift([...this.leaving.keys()]), LOOK_MS);
    return () => {
      this.table.changes.delete(this.hear);
      this.version = NaN;
      clearInterval(timer);
    };
  }

  /** @param {Iterable<number>} touched */
  sift(touched) {
    const now = Date.now();
    const come = [];
    let gone = false;
    for (const id of touched) {
      const stays = this.stays(id, now);
      if (stays === this.held.has(id)) continue;
      if (stays) {
        this.held.add(id);
        come.push(id);
      } else {
        this.held.delete(id);
        this.leaving.delete(id);
        gone = true;
      }
    }
    if (gone) this.ids.update((ids) => ids.filter((id) => this.held.has(id)));
    if (come.length > 0) this.ids.update((ids) => merge(ids, come.sort((a, b) => b - a)));
  }

  /** @param {number} id @param {number} now */
  stays(id, now) {
    const row = this.table.get(id);
    if (!row) return false;
    if (this.passes(row)) {
      this.leaving.delete(id);
      return true;
    }
    if (this.linger === 0 || !this.held.has(id)) return false;
    const since = this.leaving.get(id) ?? now;
    this.leaving.set(id, since);
    return now - since < this.linger;
  }
}

/** Both descending and disjoint. @param {number[]} ids @param {number[]} come */
function merge(ids, come) {
  if (ids.length === 0) return come;
  const merged = [];
  let next = 0;
  for (const id of ids) {
    while (next < come.length && come[next] > id) merged.push(come[next++]);
    merged.push(id);
  }
  return merged.concat(come.slice(next));
}

/**
 * The ids of a list's rows, newest first.
 *
 * @param {import('./list.js').MeetingList} list
 * @param {string} query
 */
export function useVisible(list, query) {
  const { floor } = useCell(list.state);
  const visible = useMemo(() => {
    const { filter, table } = list;
    return new Visible(table, (row) => matches(filter, row) && (!query || score(haystack(row), query) > 0), LINGER_MS);
  }, [list, query]);
  useEffect(() => visible.open(), [visible]);
  const ids = useCell(visible.ids);
  return useMemo(() => {
    const end = ids.findLastIndex((id) => id >= floor) + 1;
    return end === ids.length ? ids : ids.slice(0, end);
  }, [ids, floor]);
}
