// @ts-check
// What happened, newest first, as sentences; each opens to the journal row it came from.
import { html, useMemo, useState } from '../view.js';
import { day, exact, utc } from '../time.js';
import { sentence } from '../words.js';

/** @typedef {import('../types.js').JournalEvent} JournalEvent */

const STEP = 80;

/** @type {[string, string, (event: JournalEvent) => boolean][]} */
const KINDS = [
  ['all', 'All', () => true],
  ['people', 'People', ({ type }) => type.startsWith('participant.')],
  ['bot', 'Bot', ({ type }) => /^(meeting|bot|command)/.test(type)],
  ['rest', 'Other', ({ type }) => !/^(participant|meeting|bot|command)/.test(type)],
];

/** @param {{events: JournalEvent[], more: boolean, followed: boolean, whole?: boolean}} props `whole`: there are no kinds to choose from */
export function Timeline({ events, more, followed, whole = false }) {
  const [kind, setKind] = useState('all');
  const [most, setMost] = useState(STEP);
  const test = KINDS.find(([key]) => key === kind)?.[2] ?? (() => true);
  const found = useMemo(() => events.filter(test).reverse(), [events, kind]);
  const shown = found.slice(0, most);
  return html`
    ${!whole && html`<div class="tabs tabs-small" role="group" aria-label="Which events">
      ${KINDS.map(([key, name]) => html`<button aria-pressed=${key === kind} onClick=${() => setKind(key)}>${name}</button>`)}
    </div>`}
    ${found.length === 0 && html`<p class="faint nothing">${whole ? 'Nothing is known of it.' : 'Nothing of this kind has happened.'}</p>`}
    <ol class="timeline">
      ${shown.map((event, i) => html`<${Entry} key=${event.seq} event=${event} followed=${followed} heading=${dayChange(event, shown[i - 1])} />`)}
    </ol>
    ${found.length > most && html`<button class="button small" onClick=${() => setMost(most + STEP * 3)}>Show more (${found.length - most})</button>`}
    ${more && found.length <= most && html`<p class="faint">Older events are on the server.</p>`}
  `;
}

/** @param {JournalEvent} event @param {JournalEvent|undefined} above */
function dayChange(event, above) {
  const here = day(Date.parse(event.at));
  const there = above ? day(Date.parse(above.at)) : 'Today';
  return here === there ? '' : here;
}

/** @param {{event: JournalEvent, heading: string, followed: boolean}} props */
const Entry = ({ event, heading, followed }) => html`<${Line} at=${event.at} said=${sentence(event, followed)} raw=${rawOf(event)} heading=${heading} />`;

/** @param {JournalEvent} event */
export const rawOf = ({ seq, type, subject, at, data }) => ({ seq, type, subject, at, data });

/**
 * One thing that happened, as a sentence that opens to where it comes from.
 * @param {{at?: string|number, said: {text: string, tone: string, note: string}, raw: unknown, heading?: string, children?: any}} props
 */
export function Line({ at = NaN, said: { text, tone, note }, raw, heading = '', children }) {
  const ms = new Date(at).getTime();
  const [open, setOpen] = useState(false);
  return html`
    ${heading && html`<li class="timeline-day">${heading}</li>`}
    <li class="entry tone-${tone}">
      <details onToggle=${(/** @type {any} */ event) => setOpen(event.target.open)}>
        <summary>
          <time datetime=${ms ? new Date(ms).toISOString() : undefined} title=${ms ? utc(ms) : undefined}>${ms ? exact(ms) : ''}</time>
          <span class="entry-mark" aria-hidden="true"></span>
          <span class="entry-text">${text}${note && html` <span class="entry-note">${note}</span>`}</span>
        </summary>
        ${open && html`${children}<pre tabindex="0">${JSON.stringify(raw, null, 2)}</pre>`}
      </details>
    </li>
  `;
}
