// @ts-check
// Something fetched: loading, there, or failed. A reload keeps what is shown until the answer comes, and a
// failed reload keeps it too, with the problem beside it.
import { Cell } from './cell.js';
import { asProblem } from './problem.js';

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
