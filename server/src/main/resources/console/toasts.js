// @ts-check
// Short messages about what the reader just did. They go by themselves; a problem stays until it is dismissed.
import { announce } from './announce.js';
import { Cell } from './cell.js';

/** @typedef {{id: number, text: string, problem: import('./problem.js').Problem|null}} Toast */

const STAY_MS = 5000;
const MOST = 4;
let count = 0;

/** @type {Cell<Toast[]>} */
export const toasts = new Cell(/** @type {Toast[]} */ ([]));

/** @param {number} id */
export const dismiss = (id) => toasts.update((all) => all.filter((each) => each.id !== id));

/** @param {string} text @param {import('./problem.js').Problem|null} [problem] */
export function toast(text, problem = null) {
  const id = ++count;
  toasts.update((all) => [...all, { id, text, problem }].slice(-MOST));
  announce(problem ? `${text}. ${problem.title}. ${problem.detail}` : text, { now: true });
  if (!problem) setTimeout(() => dismiss(id), STAY_MS);
}
