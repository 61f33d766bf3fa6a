// @ts-check
// Parts for bots: the state of one, and the dialogs to command or start one.
import { html, useState } from '../view.js';
import { api } from '../api.js';
import { useRow } from '../cell.js';
import { closeOverlay } from '../keys.js';
import { go } from '../router.js';
import { terminal, title } from '../status.js';
import { meetings, startBot, stopBot } from '../store.js';
import { millis, span } from '../time.js';
import { toast } from '../announce.js';
import { NEXT, OTHERWISE, PLATFORMS, STATUSES, ending, plain } from '../text.js';
import { PlatformTag, StatusChip, Time, useKnownNow } from './live.js';
import { Ask, Choice, Dialog, Field, useSending } from './form.js';
import { ProblemNote } from './problem.js';

/**
 * The owner of the state, its deadline, and the time left.
 *
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

// The bot of a meeting: state, owner, deadline and commands.

/** @typedef {import('../types.js').Bot} Bot */

/** @param {{bot: Bot, meeting: import('../types.js').Meeting, stale: boolean, asked: boolean}} props */
export function BotCard({ bot, meeting, stale, asked }) {
  const over = terminal(bot.status);
  const commands = bot.pending_commands.map(({ action }) => plain(action));
  return html`
    <div class="botcard">
      <p class="botcard-state"><${StatusChip} status=${bot.status} substatus=${bot.substatus} stale=${stale && !over} /> <span>since <${Time} at=${bot.state_entered_at} as="exact" /></span></p>
      <p class="botcard-means">${over ? ended(meeting) : STATUSES[bot.substatus ?? bot.status]}</p>
      ${!over && html`<${Turn} owner=${bot.owner ? plain(bot.owner) : 'unknown'} deadline=${bot.deadline} begin=${begin(bot)} stale=${stale}>${NEXT[bot.status]} ${OTHERWISE[bot.status]}<//>`}
      ${asked && !over && html`<p class="botcard-asked">It was asked to leave; the state changes when it does.</p>`}
      <dl class="facts">
        <${Fact} name="Last heartbeat"><${Time} at=${bot.last_heartbeat} as=${over || stale ? 'exact' : 'relative'} /><//>
        ${bot.queue && html`<${Fact} name="In the queue">${bot.queue.position}., since <${Time} at=${bot.queue.since} as="exact" /><//>`}
        ${!over && bot.lobby_since && bot.substatus && html`<${Fact} name="In the lobby since"><${Time} at=${bot.lobby_since} as="exact" /><//>`}
        ${!over && bot.life_ends_at && html`<${Fact} name="May run until"><${Time} at=${bot.life_ends_at} as="exact" /><//>`}
        ${bot.progress && html`<${Fact} name="Heard">${heard(bot.progress)}<//>`}
        ${!over && bot.end_request && html`<${Fact} name="Asked to leave because of">${plain(bot.end_request.reason)}<//>`}
        ${bot.last_change && html`<${Fact} name="Last change">${changed(bot.last_change)}<//>`}
        <${Fact} name="Wanted">${plain(bot.desired) || '–'}<//>
        <${Fact} name="Attempt">${bot.attempt}<//>
        <${Fact} name="Commands waiting">${commands.length === 0 ? 'none' : commands.join(', ')}<//>
        <${Fact} name="Session"><code>${bot.session_uid ?? '–'}</code><//>
        <${Fact} name="Runs as"><code>${meeting.bot_container_id ?? '–'}</code><//>
      </dl>
    </div>
  `;
}

/** What it says that it heard. @param {any} progress */
function heard({ audio_seconds, participants, stalled_since }) {
  const said = [
    audio_seconds !== null && `${span(audio_seconds * 1000)} of sound`,
    participants !== null && `${participants} others in the room`,
    stalled_since && 'no more sound',
  ];
  return said.filter(Boolean).join(', ') || '–';
}

/** What became of new settings. @param {any} change */
function changed({ settings, acknowledged_at, applied, not_applied }) {
  const refused = (not_applied ?? []).map((/** @type {any} */ { setting, reason }) => `${plain(setting)} not applied: ${reason}`);
  const state = !acknowledged_at ? 'not heard yet' : applied ? `applied: ${applied.map(plain).join(', ') || 'nothing'}` : 'delivered';
  return [Object.entries(settings).map(([name, value]) => `${plain(name)} ${value}`).join(', '), state, ...refused].join('; ');
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

// The dialogs that speak to a running bot: leave, and change how it works.

/** @param {{id: number}} props */
export function StopBot({ id }) {
  const row = useRow(meetings, id);
  const name = row ? title(row) : `meeting ${id}`;
  return html`<${Ask} title="Ask the bot to leave?" button="Ask it to leave" danger=${true} act=${() => stopBot(id).then(() => `The bot was asked to leave ${name}.`)}
    text=${html`The bot leaves <strong>${name}</strong> and its recording ends there. People in the room stay.`} />`;
}

const FIELDS = [
  { name: 'language', label: 'Language', hint: 'Such as en or de.' },
  { name: 'task', label: 'Task', hint: 'Such as transcribe or translate.' },
  { name: 'bot_name', label: 'Name of the bot' },
];

/** @param {{id: number}} props */
export function ConfigureBot({ id }) {
  const act = async (/** @type {Record<string, string>} */ values) => {
    const changes = Object.fromEntries(Object.entries(values).filter(([, value]) => value));
    if (Object.keys(changes).length === 0) return 'Nothing was changed.';
    await api.configureBot(id, changes);
    return 'The bot was told. It confirms by itself.';
  };
  return html`<${Ask} title="Change how the bot works" text="Fields left empty stay as they are." button="Tell the bot" fields=${FIELDS} act=${act} />`;
}

// Reads a pasted meeting link: which platform, and the id that the platform knows the meeting by.

/** @typedef {{platform: import('../types.js').Platform, id: string, url: string}} Found */

/** @type {[RegExp, RegExp, import('../types.js').Platform][]} */
const SHAPES = [
  [/(^|\.)meet\.google\.com$/, /^\/([a-z]{3}-[a-z]{4}-[a-z]{3})/, 'google_meet'],
  [/(^|\.)zoom\.us$|(^|\.)zoom\.com$/, /^\/(?:j|s|wc\/join|wc)\/(\d+)/, 'zoom'],
  [/(^|\.)teams\.(microsoft|live)\.com$/, /^\/(?:l\/meetup-join|meet)\/([^/?]+)/, 'teams'],
  [/(^|\.)daily\.co$/, /^\/([^/?]+)/, 'daily'],
];

/** @param {string} text @returns {Found|null} */
function readMeetingLink(text) {
  const given = text.trim();
  if (!URL.canParse(given)) return null;
  const url = new URL(given);
  for (const [host, path, platform] of SHAPES) {
    const id = host.test(url.hostname) ? path.exec(url.pathname)?.[1] : undefined;
    if (id) return { platform, id: decodeURIComponent(id), url: given };
  }
  return null;
}

// The dialog that sends a bot into a meeting. Paste a link and it fills itself in.

const KNOWN = ['native_meeting_id', 'meeting_url', 'bot_name', 'language', 'passcode'];

export function StartBot() {
  const [form, setForm] = useState({
    platform: 'daily',
    native_meeting_id: '',
    meeting_url: '',
    bot_name: '',
    language: '',
    passcode: '',
  });
  const change = (/** @type {Record<string, string>} */ changes) => setForm((/** @type {any} */ was) => ({ ...was, ...changes }));
  const { sending, problem, onSubmit } = useSending(async () => {
    const body = Object.fromEntries(Object.entries(form).map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
    const row = await startBot(body);
    closeOverlay();
    toast(`A bot is on its way to ${form.native_meeting_id.trim()}.`);
    go(`/meetings/${row.id}`);
  });
  const onMeeting = (/** @type {string} */ text) => {
    const found = readMeetingLink(text);
    if (found) change({ platform: found.platform, native_meeting_id: found.id, meeting_url: found.url });
    else change({ native_meeting_id: text });
  };
  /** @param {'bot_name'|'language'|'passcode'|'meeting_url'} name @param {string} label @param {string} hint */
  const field = (name, label, hint = '') => html`
    <${Field} label=${label} name=${name} value=${form[name]} hint=${hint} problem=${problem}
      onValue=${(/** @type {string} */ value) => change({ [name]: value })} />
  `;
  return html`
    <${Dialog} title="Send a bot to a meeting" onClose=${closeOverlay}>
      <form onSubmit=${onSubmit}>
        <${Field} label="Meeting" name="native_meeting_id" value=${form.native_meeting_id} problem=${problem} onValue=${onMeeting}
          hint="The id of the meeting, or paste its link: platform and id are read from it."
          more=${{ autofocus: true, required: true, maxLength: 2048, placeholder: 'design-review or https://…' }} />
        <${Choice} label="Platform" name="platform" value=${form.platform}
          options=${Object.keys(PLATFORMS).map((key) => [key, html`<${PlatformTag} platform=${key} />`])}
          onValue=${(/** @type {string} */ platform) => change({ platform })} />
        ${field('bot_name', 'Name of the bot', 'How people in the room see it.')}
        <details class="more" open=${!!form.meeting_url || undefined}>
          <summary>More: link, language, passcode</summary>
          ${field('meeting_url', 'Link')}
          <div class="pair">${field('language', 'Language', 'Such as en or de.')} ${field('passcode', 'Passcode')}</div>
        </details>
        ${problem && html`<${ProblemNote} problem=${problem} known=${KNOWN} />`}
        <footer class="dialog-foot">
          <button type="button" class="button" onClick=${closeOverlay}>Cancel</button>
          <button type="submit" class="button primary" disabled=${sending}>${sending ? 'Sending…' : 'Send the bot'}</button>
        </footer>
      </form>
    <//>
  `;
}
