// @ts-check
// Parts of list pages: polling of data without events, a head with actions, filters kept in the URL, rows with
// keyboard control.
import { html, useEffect, useMemo, useRef } from '../view.js';
import { Resource, useCell } from '../cell.js';
import { useCommands, useKeys } from '../keys.js';
import { asProblem } from '../problem.js';
import { go, link, place, refine } from '../router.js';
import { readAll } from '../query.js';
import { acts, manages } from '../session.js';
import { stream } from '../store.js';
import { span } from '../time.js';
import { toast } from '../announce.js';
import { plain } from '../text.js';
import { Empty, Failed, Part, ProblemNote, Skeleton } from './problem.js';
import { Icon } from './icon.js';
import { useKnownNow, useStaleSince } from './live.js';

const STEP = 50;
const MOST = 1000;
/** Slow requests are polled less often; the maximum interval. */
const SELDOM_MS = 10_000;

/** Fetches at once, every few seconds while the page is visible, and when the stream reconnects. @param {() => Promise<any>} fetcher @param {any[]} deps @param {number} [ms] 0 for once */
export function useLooked(fetcher, deps, ms = 5000) {
  const held = useMemo(() => new Resource(fetcher), deps);
  const live = useCell(stream.link).phase === 'live';
  useEffect(() => {
    let timer = 0;
    const ask = async () => {
      const began = Date.now();
      if (!document.hidden || !held.cell.value.at) await held.load();
      if (timer >= 0 && live && ms) timer = setTimeout(ask, Math.max(ms, Math.min(SELDOM_MS, 10 * (Date.now() - began))));
    };
    if (live || !held.cell.value.at) void ask();
    return () => {
      clearTimeout(timer);
      timer = -1;
    };
  }, [held, live]);
  return { ...useCell(held.cell), cell: held.cell, load: () => held.load() };
}

/** The first of a list of the API, more on request, up to a bound. @param {(query: any) => Promise<any>} fetch @param {any[]} deps @param {number} [ms] */
export function useList(fetch, deps, ms) {
  const most = useRef(STEP);
  useMemo(() => (most.current = STEP), deps);
  const looked = useLooked(() => readAll(fetch, most.current), deps, ms);
  const more = () => {
    most.current += STEP * 2;
    return looked.load();
  };
  return { ...looked, more: most.current < MOST && more };
}

/** The head of a page; `up` is the path of the list it belongs to, which `group` names. @param {any} props */
export function Head({ title, group = title, up = '', actions = [], children }) {
  const stale = useStaleSince() > 0;
  const may = actions.filter((/** @type {any} */ action) => (action.manages ? manages() : acts()));
  const latest = useRef(may);
  latest.current = may;
  const doing = may.map((/** @type {any} */ action, /** @type {number} */ i) => ({ ...action, group, run: () => tell(() => latest.current[i].run()) }));
  const same = [title, ...doing.map((/** @type {any} */ { label }) => label)].join();
  useEffect(() => {
    document.title = `${title} · Convoke`;
  }, [title]);
  const bound = doing.filter((/** @type {any} */ { keys }) => keys);
  if (up) bound.push({ keys: 'u', label: 'Up to the list', group, run: () => go(up) });
  useKeys(bound, [same]);
  useCommands(doing.map((/** @type {any} */ each) => ({ ...each, id: each.label, hint: each.keys })), [same]);
  return html`
    ${up && html`<a class="up" href=${link(up)}><${Icon} name="back" size="14" /> ${group}</a>`}
    <header class="page-head">
      <div><h1>${title}</h1><div class="meta">${children}</div></div>
      <div class="actions" data-stale=${stale || undefined}>
        ${doing.map((/** @type {any} */ { label, icon, kind = '', run }) => html`<button class="button ${kind}" onClick=${run}>${icon && html`<${Icon} name=${icon} />`}${label}</button>`)}
      </div>
    </header>`;
}

/** Runs an action and shows its result or problem. @param {() => any} act */
export async function tell(act) {
  try {
    const said = await act();
    if (said) toast(said);
  } catch (thrown) {
    toast('That did not work', asProblem(thrown));
  }
}

/** Puts a text on the clipboard; a page that came over plain http has only the old way. @param {string} text @param {Element} beside @param {string} said */
export const copy = (text, beside, said) =>
  tell(async () => {
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else {
      const area = document.createElement('textarea');
      area.value = text;
      beside.append(area);
      area.select();
      const copied = document.execCommand('copy');
      area.remove();
      if (!copied) throw new Error('The browser does not let this page copy.');
    }
    return said;
  });

/** The filter of rows. @param {{options: [string, string][], group: string}} props */
export function Tabs({ options, group }) {
  const show = useCell(place).query.get('show') ?? '';
  const tabs = options.map(([key, name], i) => ({ name, on: show === key, keys: `${i + 1}`, label: `Show ${name.toLowerCase()}`, group, run: () => refine({ show: key || null }) }));
  useKeys(tabs);
  return html`<div class="tabs" role="group" aria-label="Which are shown">${tabs.map(({ name, on, run }) => html`<button aria-pressed=${on} onClick=${run}>${name}</button>`)}</div>`;
}

/** A field that narrows what is shown. @param {any} props */
export function Narrow({ name, label, type = 'search', keys, group, hint }) {
  const field = useRef(/** @type {any} */ (null));
  useKeys(keys ? [{ keys, label, group, run: () => field.current.focus() }] : []);
  return html`
    <label class="narrow">${label}
      <input ref=${field} name=${name} type=${type} placeholder=${hint} step="1" value=${useCell(place).query.get(name) ?? ''} autocomplete="off" spellcheck=${false}
        onChange=${(/** @type {any} */ event) => refine({ [name]: event.target.value.trim() })} />
    </label>`;
}

/** The rows of a list, or a text for an empty one. @param {any} props `row` makes an li with something to focus in it */
export function Ledger({ list, name, row, nothing: [none, why], kind = '' }) {
  const box = useRef(/** @type {any} */ (null));
  const move = (/** @type {number} */ step) => {
    const rows = [...(box.current?.children ?? [])];
    const at = rows.findIndex((each) => each.contains(document.activeElement));
    rows[Math.min(rows.length - 1, Math.max(0, at + step))]?.querySelector('a, button, summary')?.focus();
  };
  useKeys([
    { keys: 'j', label: 'Next', group: name, run: () => move(1) },
    { keys: 'k', label: 'Previous', group: name, run: () => move(-1) },
  ]);
  return html`<${Part} resource=${list} rows=${6} title=${`${name} could not be loaded`} view=${(/** @type {any} */ { items, more }) => html`
    ${items.length === 0 ? html`<${Empty} title=${none}><p>${why}</p><//>` : html`<ul class=${kind} aria-label=${name} ref=${box}>${items.map(row)}</ul>`}
    ${more && html`<div class="more-rows">${list.more ? html`<button class="button" onClick=${list.more}>Load more</button>` : 'There are more; please narrow the list.'}</div>`}`} />`;
}

/** A page about one object, or a placeholder until it is loaded. @param {any} props */
export function About({ held: { value, phase, problem, load }, what, children }) {
  if (problem?.status === 404) return html`<${Empty} page title=${`There is no such ${what}`}><p>It may be gone, or belong to another user.</p><//>`;
  const failed = phase === 'failed';
  if (!value) return html`<div class="page">${failed ? html`<${Failed} page title=${`The ${what} could not be loaded`} problem=${problem} onRetry=${load} />` : html`<${Skeleton} />`}</div>`;
  return html`<div class="page">${failed && html`<${ProblemNote} problem=${problem} />`}${children(value)}</div>`;
}

/** A state; one that `moves` may have changed since the stream was lost. @param {any} props */
export function Chip({ tone, moves = false, children }) {
  const stale = useStaleSince() > 0 && moves;
  return html`<span class="chip chip-${tone}" data-stale=${stale || undefined}>${stale && 'was '}${children}</span>`;
}

/** How long it took, or takes. @param {any} props */
export function Took({ from, to }) {
  const now = useKnownNow();
  const ms = Math.max(0, (to ? Date.parse(to) : now) - Date.parse(from));
  return html`<span class="num">${ms < 1000 ? `${ms} ms` : span(ms)}</span>`;
}

/** @type {Record<string, string>} */
const PLACES = { meeting: 'meetings', recording: 'recordings', webhook_endpoint: 'webhooks' };

/** Where what an event is about is shown. @param {{subject: string, data?: any}} event */
export function about({ subject, data }) {
  const [, kind, key] = /^(\w+):([\w-]+)$/.exec(subject) ?? [];
  if (PLACES[kind]) return html`<a href=${link(`/${PLACES[kind]}/${key}`)}>${plain(kind)} ${key}</a>`;
  return html`<span>${subject}</span> ${data?.meeting_id && html`<a href=${link(`/meetings/${data.meeting_id}`)}>meeting ${data.meeting_id}</a>`}`;
}
