// @ts-check
// The slider that goes through a meeting event by event and says what was known after each.
import { html, useMemo } from '../view.js';
import { knownAfter } from '../past.js';
import { exact } from '../time.js';
import { plain, sentence } from '../words.js';

/** @typedef {import('../types.js').JournalEvent} JournalEvent */

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
  const told = last ? `${exact(Date.parse(last.at))}, ${sentence(last, followed).text}` : 'before everything';
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
          <div><dt>Was known to be there</dt><dd>${[...known.people.values()].join(', ') || 'nobody'}</dd></div>
          <div><dt>${followed ? 'Meeting' : 'Bot'}</dt><dd>${plain(known.status) || '–'}</dd></div>
          <div><dt>Recordings</dt><dd>${[...known.recordings.values()].map(plain).join(', ') || 'none'}</dd></div>
          <div><dt>Sync</dt><dd>${plain(known.sync) || 'not begun'}</dd></div>
        </dl>`}
    </div>
  `;
}
