// @ts-check
// A point in time: words in the reader's zone, the exact UTC on hover and for machines.
import { html } from '../view.js';
import { useCell } from '../cell.js';
import { now } from '../now.js';
import { clock, exact, millis, relative, utc } from '../time.js';

/** @param {{at: string|null|undefined, as?: 'clock'|'exact'|'relative'}} props */
export function Time({ at, as = 'clock' }) {
  const ms = millis(at);
  if (Number.isNaN(ms)) return html`<span class="faint">–</span>`;
  if (as === 'relative') return html`<${Relative} ms=${ms} />`;
  const text = as === 'exact' ? exact(ms) : clock(ms);
  return html`<time datetime=${new Date(ms).toISOString()} title=${utc(ms)}>${text}</time>`;
}

/** @param {{ms: number}} props */
function Relative({ ms }) {
  const at = useCell(now);
  return html`<time datetime=${new Date(ms).toISOString()} title=${utc(ms)}>${relative(ms, at)}</time>`;
}
