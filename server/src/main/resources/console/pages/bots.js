// @ts-check
// The fleet: every bot that lives, whose turn it is, which are late, and what is done to many of them.
import { html, useEffect, useMemo, useState } from '../view.js';
import { api } from '../api.js';
import { useCell, useRow } from '../cell.js';
import { useCommands } from '../commands.js';
import { fleet, late, unheard } from '../fleet.js';
import { useKeys } from '../keys.js';
import { open } from '../overlays.js';
import { PlatformTag, StatusChip } from '../parts/chip.js';
import { Empty } from '../parts/empty.js';
import { Icon } from '../parts/icon.js';
import { useKnownNow, useStaleSince } from '../parts/link.js';
import { Part } from '../parts/part.js';
import { usePhone } from '../parts/phone.js';
import { Time } from '../parts/time.js';
import { Window } from '../parts/window.js';
import { asProblem } from '../problem.js';
import { go, link, place, refine } from '../router.js';
import { useShown } from '../shown.js';
import { title } from '../status.js';
import { meetings, stopBot } from '../store.js';
import { millis, span } from '../time.js';
import { plain } from '../words.js';

/** @typedef {import('../types.js').Bot} Bot */

/** Heights of a row; they must agree with styles/meetings.css. */
const ROW = 52;
const CARD = 84;
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
        <button class="button primary" onClick=${() => open({ kind: 'start' })}><${Icon} name="plus" /> Send a bot</button>
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
  const phone = usePhone();
  const counts = SHOWS.map(([, , fits]) => bots.filter((bot) => fits(bot, now)).length);
  // Late ones first, the one that is late longest before all.
  const rows = useMemo(() => {
    const rank = (/** @type {Bot} */ bot) => (late(bot, now) ? millis(bot.deadline) : Infinity);
    return bots.filter((bot) => test(bot, now)).sort((a, b) => (rank(a) === rank(b) ? b.meeting_id - a.meeting_id : rank(a) - rank(b)));
  }, [bots, key, counts[5], counts[6]]);
  const [cursor, setCursor] = useState(0);
  const at = rows.findIndex(({ meeting_id }) => meeting_id === cursor);
  const chosen = rows[at];
  const move = (/** @type {number} */ step) => {
    const next = rows[Math.min(rows.length - 1, Math.max(0, at + step))];
    if (!next) return;
    setCursor(next.meeting_id);
    requestAnimationFrame(() => requestAnimationFrame(() => /** @type {any} */ (document.querySelector(`[data-row="${next.meeting_id}"] a`))?.focus({ preventScroll: true })));
  };
  const many = (/** @type {boolean} */ kill) => open({ kind: 'bulk', ...ending(shown, test, key ? `${name.toLowerCase()} bots` : 'bots', kill) });
  useKeys(
    [
      { keys: 'j', label: 'Next bot', group: 'Bots', run: () => move(1) },
      { keys: 'k', label: 'Previous bot', group: 'Bots', run: () => move(-1) },
      { keys: 'Enter', label: 'Open the bot', group: 'Bots', run: () => chosen && go(`/bots/${chosen.meeting_id}`) },
      { keys: 'x', label: 'Ask it to leave', group: 'Bots', run: () => chosen && open({ kind: 'stop', id: chosen.meeting_id }) },
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
      <div class="tabs-scroll"><div class="tabs" role="group" aria-label="Which bots">
        ${SHOWS.map(([show, word], i) => html`<button aria-pressed=${show === key} onClick=${() => refine({ show })}>${word} <span class="num faint">${counts[i]}</span></button>`)}
      </div></div>
      ${rows.length > 0 && html`<div class="actions"><button class="button small" onClick=${() => many(false)}>Ask all to leave…</button> <button class="button small danger" onClick=${() => many(true)}>End by force…</button></div>`}
    </div>
    <div class="table table-work" role="table" aria-label="Bots" aria-rowcount=${rows.length + 1}>
      <div role="rowgroup"><div class="row row-head" role="row">
        ${['State', 'Meeting', 'Platform', 'For', 'Turn', 'Attempt', 'Heard'].map((word) => html`<span role="columnheader">${word}</span>`)}<span role="columnheader"><span class="hidden">Actions</span></span>
      </div></div>
      ${rows.length > 0 && html`<${Window} count=${rows.length} height=${phone ? CARD : ROW} reveal=${at}
        row=${(/** @type {number} */ i) => html`<${BotRow} key=${rows[i].meeting_id} bot=${rows[i]} index=${i} chosen=${i === at} />`} />`}
    </div>
    ${rows.length === 0 && html`<${Empty} title=${key ? `No ${name.toLowerCase()} bots` : 'No bot lives'}><p>${key === 'late' ? 'Every bot is within its time.' : key === 'unheard' ? 'Whatever bots were told, they have heard.' : 'Bots that are on their way, in a room or leaving appear here.'}</p><//>`}
    ${more && html`<p class="faint center">The newest ${bots.length} are shown.</p>`}
  `;
}

/** @param {{bot: Bot, index: number, chosen: boolean}} props */
function BotRow({ bot, index, chosen }) {
  const id = bot.meeting_id;
  const row = useRow(meetings, id);
  const stale = useStaleSince() > 0;
  const now = useKnownNow();
  const left = millis(bot.deadline) - now;
  const name = row ? title(row) : `Meeting ${id}`;
  const onClick = (/** @type {any} */ event) => {
    if (!event.target.closest('a, button') && !getSelection()?.toString()) go(`/bots/${id}`);
  };
  return html`
    <div class="row" role="row" aria-rowindex=${index + 2} data-row=${id} data-chosen=${chosen || undefined} onClick=${onClick}>
      <span role="cell" class="cell-room"><${StatusChip} status=${bot.status} stale=${stale} /></span>
      <span role="cell" class="cell-name"><a href=${link(`/bots/${id}`)}>${name}</a><span class="sub">#${id}${unheard(bot) && html` · told to ${bot.pending_commands.map((/** @type {any} */ { action }) => plain(action)).join(', ')}, not heard yet`}</span></span>
      <span role="cell" class="cell-platform">${row && html`<${PlatformTag} platform=${row.platform} />`}</span>
      <span role="cell" class="cell-people num">${span(now - millis(bot.state_entered_at))}</span>
      <span role="cell" class="cell-bot sub">${plain(bot.owner)}, ${stale ? 'unknown now' : left < 0 ? html`<b class="trouble num">${span(-left)} late</b>` : html`<span class="num">${span(left)} left</span>`}</span>
      <span role="cell" class="cell-lasted num">${bot.attempt}</span>
      <span role="cell" class="cell-began">${stale ? html`<${Time} at=${bot.last_heartbeat} />` : html`<${Time} at=${bot.last_heartbeat} as="relative" />`}</span>
      <span role="cell" class="cell-act"><button class="button small quiet" aria-label=${`Stop the bot in ${name}`} onClick=${() => open({ kind: 'stop', id })}>Stop</button></span>
    </div>
  `;
}

/**
 * What is done to all bots that fit, one request each.
 * @param {any} shown @param {(bot: Bot, now: number) => boolean} test @param {string} which @param {boolean} kill
 * @returns {import('../parts/bulk.js').Bulk}
 */
function ending(shown, test, which, kill) {
  return {
    title: kill ? `End these ${which} by force?` : `Ask these ${which} to leave?`,
    text: kill ? 'Their launcher ends them now: a moment to let go, then for good. What they had not sent yet is lost.' : 'Each is asked to leave its room, and its recording ends there. One that does not heed it is ended when its time is over.',
    act: kill ? 'End' : 'Ask',
    dry: async () => {
      await shown.load();
      const { value, problem } = shown.cell.value;
      if (!value) throw problem;
      const all = value.items.filter((/** @type {Bot} */ bot) => test(bot, Date.now()));
      return {
        more: all.length > BULK_MOST,
        items: all.slice(0, BULK_MOST).map((/** @type {Bot} */ { meeting_id: id, status, desired }) => {
          const row = meetings.get(id);
          return { id, label: row ? title(row) : `Meeting ${id}`, note: desired === 'stop' ? `${status}, was asked to leave before` : status, able: kill || desired !== 'stop' };
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
