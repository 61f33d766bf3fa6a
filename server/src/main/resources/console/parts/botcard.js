// @ts-check
// The bot of a meeting: what it is, whose turn it is and until when, and what it has been told.
import { html } from '../view.js';
import { terminal } from '../status.js';
import { millis, span } from '../time.js';
import { NEXT, OTHERWISE, STATUSES, ending, plain } from '../words.js';
import { StatusChip } from './chip.js';
import { useKnownNow } from './link.js';
import { Time } from './time.js';

/** @typedef {import('../types.js').Bot} Bot */

/** @param {{bot: Bot, meeting: import('../types.js').Meeting, stale: boolean, asked: boolean}} props */
export function BotCard({ bot, meeting, stale, asked }) {
  const over = terminal(bot.status);
  const commands = commandsOf(bot.pending_commands);
  return html`
    <div class="botcard">
      <p class="botcard-state"><${StatusChip} status=${bot.status} stale=${stale && !over} /> <span>since <${Time} at=${bot.state_entered_at} as="exact" /></span></p>
      <p class="botcard-means">${over ? ended(meeting) : STATUSES[bot.status]}</p>
      ${!over && html`<${Turn} bot=${bot} stale=${stale} />`}
      ${asked && !over && html`<p class="botcard-asked">It was asked to leave; the state changes when it does.</p>`}
      <dl class="facts">
        <${Fact} name="Last heartbeat"><${Time} at=${bot.last_heartbeat} as=${over || stale ? 'exact' : 'relative'} /><//>
        <${Fact} name="Wanted">${bot.desired ? plain(bot.desired) : '–'}<//>
        <${Fact} name="Attempt">${bot.attempt ?? '–'}<//>
        <${Fact} name="Commands waiting">${commands.length === 0 ? 'none' : commands.join(', ')}<//>
        <${Fact} name="Session"><code>${bot.session_uid ?? '–'}</code><//>
        <${Fact} name="Runs as"><code>${meeting.bot_container_id ?? '–'}</code><//>
      </dl>
    </div>
  `;
}

/** @param {{name: string, children: any}} props */
const Fact = ({ name, children }) => html`<div><dt>${name}</dt><dd>${children}</dd></div>`;

/** @param {import('../types.js').Meeting} meeting */
function ended({ status, data }) {
  const why = ending(data?.outcome);
  const stage = data?.outcome?.stage ? ` while ${plain(data.outcome.stage)}` : '';
  if (!why) return STATUSES[status];
  return `${status === 'failed' ? 'It failed' : 'It ended'}${stage}: ${why}.`;
}

/** @param {any} pending @returns {string[]} */
function commandsOf(pending) {
  if (Array.isArray(pending)) return pending.map((each) => plain(each?.action ?? each));
  return Number(pending) > 0 ? [`${pending}`] : [];
}

/** Whose turn it is, and how much of it is left. @param {{bot: Bot, stale: boolean}} props */
function Turn({ bot, stale }) {
  const at = useKnownNow();
  const deadline = millis(bot.deadline);
  const left = deadline - at;
  const begin = Math.max(...[bot.state_entered_at, bot.last_heartbeat].map(millis).filter((each) => each < deadline), deadline - 600_000);
  const share = Math.min(1, Math.max(0, left / Math.max(1, deadline - begin)));
  const late = left < 0;
  return html`
    <div class="turn" data-late=${(late && !stale) || undefined} data-stale=${stale || undefined}>
      <p>
        <span class="turn-label">Turn of</span> <b>${bot.owner ? plain(bot.owner) : 'unknown'}</b>
        ${!Number.isNaN(deadline) && html`<span class="turn-until">until <${Time} at=${bot.deadline} as="exact" /> · <b class="num">${stale ? 'unknown now' : late ? `${span(-left)} late` : `${span(left)} left`}</b></span>`}
      </p>
      ${!Number.isNaN(deadline) && html`<svg class="turn-bar" height="4" width="100%" aria-hidden="true"><rect class="turn-all" width="100%" height="4" rx="2" /><rect class="turn-left" width=${`${share * 100}%`} height="4" rx="2" /></svg>`}
      <p class="turn-next">${NEXT[bot.status]} ${OTHERWISE[bot.status]}</p>
    </div>
  `;
}
