// @ts-check
// States as small labels. Colour never speaks alone: each has a mark of its own shape and a word. While the
// stream is away they say "was", because nobody knows what is.
import { html } from '../view.js';
import { roomState, tracked } from '../status.js';
import { PLATFORMS, ROOMS, STATUSES, plain } from '../words.js';
import { Icon } from './icon.js';
import { useStaleSince } from './link.js';

/** @param {{meeting: import('../types.js').Meeting}} props */
export function RoomChip({ meeting }) {
  const state = roomState(meeting);
  const stale = useStaleSince() > 0 && state !== 'ended';
  const word = stale ? `Was ${ROOMS[state].toLowerCase()}` : ROOMS[state];
  return html`<span class="room room-${state}" data-stale=${stale || undefined}><span class="dot" aria-hidden="true"></span>${word}</span>`;
}

/** @param {{status: string, stale?: boolean}} props */
export function StatusChip({ status, stale = false }) {
  const word = stale ? `was ${plain(status)}` : plain(status);
  return html`<span class="chip chip-${status}" data-stale=${stale || undefined} title=${STATUSES[status] ?? ''}>${word}</span>`;
}

/** The bot of a row: its status, or that there is none. @param {{meeting: import('../types.js').Meeting, asked?: boolean}} props */
export function BotChip({ meeting, asked = false }) {
  const lost = useStaleSince() > 0;
  if (tracked(meeting)) return html`<span class="faint" title="This room is followed without a bot">no bot</span>`;
  const over = meeting.status === 'completed' || meeting.status === 'failed';
  return html`
    <span class="bot">
      <${StatusChip} status=${meeting.status} stale=${lost && !over} />
      ${asked && !over && html`<span class="asked" title="The bot was asked to leave"><${Icon} name="clock" size="13" /> leave asked</span>`}
    </span>
  `;
}

/** @type {Record<string, string>} */
const LETTERS = { daily: 'D', google_meet: 'G', zoom: 'Z', teams: 'T' };

/** @param {{platform: string, short?: boolean}} props */
export const PlatformTag = ({ platform, short = false }) => html`
  <span class="platform">
    <span class="badge badge-${platform}" aria-hidden="true">${LETTERS[platform] ?? '?'}</span>
    <span class=${short ? 'hidden' : ''}>${PLATFORMS[platform] ?? plain(platform)}</span>
  </span>
`;
