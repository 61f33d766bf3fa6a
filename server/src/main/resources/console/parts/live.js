// @ts-check
// The state of the event stream, and small parts that show whether data is current.
import { html, useEffect, useState } from '../view.js';
import { now, today, useCell } from '../cell.js';
import { roomState, tracked } from '../status.js';
import { revalidate, stream } from '../store.js';
import { isStale } from '../stream.js';
import { clock, dated, millis, relative, span, utc } from '../time.js';
import { PLATFORMS, ROOMS, STATUSES, plain } from '../text.js';
import { Icon } from './icon.js';

/** Since when the shown data may be stale; 0 while it is current. */
export function useStaleSince() {
  const link = useCell(stream.link);
  return isStale(link) ? link.lostAt : 0;
}

/** The time for counters: now, or the moment the stream was lost. */
export function useKnownNow() {
  const at = useCell(now);
  const stale = useStaleSince();
  return stale > 0 ? Math.min(stale, at) : at;
}

/** For dialogs: the state of their object may have changed. */
export function StaleNote() {
  const since = useStaleSince();
  return since > 0
    ? html`<p class="field-hint">Live updates stopped at ${dated(since)}: the state shown may be old. The request is safe either way.</p>`
    : null;
}

/** One line in the frame: is this live? */
export function LinkState() {
  const link = useCell(stream.link);
  const received = useCell(stream.received);
  const live = link.phase === 'live' && !link.problem;
  const [text, mark] = live ? ['Live', 'live'] : link.phase === 'connecting' && !link.lostAt ? ['Connecting', 'connecting'] : ['Disconnected', 'down'];
  return html`
    <div class="linkstate" data-phase=${mark}
      title=${live ? `Connected since ${utc(link.since)}; ${received} events` : 'No live updates right now'}>
      <span class="pulse" key=${live ? received : 'off'} aria-hidden="true"></span>
      <span>${text}</span>
    </div>
  `;
}

/** The banner of a disconnected stream; shown after a delay, so that short breaks stay invisible. */
export function StaleBanner() {
  const link = useCell(stream.link);
  const at = useCell(now);
  const { lostAt: lost, problem } = link;
  const [shown, show] = useState(false);
  useEffect(() => {
    if (!lost) return show(false);
    const timer = setTimeout(() => show(true), 1200);
    return () => clearTimeout(timer);
  }, [lost > 0]);
  if (problem) return html`<div class="stale" role="status"><${Icon} name="unplugged" /><p><strong>There are no live updates.</strong> ${problem.title}: ${problem.detail} This page looks for changes every 15 s.</p></div>`;
  if (!shown || !lost) return null;
  const wait = link.phase === 'down' ? Math.max(0, link.retryAt - at) : 0;
  return html`
    <div class="stale" role="status">
      <${Icon} name="unplugged" />
      <p>
        <strong>Live updates are interrupted.</strong> What you see is from
        ${' '}<time title=${utc(lost)}>${dated(lost)}</time> and may have changed since.
        <span class="stale-wait" aria-hidden="true"> ${wait > 900 ? `Trying again in ${span(wait)}.` : 'Trying again now.'}</span>
      </p>
      <button class="button small" onClick=${() => stream.connectNow()}>Try now</button>
      <button class="button small" onClick=${revalidate}>Refresh once</button>
    </div>
  `;
}

// A point in time: words in the reader's zone, the exact UTC on hover and for machines.

/** @param {{at: string|null|undefined, as?: 'clock'|'exact'|'relative'}} props */
export function Time({ at, as = 'clock' }) {
  const ms = millis(at);
  useCell(today);
  if (Number.isNaN(ms)) return html`<span class="faint">–</span>`;
  if (as === 'relative') return html`<${Relative} ms=${ms} />`;
  const text = as === 'exact' ? dated(ms) : clock(ms);
  return html`<time datetime=${new Date(ms).toISOString()} title=${utc(ms)}>${text}</time>`;
}

/** @param {{ms: number}} props */
function Relative({ ms }) {
  const at = useCell(now);
  return html`<time datetime=${new Date(ms).toISOString()} title=${utc(ms)}>${relative(ms, at)}</time>`;
}

// States as small labels. Each has a mark and a word beside its colour. While the stream is disconnected they say
// "was", because the current state is unknown.

/** @param {{meeting: import('../types.js').Meeting}} props */
export function RoomChip({ meeting }) {
  const state = roomState(meeting);
  const stale = useStaleSince() > 0 && state !== 'ended';
  const word = stale ? `Was ${ROOMS[state].toLowerCase()}` : ROOMS[state];
  return html`<span class="room room-${state}" data-stale=${stale || undefined}><span class="dot" aria-hidden="true"></span>${word}</span>`;
}

/** @param {{status: string, substatus?: string|null, stale?: boolean}} props */
export function StatusChip({ status, substatus = null, stale = false }) {
  const named = substatus ?? status;
  const word = stale ? `was ${plain(named)}` : plain(named);
  return html`<span class="chip chip-${status}" data-stale=${stale || undefined} title=${STATUSES[named] ?? ''}>${word}</span>`;
}

/** The bot of a row: its status, or that there is none. @param {{meeting: import('../types.js').Meeting, asked?: boolean}} props */
export function BotChip({ meeting, asked = false }) {
  const lost = useStaleSince() > 0;
  if (tracked(meeting)) return html`<span class="faint" title="This room is followed without a bot">no bot</span>`;
  const over = meeting.status === 'completed' || meeting.status === 'failed';
  return html`
    <span class="bot">
      <${StatusChip} status=${meeting.status} substatus=${meeting.substatus} stale=${lost && !over} />
      ${asked && !over && html`<span class="asked" title="The bot was asked to leave"><${Icon} name="clock" size="13" /> leave asked</span>`}
    </span>
  `;
}

/** @type {Record<string, string>} */
const LETTERS = { daily: 'D', janus: 'J', google_meet: 'G', zoom: 'Z', teams: 'T' };

/** @param {{platform: string}} props */
export const PlatformTag = ({ platform }) => html`
  <span class="platform">
    <span class="badge badge-${platform}" aria-hidden="true">${LETTERS[platform] ?? '?'}</span>
    <span>${PLATFORMS[platform] ?? plain(platform)}</span>
  </span>
`;

// How many people, as a figure and as a few dots one grasps without reading.

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
