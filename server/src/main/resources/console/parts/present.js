// @ts-check
// Who is in the room, and how sure that is: when it was last confirmed, by what, and whether a check is due.
import { html, useMemo } from '../view.js';
import { lanesOf } from '../people.js';
import { POLLS, sourceName } from '../words.js';
import { Time } from './time.js';

const MOST = 24;

/** @param {{presence: import('../types.js').Presence, stale: boolean, over: boolean}} props */
export function Present({ presence, stale, over }) {
  const here = useMemo(() => lanesOf(presence.items).filter(({ present }) => present), [presence.items]);
  if (over) return null;
  return html`
    <div class="present" data-stale=${stale || undefined}>
      ${here.length === 0 && html`<p class="faint">${stale ? 'Nobody was in the room.' : 'Nobody is in the room.'}</p>`}
      <ul aria-label="In the room">
        ${here.slice(0, MOST).map(({ key, name, hue, stays }) => html`
          <li key=${key} class="person"><span class="avatar hue${hue}" aria-hidden="true">${initials(name)}</span><span>${name}${devices(stays) > 1 ? html` <span class="faint">×${devices(stays)}</span>` : ''}</span></li>`)}
        ${here.length > MOST && html`<li class="faint">and ${here.length - MOST} more</li>`}
      </ul>
    </div>
  `;
}

/** Open sessions of one person. @param {import('../people.js').Stay[]} stays */
const devices = (stays) => stays.filter(({ to }) => to === null).length;

/** @param {string} name */
export function initials(name) {
  const words = name.split(/[\s._@-]+/).filter(Boolean);
  return (words.length > 1 ? words[0][0] + words[words.length - 1][0] : name.slice(0, 2)).toUpperCase();
}

/** @param {{presence: import('../types.js').Presence, stale: boolean}} props */
export const Evidence = ({ presence: { as_of, source, poll_state }, stale }) => html`
  <p class="evidence">
    ${as_of ? html`as of <${Time} at=${as_of} as="exact" />` : 'not asked yet'}${source ? `, by ${sourceName(source)}` : ''}
    <span class="poll poll-${poll_state}" data-stale=${stale || undefined}>${stale ? 'unknown now' : (POLLS[poll_state] ?? poll_state)}</span>
  </p>
`;
