// @ts-check
// The bot of a meeting: what it is, whose turn it is and until when, and what it has been told.
import { html } from '../view.js';
import { terminal } from '../status.js';
import { millis } from '../time.js';
import { NEXT, OTHERWISE, STATUSES, ending, plain } from '../words.js';
import { StatusChip } from './chip.js';
import { Time } from './time.js';
import { Fact, Turn } from './turn.js';

/** @typedef {import('../types.js').Bot} Bot */

/** @param {{bot: Bot, meeting: import('../types.js').Meeting, stale: boolean, asked: boolean}} props */
export function BotCard({ bot, meeting, stale, asked }) {
  const over = terminal(bot.status);
  const commands = commandsOf(bot.pending_commands);
  return html`
    <div class="botcard">
      <p class="botcard-state"><${StatusChip} status=${bot.status} stale=${stale && !over} /> <span>since <${Time} at=${bot.state_entered_at} as="exact" /></span></p>
      <p class="botcard-means">${over ? ended(meeting) : STATUSES[bot.status]}</p>
      ${!over && html`<${Turn} owner=${bot.owner ? plain(bot.owner) : 'unknown'} deadline=${bot.deadline} begin=${begin(bot)} stale=${stale}>${NEXT[bot.status]} ${OTHERWISE[bot.status]}<//>`}
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

/** Since when its time runs. @param {Bot} bot */
function begin({ state_entered_at, last_heartbeat, deadline }) {
  const end = millis(deadline);
  return Math.max(...[state_entered_at, last_heartbeat].map(millis).filter((each) => each < end), end - 600_000);
}

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
