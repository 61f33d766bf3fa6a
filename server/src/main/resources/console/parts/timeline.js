// @ts-check
// Texts of a meeting's page: state after each event, timeline, participants.
import { html, useMemo, useState } from '../view.js';
import { today, useCell } from '../cell.js';
import { lanesOf } from '../people.js';
import { dated, day, exact, utc } from '../time.js';
import { POLLS, personOf, plain, sentence, sourceName } from '../text.js';
import { tell } from './listpage.js';
import { Time } from './live.js';

/** @typedef {import('../types.js').JournalEvent} JournalEvent */

/**
 * @typedef {object} Known
 * @property {Map<string, string>} people names by session
 * @property {string} status of the meeting or its bot
 * @property {Map<string, string>} recordings states by id
 * @property {string} sync
 */

/** The state of a meeting after one of its events, from the journal. @param {JournalEvent[]} events of one meeting, in their order @param {number} count how many of them @returns {Known} */
function knownAfter(events, count) {
  const known = { people: new Map(), status: '', recordings: new Map(), sync: '' };
  for (const { type, data } of events.slice(0, count)) {
    if (type === 'participant.joined') known.people.set(data?.session_id, personOf(data));
    else if (type === 'participant.left') known.people.delete(data?.session_id);
    else if (type === 'meeting.status_changed') known.status = String(data?.to ?? '');
    else if (type === 'recording.status_changed') known.recordings.set(data?.recording_id, String(data?.to));
    else if (type === 'sync.status_changed') known.sync = String(data?.to);
  }
  return known;
}

// The slider through a meeting's events, with the state after each.

/**
 * @param {object} props
 * @param {JournalEvent[]} props.events
 * @param {number|null} props.count after how many of them; null: after all, as they come
 * @param {(count: number|null) => void} props.onMove
 * @param {boolean} props.followed
 * @param {boolean} props.more older events are on the server
 */
export function Past({ events, count, onMove, followed, more }) {
  const at = count ?? events.length;
  const known = useMemo(() => knownAfter(events, at), [events, at]);
  const last = events[at - 1];
  if (events.length < 2) return null;
  const told = last ? `${dated(Date.parse(last.at))}, ${sentence(last).text}` : 'before everything';
  return html`
    <div class="past" data-then=${count !== null || undefined}>
      <label class="past-slide">
        <span>Replay</span>
        <input type="range" min="0" max=${events.length} value=${at} aria-valuetext=${`After ${at} of ${events.length} events: ${told}`}
          onInput=${(/** @type {any} */ { target }) => onMove(Number(target.value) >= events.length ? null : Number(target.value))} />
        <button class="button small" disabled=${count === null} onClick=${() => onMove(null)}>Now</button>
      </label>
      ${count !== null && html`
        <p class="past-told"><b class="num">${at} / ${events.length}</b> ${told}${more && at === 0 ? '; older events are on the server' : ''}</p>
        <dl class="facts">
          <div><dt>Was known to be there</dt><dd>${[...known.people.values()].join(', ') || 'none'}</dd></div>
          <div><dt>${followed ? 'Meeting' : 'Bot'}</dt><dd>${plain(known.status) || '–'}</dd></div>
          <div><dt>Recordings</dt><dd>${[...known.recordings.values()].map(plain).join(', ') || 'none'}</dd></div>
          <div><dt>Sync</dt><dd>${plain(known.sync) || 'not begun'}</dd></div>
        </dl>`}
    </div>
  `;
}

// The events as sentences, newest first; each opens to its journal row.

const STEP = 80;

/** @type {[string, string, (event: JournalEvent) => boolean][]} */
const KINDS = [
  ['all', 'All', () => true],
  ['people', 'People', ({ type }) => type.startsWith('participant.')],
  ['bot', 'Bot', ({ type }) => /^(meeting|bot|command)/.test(type)],
  ['rest', 'Other', ({ type }) => !/^(participant|meeting|bot|command)/.test(type)],
];

/** @param {{events: JournalEvent[], onOlder?: false|(() => any), more?: boolean, whole?: boolean}} props `onOlder` reads older events, `more` tells that there are some, `whole`: there are no kinds to choose from */
export function Timeline({ events, onOlder = false, more = false, whole = false }) {
  useCell(today);
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
      ${shown.map((event, i) => html`<${Entry} key=${event.seq} event=${event} heading=${dayChange(event, shown[i - 1])} />`)}
    </ol>
    ${found.length > most && html`<button class="button small" onClick=${() => setMost(most + STEP * 3)}>Show more (${found.length - most})</button>`}
    ${more && found.length <= most && html`<p class="faint">Older events are on the server.</p>`}
    ${onOlder && found.length <= most && html`<button class="button small" onClick=${() => tell(onOlder)}>Show older events</button>`}
  `;
}

/** @param {JournalEvent} event @param {JournalEvent|undefined} above */
function dayChange(event, above) {
  const here = day(Date.parse(event.at));
  const there = above ? day(Date.parse(above.at)) : 'Today';
  return here === there ? '' : here;
}

/** @param {{event: JournalEvent, heading: string}} props */
const Entry = ({ event, heading }) => html`<${Line} at=${event.at} said=${sentence(event)} raw=${rawOf(event)} heading=${heading} />`;

/** @param {JournalEvent} event */
const rawOf = ({ seq, type, subject, at, data }) => ({ seq, type, subject, at, data });

/**
 * One event as a sentence that opens to its journal row. Under headings of days its time is enough.
 * @param {{at?: string|number, said: {text: string, tone: string, note: string}, raw: unknown, heading?: string, children?: any}} props
 */
export function Line({ at = NaN, said: { text, tone, note }, raw, heading, children }) {
  const ms = new Date(at).getTime();
  useCell(today);
  const [open, setOpen] = useState(false);
  return html`
    ${heading && html`<li class="timeline-day">${heading}</li>`}
    <li class="entry tone-${tone}">
      <details onToggle=${(/** @type {any} */ event) => setOpen(event.target.open)}>
        <summary>
          <time datetime=${ms ? new Date(ms).toISOString() : undefined} title=${ms ? utc(ms) : undefined}>${ms ? (heading === undefined ? dated : exact)(ms) : ''}</time>
          <span class="entry-mark" aria-hidden="true"></span>
          <span class="entry-text">${text}${note && html` <span class="entry-note">${note}</span>`}</span>
        </summary>
        ${open && html`${children}<pre tabindex="0">${JSON.stringify(raw, null, 2)}</pre>`}
      </details>
    </li>
  `;
}

// The participants, when they were last confirmed, by which source, and whether a poll is due.

const MOST = 24;

/** @param {{presence: import('../types.js').Presence, stale: boolean, over: boolean}} props */
export function Present({ presence, stale, over }) {
  const here = useMemo(() => lanesOf(presence.items).filter(({ present }) => present), [presence.items]);
  if (over) return null;
  return html`
    <div class="present" data-stale=${stale || undefined}>
      ${here.length === 0 && html`<p class="faint">${stale ? 'The room was empty.' : 'The room is empty.'}</p>`}
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
function initials(name) {
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
