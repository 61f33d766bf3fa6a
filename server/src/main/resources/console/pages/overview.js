// @ts-check
// The operator's overview: health, work for the operator, resource use.
import { html, useEffect, useMemo, useRef } from '../view.js';
import { overview, pulse } from '../overview.js';
import { Line } from '../parts/chart.js';
import { Icon } from '../parts/icon.js';
import { useWidth } from '../parts/lanes.js';
import { Time, useKnownNow, useStaleSince } from '../parts/live.js';
import { Part } from '../parts/problem.js';
import { link } from '../router.js';
import { useShown } from '../query.js';
import { span } from '../time.js';
import { plain } from '../text.js';

/** @typedef {import('../overview.js').All} All */
/** @typedef {import('../overview.js').Need} Need */
/** @typedef {import('../overview.js').Pulse} Pulse */

const CHART = 56;
/** The least width of time that a chart shows. */
const LEAST_S = 60;

export function Overview() {
  useEffect(() => {
    document.title = 'Overview · Convoke';
  }, []);
  const all = useShown(overview, []);
  const beat = useShown(pulse, []);
  return html`
    <div class="page">
      <header class="page-head"><div><h1>Overview</h1><${Summary} all=${all.cell.value} /></div></header>
      <div class="columns overview">
        <section class="card" aria-labelledby="h-needs">
          <h2 id="h-needs">What needs a person</h2>
          <${Part} resource=${all} rows=${5} view=${(/** @type {All} */ held) => html`<${Needs} all=${held} />`} />
        </section>
        <section class="card" aria-labelledby="h-health">
          <h2 id="h-health">Health</h2>
          <${Part} resource=${all} rows=${5} view=${(/** @type {All} */ { health }) => html`<${Parts} components=${health.components} />`} />
        </section>
      </div>
      <h2 class="section-head">This node</h2>
      <${Part} resource=${beat} rows=${4} title="The numbers could not be loaded" view=${(/** @type {Pulse} */ held) => html`<${Numbers} pulse=${held} />`} />
    </div>
  `;
}

/** @param {{all: import('../cell.js').Fetched<All>}} props */
function Summary({ all: { value, at } }) {
  const stale = useStaleSince() > 0;
  if (!value) return html`<p class="summary"> </p>`;
  const unwell = value.health.components.filter(({ status }) => status !== 'ok').length;
  const count = value.needs.reduce((sum, need) => sum + need.count, 0);
  const word = [value.needs.some(({ problem }) => problem) && 'Not everything could be asked', unwell > 0 && `${unwell} ${unwell === 1 ? 'part is' : 'parts are'} not well`, count > 0 && `${count} ${count === 1 ? 'thing needs' : 'things need'} a person`].filter(Boolean).join(', ') || 'Everything is well, and nothing waits for a person';
  return html`<p class="summary" data-stale=${stale || undefined}><span>${stale ? 'As far as was known: ' : ''}${word}.</span> <span class="faint">as of <${Time} at=${new Date(at).toISOString()} as="exact" /></span></p>`;
}

/** @param {{all: All}} props */
function Needs({ all: { needs, oldestTask } }) {
  const now = useKnownNow();
  const stale = useStaleSince() > 0;
  // Entries without a known age come last.
  const open = needs.filter(({ count, problem }) => count > 0 || problem).sort((a, b) => (a.since || Infinity) - (b.since || Infinity));
  const rest = needs.filter((need) => !open.includes(need));
  const oldest = open.find(({ since }) => Number.isFinite(since));
  return html`
    ${oldest && html`<p class="oldest" data-stale=${stale || undefined}><${Icon} name="clock" /> <span>The oldest is one of the <a href=${link(oldest.path)}>${oldest.name}</a>: it waits since <${Time} at=${new Date(oldest.since).toISOString()} />, for <b class="num">${span(now - oldest.since)}</b>.</span></p>`}
    ${oldestTask && oldestTask.oldest_pending_ms > 0 && html`<p class="oldest oldest-task"><${Icon} name="grid" /> <span>Of the tasks, one in <a href=${link(`/dispatch?show=waiting&region=${oldestTask.region}`)}>${oldestTask.region}</a> waits longest for a pod: <b class="num">${span(oldestTask.oldest_pending_ms)}</b>.</span></p>`}
    <ul class="needs">
      ${open.map((need) => html`
        <li key=${need.path} data-open>
          <b class="num needs-count">${need.problem ? '?' : need.count}${need.more ? '+' : ''}</b>
          <span><a href=${link(need.path)}>${need.count === 1 && !need.more ? need.one : need.name}</a><span class="sub">${need.problem ? `It could not be asked: ${need.problem.title}` : need.why}</span></span>
          ${Number.isFinite(need.since) && html`<span class="num needs-age">${span(now - need.since)}</span>`}
        </li>`)}
      ${rest.map((need) => html`<li key=${need.path}><span class="needs-count faint"><${Icon} name="check" /></span> <span class="faint">No <a href=${link(need.path)}>${need.name}</a></span></li>`)}
    </ul>
  `;
}

/** @type {Record<string, string>} */
const LIKE = { ok: 'done', degraded: 'starting', down: 'failed' };

/** @param {{components: All['health']['components']}} props */
function Parts({ components }) {
  const stale = useStaleSince() > 0;
  return html`
    <ul class="parts">
      ${components.map(({ name, status, detail }) => html`
        <li key=${name}>
          <span>${name}${detail && html`<span class="sub">${detail}</span>`}</span>
          <span class="chip chip-${LIKE[status]}" data-stale=${stale || undefined}>${stale ? `was ${status}` : status}</span>
        </li>`)}
    </ul>
  `;
}

/** @param {{pulse: Pulse}} props */
function Numbers({ pulse: { now, samples } }) {
  const of = (/** @type {string} */ name) => now.get(name) ?? 0;
  const frozen = of('convoke_presence_budget_frozen_seconds');
  const webhook = [...now].find(([name, value]) => value === 1 && name.startsWith('convoke_presence_webhook_state{'))?.[0];
  const state = webhook ? plain(/state="([^"]*)"/.exec(webhook)?.[1]) : 'unknown';
  return html`
    <ul class="charts">
      <${Figure} name="Events" unit="a second" of="events" samples=${samples} note="as this console hears them" />
      <${Figure} name="Requests" unit="a second" of="requests" samples=${samples} note=${`${of('convoke_http_streams')} streams are open`} />
      <${Figure} name="Tasks" unit="open" of="tasks" samples=${samples} note=${`${of('convoke_dispatch_slots_free')} of ${of('convoke_dispatch_slots')} slots are free`} />
      <${Figure} name="Upstream budget" unit="calls left" of="budget" samples=${samples} note=${frozen > 0 ? `The platform wants silence for ${span(frozen * 1000)}` : `its webhook: ${state}`} bad=${frozen > 0} />
      <${Figure} name="Turns to Postgres" unit="a second" of="turns" samples=${samples} note="what it costs, also when idle" />
      <${Figure} name="Processors" unit="%" of="cpu" samples=${samples} least=${10} note="this node’s share" />
    </ul>
  `;
}

/** @param {{name: string, unit: string, of: string, samples: Pulse['samples'], note: string, bad?: boolean, least?: number}} props */
function Figure({ name, unit, of, samples, note, bad = false, least = 1 }) {
  const box = useRef(/** @type {HTMLElement|null} */ (null));
  const width = useWidth(box);
  const stale = useStaleSince() > 0;
  const data = useMemo(() => /** @type {[number[], (number|null)[]]} */ ([samples.map(({ at }) => at), samples.map((sample) => sample.of[of])]), [samples]);
  const last = data[1].at(-1);
  const end = data[0].at(-1) ?? 0;
  const value = last == null || Number.isNaN(last) ? '–' : last >= 10 || Number.isInteger(last) ? Math.round(last) : last.toFixed(1);
  return html`
    <li class="card figure" data-stale=${stale || undefined}>
      <h3>${name}</h3>
      <p><b class="num">${value}</b> <span class="faint">${unit}</span></p>
      <div ref=${box}><${Line} data=${data} label=${`${name}: ${value} ${unit}`} shape=${{ width, height: CHART, range: [Math.min(data[0][0] ?? 0, end - LEAST_S), end], least, stepped: false }} /></div>
      <p class=${bad ? 'trouble' : 'faint'}>${note}</p>
    </li>
  `;
}
