// @ts-check
// State that can be watched. A cell holds one value, a table holds values by id; both tell their watchers once
// per frame, so a watcher never sees a half-applied batch.
import { useEffect, useState } from './view.js';
import { nextFrame } from './frames.js';

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
  constructor() {
    /** @type {Map<number, T>} */
    this.rows = new Map();
    /** Rises when a row came, went or changed; lists derive from it. */
    this.version = new Cell(0);
    /** @type {Map<number, Set<() => void>>} */
    this.watchers = new Map();
    /** @type {Set<number>} */
    this.touched = new Set();
    this.tell = () => {
      const ids = this.touched;
      this.touched = new Set();
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

  /** @param {number} id */
  drop(id) {
    if (!this.rows.delete(id)) return;
    this.touched.add(id);
    this.version.set(this.version.value + 1);
    nextFrame(this.tell);
  }

  clear() {
    for (const id of this.rows.keys()) this.touched.add(id);
    this.rows.clear();
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
export function useCell(cell) {
  const [, again] = useState(0);
  useEffect(() => {
    const seen = cell.value;
    const stop = cell.watch(() => again((/** @type {number} */ n) => n + 1));
    if (!Object.is(seen, cell.value)) again((/** @type {number} */ n) => n + 1);
    return stop;
  }, [cell]);
  return cell.value;
}

/** One row of a table, or undefined. @template {{id: number}} T @param {Table<T>} table @param {number} id @returns {T|undefined} */
export function useRow(table, id) {
  const [, again] = useState(0);
  useEffect(() => table.watch(id, () => again((/** @type {number} */ n) => n + 1)), [table, id]);
  return table.get(id);
}
