// @ts-check
// Whose turn it is, until when, and how much of the time is left.
import { html } from '../view.js';
import { millis, span } from '../time.js';
import { useKnownNow } from './link.js';
import { Time } from './time.js';

/**
 * @param {object} props
 * @param {string} [props.label]
 * @param {string} props.owner
 * @param {string|null|undefined} props.deadline
 * @param {number} props.begin where the bar begins, in milliseconds
 * @param {boolean} props.stale
 * @param {any} props.children what comes next
 */
export function Turn({ label = 'Turn of', owner, deadline, begin, stale, children }) {
  const end = millis(deadline);
  const left = end - useKnownNow();
  const share = Math.min(1, Math.max(0, left / Math.max(1, end - begin)));
  const late = left < 0;
  return html`
    <div class="turn" data-late=${(late && !stale) || undefined} data-stale=${stale || undefined}>
      <p>
        <span class="turn-label">${label}</span> <b>${owner}</b>
        ${!Number.isNaN(end) && html`<span class="turn-until">until <${Time} at=${deadline} as="exact" /> · <b class="num">${stale ? 'unknown now' : late ? `${span(-left)} late` : `${span(left)} left`}</b></span>`}
      </p>
      ${!Number.isNaN(end) && html`<svg class="turn-bar" height="4" width="100%" aria-hidden="true"><rect class="turn-all" width="100%" height="4" rx="2" /><rect class="turn-left" width=${`${share * 100}%`} height="4" rx="2" /></svg>`}
      <p class="turn-next">${children}</p>
    </div>
  `;
}

/** @param {{name: string, children: any}} props */
export const Fact = ({ name, children }) => html`<div><dt>${name}</dt><dd>${children}</dd></div>`;
