// @ts-check
// What a screen reader is told: the newest change, politely, not more often than one can listen.
import { Cell } from './cell.js';

const APART_MS = 4000;

export const announced = new Cell('');

let spokenAt = 0;
/** @type {ReturnType<typeof setTimeout>|undefined} */
let timer;

/** @param {string} text @param {{now?: boolean}} [how] */
export function announce(text, { now = false } = {}) {
  clearTimeout(timer);
  const wait = now ? 0 : Math.max(0, spokenAt + APART_MS - Date.now());
  timer = setTimeout(() => {
    spokenAt = Date.now();
    announced.set(text);
  }, wait);
}
