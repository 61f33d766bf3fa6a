// @ts-check
// Notices beside the page: a live region for screen readers, at a bounded rate, and toasts in a corner.
import { html } from './view.js';
import { Cell, useCell } from './cell.js';
import { Icon } from './parts/icon.js';
import { ProblemNote } from './parts/problem.js';

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

// Short messages about the user's last action. They disappear after a while; a problem stays until it is dismissed.

/** @typedef {{id: number, text: string, problem: import('./problem.js').Problem|null}} Toast */

const STAY_MS = 5000;
const MOST = 4;
let count = 0;

/** @type {Cell<Toast[]>} */
const toasts = new Cell(/** @type {Toast[]} */ ([]));

/** @param {number} id */
const dismiss = (id) => toasts.update((all) => all.filter((each) => each.id !== id));

/** @param {string} text @param {import('./problem.js').Problem|null} [problem] */
export function toast(text, problem = null) {
  const id = ++count;
  toasts.update((all) => [...all, { id, text, problem }].slice(-MOST));
  announce(problem ? `${text}. ${problem.title}. ${problem.detail}` : text, { now: true });
  if (!problem) setTimeout(() => dismiss(id), STAY_MS);
}

// The corner where toasts appear.

export function Toasts() {
  const all = useCell(toasts);
  return html`
    <div class="toasts" role=${all.length > 0 ? 'region' : undefined} aria-label=${all.length > 0 ? 'Notices' : undefined}>
      ${all.map(
        ({ id, text, problem }) => html`
          <div class="toast ${problem ? 'toast-bad' : ''}" key=${id}>
            ${!problem && html`<${Icon} name="check" />`}
            <div class="toast-text">${text}${problem && html`<${ProblemNote} problem=${problem} />`}</div>
            <button class="button ghost square small" aria-label="Dismiss" onClick=${() => dismiss(id)}><${Icon} name="close" size="14" /></button>
          </div>
        `,
      )}
    </div>
  `;
}
