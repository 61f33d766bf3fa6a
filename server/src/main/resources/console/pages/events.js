// @ts-check
// The journal: filtered by type, subject and time, newest first, or live.
import { html, useEffect, useRef, useState } from '../view.js';
import { api } from '../api.js';
import { Cell, useCell } from '../cell.js';
import { useKeys } from '../keys.js';
import { Head, Ledger, Narrow, Tabs, about, tell, useList } from '../parts/listpage.js';
import { Time } from '../parts/live.js';
import { Line } from '../parts/timeline.js';
import { link, place } from '../router.js';
import { stream } from '../store.js';
import { sentence } from '../text.js';

const GROUP = 'Events';
/** Maximum rows of the live tail; older ones are dropped. */
const KEPT = 300;
const EXPORTED = 20_000;
const PAGE = 200;

/** @typedef {import('../types.js').JournalEvent} JournalEvent */

export function Events() {
  const { query } = useCell(place);
  const live = query.get('show') === 'live';
  const [type, subject, since, until, before] = ['type', 'subject', 'since', 'until', 'before'].map((name) => query.get(name) ?? '');
  const wanted = { type, subject, since: instant(since), until: instant(until), before, order: 'newest' };
  return html`
    <div class="page">
      <${Head} title=${GROUP}>Everything that happened, in the order in which it was written.<//>
      <div class="filters">
        <${Tabs} group=${GROUP} options=${[['', 'Found'], ['live', 'Live']]} />
        <${Narrow} name="type" label="Type" keys="/" group=${GROUP} hint="participant.joined" />
        <${Narrow} name="subject" label="About" keys="a" group=${GROUP} hint="meeting:42" />
        ${!live && html`<${Narrow} name="since" label="From" type="datetime-local" /><${Narrow} name="until" label="To" type="datetime-local" />`}
      </div>
      ${live ? html`<${Live} key=${type + subject} type=${type} subject=${subject} />` : html`<${Found} wanted=${wanted} />`}
    </div>`;
}

/** @param {string} local as a datetime field has it, in the reader's zone */
const instant = (local) => (Number.isNaN(Date.parse(local)) ? '' : new Date(local).toISOString());

/** @param {any} props */
function Found({ wanted }) {
  const key = JSON.stringify(wanted);
  const list = useList((page) => api.journal({ ...page, ...wanted }), [key], 0);
  useKeys([{ keys: 'r', label: 'Look again', group: GROUP, run: list.load }], [key]);
  return html`
    <p class="tools">
      ${list.value && html`<span>As of <${Time} at=${new Date(list.at).toISOString()} as="exact" /></span>`}
      <button class="button small" onClick=${list.load}>Look again</button>
      ${wanted.before && html`<a href=${link('/events')}>from here back; show all</a>`}
      <${Export} key=${key} wanted=${wanted} />
    </p>
    <${Ledger} list=${list} name=${GROUP} kind="timeline card" nothing=${['Nothing like this happened', 'A type and a subject are looked for as a whole, such as participant.joined and meeting:42.']} row=${drawn} />`;
}

/** Rows are drawn once and then stay, however often the list changes. @type {WeakMap<JournalEvent, any>} */
const rows = new WeakMap();

/** @param {JournalEvent} event */
function drawn(event) {
  const { seq, type, subject, at, data } = event;
  const made = rows.get(event) ?? html`
    <${Line} key=${seq} at=${at} said=${{ ...sentence(event), note: `${type} ${subject}` }} raw=${{ seq, type, subject, at, data }}>
      <p class="tools">${about(event)} <a href=${link(`/events?before=${seq + 1}`)}>link to this event</a></p>
    <//>`;
  rows.set(event, made);
  return made;
}

/** As it is written: a bounded ring, drawn once per frame. @param {{type: string, subject: string}} props */
function Live({ type, subject }) {
  const [ring] = useState(() => new Cell({ events: /** @type {JournalEvent[]} */ ([]), seen: 0 }));
  const { events, seen } = useCell(ring);
  const [paused, pause] = useState(/** @type {any} */ (null));
  useEffect(() => {
    const tap = (/** @type {JournalEvent[]} */ all) => {
      const fit = all.filter((each) => (!type || each.type === type) && (!subject || each.subject === subject)).reverse();
      if (fit.length > 0) ring.update((was) => ({ events: [...fit, ...was.events].slice(0, KEPT), seen: was.seen + fit.length }));
    };
    stream.taps.add(tap);
    return () => void stream.taps.delete(tap);
  }, []);
  const turn = () => pause(paused ? null : { events, seen });
  useKeys([{ keys: 'p', label: 'Pause, go on', group: GROUP, run: turn }]);
  const shown = paused ?? { events, seen };
  return html`
    <p class="tools">
      <button class="button small" aria-pressed=${!!paused} onClick=${turn}>${paused ? 'Go on' : 'Pause'}</button>
      <span class="num">${seen} seen${paused ? `, ${seen - paused.seen} since the pause` : ''}</span>
      ${seen > KEPT && html`<span class="faint">the latest ${KEPT} are shown</span>`}
    </p>
    ${seen === 0 ? html`<p class="faint">Nothing like this has happened since you came.</p>` : html`<ul class="timeline card" aria-label="Live events">${shown.events.map(drawn)}</ul>`}`;
}

const quoted = (/** @type {unknown} */ value) => `"${String(value).replaceAll('"', '""')}"`;

/** @type {Record<string, (event: JournalEvent) => string>} */
const LINES = {
  ndjson: (event) => `${JSON.stringify(event)}\n`,
  csv: ({ seq, at, type, subject, data }) => `${[seq, at, type, subject, JSON.stringify(data)].map(quoted)}\r\n`,
};

/** Exports the result as a file, page by page, up to a bound. @param {any} props */
function Export({ wanted }) {
  const [count, setCount] = useState(-1);
  const going = useRef(false);
  const stop = () => (going.current = false);
  useEffect(() => stop, []);
  const save = async (/** @type {string} */ kind) => {
    const parts = kind === 'csv' ? ['seq,at,type,subject,data\r\n'] : [];
    let cursor = null;
    going.current = true;
    for (let n = 0; going.current && n < EXPORTED && (n === 0 || cursor); setCount(n)) {
      const page = await api.journal({ ...wanted, limit: PAGE, cursor });
      parts.push(...page.items.map(LINES[kind]));
      cursor = page.next_cursor;
      n += PAGE;
    }
    setCount(-1);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(parts));
    link.download = `events.${kind}`;
    if (going.current) link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };
  if (count >= 0) return html`<progress max=${EXPORTED} value=${count} aria-label="Export" /> <button class="button small" onClick=${stop}>Stop</button>`;
  return Object.keys(LINES).map((kind) => html`<button class="button small" title=${`At most ${EXPORTED} events`} onClick=${() => tell(() => save(kind).finally(() => setCount(-1)))}>Save as ${kind.toUpperCase()}</button>`);
}
