// @ts-check
// The fleet: live bots, the owner of each state, overdue ones, and bulk actions.
import { html, useEffect, useMemo } from '../view.js';
import { api } from '../api.js';
import { useCell } from '../cell.js';
import { open, useCommands, useKeys } from '../keys.js';
import { fleet, late, unheard } from '../fleet.js';
import { PlatformTag, StatusChip, Time, useKnownNow, useStaleSince } from '../parts/live.js';
import { Empty, Part } from '../parts/problem.js';
import { Icon } from '../parts/icon.js';
import { Tabs, WorkTable } from '../parts/worktable.js';
import { asProblem } from '../problem.js';
import { link, place, refine } from '../router.js';
import { useShown } from '../query.js';
import { title } from '../status.js';
import { meetings, stopBot } from '../store.js';
import { millis, span, time } from '../time.js';
import { plain } from '../text.js';

/** @typedef {import('../types.js').Bot} Bot */

const BULK_MOST = 200;

/** @type {[string, string, (bot: Bot, now: number) => boolean][]} */
const SHOWS = [
  ['', 'All', () => true],
  ...['reserved', 'starting', 'active', 'stopping'].map((state) => /** @type {any} */ ([state, plain(state)[0].toUpperCase() + state.slice(1), (/** @type {Bot} */ { status }) => status === state])),
  ['late', 'Late', late],
  ['unheard', 'Not heard', unheard],
];

export function Bots() {
  useEffect(() => {
    document.title = 'Bots · Convoke';
  }, []);
  const shown = useShown(fleet, []);
  return html`
    <div class="page">
      <header class="page-head">
        <div><h1>Bots</h1><p class="summary">Every bot that lives, and whose turn it is.</p></div>
        <button data-acts class="button primary" onClick=${() => open({ kind: 'start' })}><${Icon} name="plus" /> Send a bot</button>
      </header>
      <${Part} resource=${shown} rows=${8} title="The bots could not be loaded" view=${(/** @type {any} */ held) => html`<${Fleet} shown=${shown} bots=${held.items} more=${held.more} />`} />
    </div>
  `;
}

/** @param {{shown: any, bots: Bot[], more: boolean}} props */
function Fleet({ shown, bots, more }) {
  const { query } = useCell(place);
  const [key, name, test] = SHOWS.find(([each]) => each === query.get('show')) ?? SHOWS[0];
  const now = useKnownNow();
  const stale = useStaleSince() > 0;
  useCell(meetings.version);
  const counts = SHOWS.map(([, , fits]) => bots.filter((bot) => fits(bot, now)).length);
  // Overdue ones first, the longest overdue at the top.
  const rows = useMemo(() => {
    const rank = (/** @type {Bot} */ bot) => (late(bot, now) ? millis(bot.deadline) : Infinity);
    return bots.filter((bot) => test(bot, now)).sort((a, b) => (rank(a) === rank(b) ? b.meeting_id - a.meeting_id : rank(a) - rank(b)));
  }, [bots, key, counts[5], counts[6]]);
  const many = (/** @type {boolean} */ kill) => open({ kind: 'bulk', ...ending(shown, test, key ? `${name.toLowerCase()} bots` : 'bots', kill) });
  useKeys(
    [
      { keys: 'X', label: 'Ask all that are shown to leave', group: 'Bots', run: () => many(false) },
      { keys: 'K', label: 'End all that are shown by force', group: 'Bots', run: () => many(true) },
      ...SHOWS.map(([show, word], i) => ({ keys: String(i + 1), label: `Show ${word.toLowerCase()}`, group: 'Bots', run: () => refine({ show }) })),
    ],
    [],
  );
  useCommands(
    [
      { id: 'leave-many', label: 'Ask all bots shown to leave…', hint: 'X', icon: 'stop', words: 'bulk stop many', run: () => many(false) },
      { id: 'kill-many', label: 'End all bots shown by force…', hint: 'K', icon: 'close', words: 'bulk kill many', run: () => many(true) },
    ],
    [key, shown],
  );
  return html`
    <div class="filters filters-wide" role="search" aria-label="Filter the bots">
      <${Tabs} label="Which bots" value=${key} onValue=${(/** @type {string} */ show) => refine({ show })}
        options=${SHOWS.map(([show, word], i) => [show, html`${word} <span class="num faint">${counts[i]}</span>`])} />
      ${rows.length > 0 && html`<div class="actions"><button data-acts class="button small" onClick=${() => many(false)}>Ask all to leave…</button> <button data-acts class="button small danger" onClick=${() => many(true)}>End by force…</button></div>`}
    </div>
    <${WorkTable} label="Bots" noun="bot" path="/bots" rows=${rows} id=${(/** @type {Bot} */ { meeting_id }) => meeting_id}
      columns=${['State', 'Meeting', 'Platform', 'For', 'Turn', 'Attempt', 'Heard']} cells=${(/** @type {Bot} */ bot) => botCells(bot, now, stale)}
      acts=${[['x', 'Ask it to leave', (/** @type {Bot} */ { meeting_id }) => open({ kind: 'stop', id: meeting_id })]]} />
    ${rows.length === 0 && html`<${Empty} title=${key ? `No ${name.toLowerCase()} bots` : 'No bot lives'}><p>${key === 'late' ? 'Every bot is within its time.' : key === 'unheard' ? 'Whatever bots were told, they have heard.' : 'Bots that are on their way, in a room or leaving appear here.'}</p><//>`}
    ${more && html`<p class="faint center">The newest ${bots.length} are shown.</p>`}
  `;
}

/** @param {Bot} bot @param {number} now @param {boolean} stale */
function botCells(bot, now, stale) {
  const { meeting_id: id, status, substatus, owner, attempt, last_heartbeat, pending_commands } = bot;
  const left = millis(bot.deadline) - now;
  const row = meetings.get(id);
  const told = unheard(bot) && html` · told to ${pending_commands.map((/** @type {any} */ { action }) => plain(action)).join(', ')}, not heard yet`;
  return [
    html`<${StatusChip} status=${status} substatus=${substatus} stale=${stale} />`,
    html`<a href=${link(`/bots/${id}`)}>${nameOf(id)}</a><span class="sub">#${id}${told}</span>`,
    row && html`<${PlatformTag} platform=${row.platform} />`,
    span(now - millis(bot.state_entered_at)),
    html`${plain(owner)}, ${stale ? 'unknown now' : left < 0 ? html`<b class="trouble num">${span(-left)} late</b>` : html`<span class="num">${span(left)} left</span>`}`,
    attempt,
    html`<${Time} at=${last_heartbeat} as=${stale ? 'clock' : 'relative'} />`,
    html`<button data-acts class="button small quiet" aria-label=${`Stop the bot in ${nameOf(id)}`} onClick=${() => open({ kind: 'stop', id })}>Stop</button>`,
  ];
}

/** @param {number} id */
function nameOf(id) {
  const row = meetings.get(id);
  return row ? title(row) : `Meeting ${id}`;
}

/**
 * Bulk actions on matching bots, one request each.
 * @param {any} shown @param {(bot: Bot, now: number) => boolean} test @param {string} which @param {boolean} kill
 * @returns {import('../parts/form.js').Bulk}
 */
function ending(shown, test, which, kill) {
  return {
    title: kill ? `End these ${which} by force?` : `Ask these ${which} to leave?`,
    text: kill ? 'Their launcher ends them now: a moment to let go, then for good. What they had not sent yet is lost.' : 'Each is asked to leave its room, and its recording ends there. One that does not heed it is ended when its time is over.',
    act: (count) => `${kill ? 'End' : 'Ask'} ${count}`,
    dry: async () => {
      await shown.load();
      const { value, problem } = shown.cell.value;
      if (!value) throw problem;
      const all = value.items.filter((/** @type {Bot} */ bot) => test(bot, time()));
      return {
        more: all.length > BULK_MOST,
        items: all.slice(0, BULK_MOST).map((/** @type {Bot} */ { meeting_id: id, status, desired }) => {
          const asked = desired === 'stop';
          return { id, label: nameOf(id), note: asked ? `${status}, was asked to leave before` : status, able: kill || !asked };
        }),
      };
    },
    run: (ids) =>
      Promise.all(
        ids.map(async (id) => {
          try {
            await (kill ? api.stopBot(id, true) : stopBot(id));
            return { id, note: kill ? 'is being ended' : 'asked', good: true };
          } catch (thrown) {
            return { id, note: asProblem(thrown).title, good: false };
          }
        }),
      ),
  };
}
