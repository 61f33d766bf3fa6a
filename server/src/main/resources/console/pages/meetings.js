// @ts-check
// The list of meetings, live and ended, with keyboard control. First the filter bar, whose state is in the URL, so
// that a view can be shared.
import { html, useEffect, useMemo, useRef, useState } from '../view.js';
import { useCell } from '../cell.js';
import { open, useCommands, useKeys } from '../keys.js';
import { PlatformTag, useStaleSince } from '../parts/live.js';
import { Icon } from '../parts/icon.js';
import { MeetingRow } from '../parts/meetingrow.js';
import { Empty, Failed, ProblemNote, Skeleton } from '../parts/problem.js';
import { CARD, ROW, Window, usePhone } from '../parts/worktable.js';
import { go, place, refine } from '../router.js';
import { who } from '../session.js';
import { roomState, terminal, tracked } from '../status.js';
import { close, meetings, openList } from '../store.js';
import { useVisible } from '../visible.js';
import { PLATFORMS } from '../text.js';

/** @type {[import('../list.js').Filter['show'], string][]} */
const SHOWS = [
  ['live', 'Live'],
  ['ended', 'Ended'],
  ['all', 'All'],
];

/**
 * @param {object} props
 * @param {import('../list.js').Filter} props.filter
 * @param {string} props.search
 * @param {any} props.field a ref to the search field
 * @param {boolean} props.admin
 */
function Filters({ filter, search, field, admin }) {
  const onKey = (/** @type {any} */ event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    refine({ q: null });
    event.target.blur();
  };
  return html`
    <div class="filters" role="search" aria-label="Filter the meetings">
      <div class="tabs" role="group" aria-label="Which meetings">
        ${SHOWS.map(
          ([show, name]) => html`
            <button aria-pressed=${filter.show === show} onClick=${() => refine({ show: show === 'live' ? null : show })}>${name}</button>
          `,
        )}
      </div>
      <div class="pills" role="group" aria-label="Platform">
        ${Object.keys(PLATFORMS).map(
          (platform) => html`
            <button aria-pressed=${filter.platform === platform} onClick=${() => refine({ platform: filter.platform === platform ? null : platform })}>
              <${PlatformTag} platform=${platform} />
            </button>
          `,
        )}
      </div>
      ${admin && filter.user && html`
        <button class="pill-user" onClick=${() => refine({ user: null })} aria-label=${`Only user ${filter.user}. Show all users`}>user ${filter.user} <${Icon} name="close" size="13" /></button>
      `}
      <label class="search">
        <${Icon} name="search" />
        <span class="hidden">Search the meetings</span>
        <input ref=${field} type="search" placeholder="Search" value=${search} autocomplete="off" spellcheck=${false}
          onInput=${(/** @type {any} */ event) => refine({ q: event.target.value })} onKeyDown=${onKey} />
        <kbd>/</kbd>
      </label>
    </div>
  `;
}

/** @typedef {import('../types.js').Meeting} Meeting */
/** @typedef {import('../list.js').Filter} Filter */

export function Meetings() {
  const { query } = useCell(place);
  const asked = /** @type {Filter['show']} */ (query.get('show') ?? 'live');
  const show = SHOWS.some(([name]) => name === asked) ? asked : 'live';
  const platform = query.get('platform') ?? '';
  const user = query.get('user') ?? '';
  const list = useMemo(() => openList({ show, platform, user }), [show, platform, user]);
  useEffect(() => () => close(list), [list]);
  useEffect(() => {
    document.title = 'Meetings · Convoke';
  }, []);
  return html`<${List} list=${list} filter=${list.filter} search=${query.get('q') ?? ''} />`;
}

/** @param {{list: import('../list.js').MeetingList, filter: Filter, search: string}} props */
function List({ list, filter, search }) {
  const state = useCell(list.state);
  const ids = useVisible(list, search);
  const admin = useCell(who)?.role === 'admin';
  const height = usePhone() ? CARD : ROW;
  const field = useRef(/** @type {HTMLInputElement|null} */ (null));
  const [cursor, setCursor] = useState(0);
  const at = ids.indexOf(cursor);

  const move = (/** @type {number} */ step) => {
    const next = ids[Math.min(ids.length - 1, Math.max(0, at + step))];
    if (!next) return;
    setCursor(next);
    // The row may have to be drawn first.
    requestAnimationFrame(() => requestAnimationFrame(() => focusRow(next)));
  };
  useKeys(
    [
      { keys: '/', label: 'Search', group: 'Meetings', run: () => field.current?.select() },
      { keys: 'j', label: 'Next meeting', group: 'Meetings', run: () => move(1) },
      { keys: 'k', label: 'Previous meeting', group: 'Meetings', run: () => move(-1) },
      { keys: 'Enter', label: 'Open the meeting', group: 'Meetings', run: () => at >= 0 && go(`/meetings/${cursor}`) },
      { keys: 'x', label: 'Ask its bot to leave', group: 'Meetings', run: () => at >= 0 && stoppable(cursor) && open({ kind: 'stop', id: cursor }) },
      ...SHOWS.map(([show], i) => ({ keys: String(i + 1), label: `Show ${show}`, group: 'Meetings', run: () => refine({ show: show === 'live' ? null : show }) })),
    ],
    [ids, cursor],
  );
  useCommands(
    SHOWS.map(([show], i) => ({ id: `show:${show}`, label: `Show ${show} meetings`, hint: String(i + 1), icon: 'meetings', run: () => go(show === 'live' ? '/meetings' : `/meetings?show=${show}`) })),
    [],
  );

  return html`
    <div class="page">
      <header class="page-head">
        <div><h1>Meetings</h1><${Summary} ids=${ids} show=${filter.show} ready=${state.at > 0} more=${state.more} /></div>
        <button data-acts class="button primary" onClick=${() => open({ kind: 'start' })}><${Icon} name="plus" /> Send a bot</button>
      </header>
      <${Filters} filter=${filter} search=${search} field=${field} admin=${admin} />
      <div class="table" role="table" aria-label="Meetings" aria-rowcount=${state.more ? -1 : ids.length + 1} aria-busy=${state.phase === 'loading'}>
        <div role="rowgroup">
          <div class="row row-head" role="row">
            ${['Room', 'Meeting', 'Platform', 'People', 'Bot', 'CRM', 'Began', 'Lasted'].map((name) => html`<span role="columnheader">${name}</span>`)}
            <span role="columnheader"><span class="hidden">Actions</span></span>
          </div>
        </div>
        ${ids.length > 0 &&
        html`<${Window} count=${ids.length} height=${height} reveal=${at}
          row=${(/** @type {number} */ i) => html`<${MeetingRow} key=${ids[i]} id=${ids[i]} index=${i} chosen=${ids[i] === cursor} admin=${admin} live=${filter.show === 'live'} />`} />`}
      </div>
      <${Below} list=${list} state=${state} none=${ids.length === 0} search=${search} filter=${filter} />
    </div>
  `;
}

/** @param {number} id */
const focusRow = (id) => /** @type {HTMLElement|null} */ (document.querySelector(`[data-row="${id}"] a`))?.focus({ preventScroll: true });

/** @param {Meeting|undefined} row */
const hasBot = (row) => row !== undefined && !tracked(row) && !terminal(row.status);

/** @param {number} id */
const stoppable = (id) => hasBot(meetings.get(id));

/** The footer of the list: loading, problem, empty, or a button for more. @param {any} props */
function Below({ list, state, none, search, filter }) {
  const first = state.at === 0;
  if (first && state.phase === 'loading') return html`<${Skeleton} rows=${8} />`;
  if (first && state.phase === 'failed') {
    return html`<${Failed} title="The meetings could not be loaded" problem=${state.problem} onRetry=${() => list.reload()} />`;
  }
  return html`
    ${state.phase === 'failed' && html`<${ProblemNote} problem=${state.problem} />`}
    ${none && html`<${Nothing} search=${search} filter=${filter} more=${state.more} />`}
    ${state.more &&
    html`<div class="more-rows">
      <button class="button" disabled=${state.busy} onClick=${() => list.more()}>${state.busy ? 'Loading…' : 'Load older meetings'}</button>
    </div>`}
    ${search && state.more && html`<p class="faint center">The search looks through what is loaded.</p>`}
  `;
}

/** @param {{search: string, filter: Filter, more: boolean}} props */
function Nothing({ search, filter, more }) {
  if (search) {
    return html`<${Empty} title="No meeting matches “${search}”">
      <p>${more ? 'Only loaded meetings are searched; older ones may match.' : 'Names, ids, platforms and states are searched.'}</p>
      <button class="button" onClick=${() => refine({ q: null })}>Clear the search</button>
    <//>`;
  }
  const narrowed = filter.platform || filter.user;
  if (filter.show === 'live') {
    return html`<${Empty} title=${narrowed ? 'Nothing live here' : 'All quiet'}>
      <p>${narrowed ? 'No live meeting passes this filter.' : 'No meeting is live. Send a bot, and it appears here the same second.'}</p>
      ${narrowed
        ? html`<button class="button" onClick=${() => refine({ platform: null, user: null })}>Clear the filter</button>`
        : html`<button data-acts class="button" onClick=${() => open({ kind: 'start' })}><${Icon} name="bot" /> Send a bot to a meeting</button>`}
    <//>`;
  }
  return html`<${Empty} title="No meetings here yet"><p>Meetings that end are kept here.</p><//>`;
}

/** @param {{ids: number[], show: string, ready: boolean, more: boolean}} props */
function Summary({ ids, show, ready, more }) {
  const plus = more ? '+' : '';
  if (!ready) return html`<p class="summary"> </p>`;
  if (show === 'live') return html`<${Going} ids=${ids} plus=${plus} />`;
  return html`<p class="summary">${ids.length}${plus} ${ids.length === 1 ? 'meeting' : 'meetings'}</p>`;
}

/** Activity in the live rooms. @param {{ids: number[], plus: string}} props */
function Going({ ids, plus }) {
  const stale = useStaleSince() > 0;
  useCell(meetings.version);
  let people = 0;
  let rooms = 0;
  let bots = 0;
  for (const id of ids) {
    const row = meetings.get(id);
    if (hasBot(row)) bots++;
    if (!row || roomState(row) !== 'live') continue;
    rooms++;
    people += row.num_clients;
  }
  const count = (/** @type {number} */ n, /** @type {string} */ one, /** @type {string} */ many) => html`<span><b>${n}${plus}</b> ${n === 1 ? one : many}</span>`;
  return html`
    <p class="summary" data-stale=${stale || undefined}>
      ${count(people, 'person', 'people')} ${count(rooms, 'room in session', 'rooms in session')} ${count(bots, 'bot', 'bots')}
    </p>
  `;
}
