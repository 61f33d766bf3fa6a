// @ts-check
// How many people, as a figure and as a few dots one grasps without reading.
import { html } from '../view.js';
import { useStaleSince } from './link.js';

const MOST = 6;

/** @param {{count: number}} props */
export function Heads({ count }) {
  const stale = useStaleSince() > 0;
  const shown = Math.min(count, MOST);
  return html`
    <span class="heads" data-stale=${stale || undefined}>
      <span class="num ${count === 0 ? 'faint' : ''}">${count}</span>
      <svg width=${MOST * 7} height="8" aria-hidden="true">
        ${Array.from({ length: shown }, (_, i) => html`<circle key=${i} cx=${4 + i * 7} cy="4" r="2.6" class=${count > MOST && i === MOST - 1 ? 'head-more' : ''} />`)}
      </svg>
      <span class="hidden">${count === 1 ? 'person' : 'people'}</span>
    </span>
  `;
}
