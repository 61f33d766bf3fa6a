// @ts-check
// Observable state: cells, tables, the clock, fetched resources. A cell holds one value, a table holds values by id;
// both notify once per frame, so an observer never sees a half-applied batch.
import { useEffect, useState } from './view.js';
import { asProblem } from './problem.js';
import { time } from './time.js';

/** @template T */
export class Cell {
  /** @param {T} value */
  constructor(value) {
    this.value = value;
    /** @type {Set<() => void>} */
    this.watchers = new Set();
    this.tell = () => {
      for (const watcher of [...this.watchers]) watcher();
    };
  }

  /** @param {T} value */
  set(value) {
    if (Object.is(value, this.value)) return;
    this.value = value;
    nextFrame(this.tell);
  }

  /** @param {(value: T) => T} change */
  update(change) {
    this.set(change(this.value));
  }

  /** @param {() => void} watcher @returns {() => void} stops watching */
  watch(watcher) {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }
}

/** @template {{id: number}} T */
export class Table {
  /** @param {(id: number) => void} [onOld] an answer about this row was older than its newest event */
  constructor(onOld = () => {}) {
    this.onOld = onOld;
    /** Counts the events; what is asked for now is newer than those so far. */
    this.clock = 0;
    /** The clock when all rows were removed; answers to what was asked for before are for another user. */
    this.cleared = 0;
    /** The clock after the newest event about a row. @type {Map<number, number>} */
    this.noted = new Map();
    /** @type {Map<number, T>} */
    this.rows = new Map();
    /** Increases when a row was added, removed or changed. */
    this.version = new Cell(0);
    /** Listeners, called once per frame with the added, removed and changed rows. @type {Set<(ids: ReadonlySet<number>) => void>} */
    this.changes = new Set();
    /** @type {Map<number, Set<() => void>>} */
    this.watchers = new Map();
    /** @type {Set<number>} */
    this.touched = new Set();
    this.tell = () => {
      const ids = this.touched;
      this.touched = new Set();
      for (const hear of [...this.changes]) hear(ids);
      for (const id of ids) for (const watcher of [...(this.watchers.get(id) ?? [])]) watcher();
    };
  }

  /** @param {number} id */
  get(id) {
    return this.rows.get(id);
  }

  /** @param {T} row */
  put(row) {
    this.rows.set(row.id, row);
    this.touched.add(row.id);
    this.version.set(this.version.value + 1);
    nextFrame(this.tell);
  }

  /** Puts what an event makes of a row. @param {T} row */
  apply(row) {
    this.noted.set(row.id, ++this.clock);
    this.put(row);
  }

  /** Puts an answer, unless the row has had an event since it was asked for. @param {T} row @param {number} asked the clock then */
  take(row, asked) {
    if (asked < this.cleared) return;
    if ((this.noted.get(row.id) ?? 0) > asked) this.onOld(row.id);
    else this.put(row);
  }

  /** @param {number} id */
  drop(id) {
    if (!this.rows.delete(id)) return;
    this.noted.delete(id);
    this.touched.add(id);
    this.version.set(this.version.value + 1);
    nextFrame(this.tell);
  }

  clear() {
    for (const id of this.rows.keys()) this.touched.add(id);
    this.rows.clear();
    this.noted.clear();
    this.cleared = ++this.clock;
    this.version.set(this.version.value + 1);
    nextFrame(this.tell);
  }

  /** @param {number} id @param {() => void} watcher @returns {() => void} stops watching */
  watch(id, watcher) {
    const set = this.watchers.get(id) ?? new Set();
    this.watchers.set(id, set.add(watcher));
    return () => {
      set.delete(watcher);
      if (set.size === 0 && this.watchers.get(id) === set) this.watchers.delete(id);
    };
  }
}

/** The cell's value; the component renders again when it changes. @template T @param {Cell<T>} cell @returns {T} */
export const useCell = (cell) => useWatched(() => cell.value, (look) => cell.watch(look), [cell]);

/** One row of a table, or undefined. @template {{id: number}} T @param {Table<T>} table @param {number} id @returns {T|undefined} */
export const useRow = (table, id) => useWatched(() => table.get(id), (look) => table.watch(id, look), [table, id]);

/**
 * What is read now, and again whenever it is told to have changed: also what has changed after it was drawn and before
 * there was a watcher, which begins a frame later.
 *
 * @template T @param {() => T} read @param {(look: () => void) => () => void} watch @param {unknown[]} of @returns {T}
 */
function useWatched(read, watch, of) {
  const [, again] = useState(0);
  const drawn = read();
  useEffect(() => {
    const look = () => again((/** @type {number} */ n) => n + 1);
    const stop = watch(look);
    if (!Object.is(drawn, read())) look();
    return stop;
  }, of);
  return drawn;
}

// The console's clock: a cell updated each second while the page is visible.

export const now = new Cell(time());

/** The day that it is: what happened then is shown with its time alone. */
export const today = new Cell(new Date().toDateString());

const tick = () => {
  if (document.hidden) return;
  now.set(time());
  today.set(new Date().toDateString());
};
setInterval(tick, 1000);
document.addEventListener('visibilitychange', tick);

// A fetched value: loading, loaded or failed. A reload keeps the old value until the response arrives; a failed
// reload keeps it with the problem.

/**
 * @template T
 * @typedef {object} Fetched
 * @property {'loading'|'ready'|'failed'} phase
 * @property {T|null} value
 * @property {import('./problem.js').Problem|null} problem
 * @property {number} at when the value was fetched; 0 before
 */

/** @template T */
export class Resource {
  /** @param {() => Promise<T>} fetcher */
  constructor(fetcher) {
    this.fetcher = fetcher;
    this.turn = 0;
    /** @type {Cell<Fetched<T>>} */
    this.cell = new Cell(/** @type {Fetched<T>} */ ({ phase: 'loading', value: null, problem: null, at: 0 }));
  }

  get value() {
    return this.cell.value.value;
  }

  async load() {
    const turn = ++this.turn;
    try {
      const value = await this.fetcher();
      if (turn === this.turn) this.cell.set({ phase: 'ready', value, problem: null, at: Date.now() });
    } catch (thrown) {
      if (turn !== this.turn) return;
      this.cell.update((before) => ({ ...before, phase: 'failed', problem: asProblem(thrown) }));
    }
  }

  /** Changes the value in place, if there is one. @param {(value: T) => T} change */
  patch(change) {
    this.cell.update((before) => (before.value === null ? before : { ...before, value: change(before.value) }));
  }
}

// Work once per animation frame. Hundreds of changes a second cost one rendering; a tab that gets no frames, because
// it is
// hidden or covered, catches up once a second.

/** @type {Set<() => void>} */
const due = new Set();
const FRAMELESS_MS = 1000;

let armed = false;
/** @type {ReturnType<typeof setTimeout>|undefined} */
let timer = undefined;

/** Tasks scheduled by a task run in the same frame. */
function run() {
  if (!armed) return;
  clearTimeout(timer);
  try {
    for (const task of due) {
      due.delete(task);
      task();
    }
  } finally {
    armed = false;
    for (const left of due) nextFrame(left);
  }
}

/**
 * Runs the task once before the next paint, however often it is scheduled.
 * @param {() => void} task
 */
export function nextFrame(task) {
  due.add(task);
  if (armed) return;
  armed = true;
  timer = setTimeout(run, FRAMELESS_MS);
  if (!document.hidden) requestAnimationFrame(run);
}

// A frame requested just before the tab was hidden would run only when the tab is visible again.
document.addEventListener('visibilitychange', () => {
  if (armed) setTimeout(run, 0);
});
