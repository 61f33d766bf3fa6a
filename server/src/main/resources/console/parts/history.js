// @ts-check
// The history of a workflow: as sentences, and as a diagram with a lane for each activity, timer and message. A
// command has no time of its own in a history: it was issued in the turn started by the events before it.
import { html, useRef, useState } from '../view.js';
import { ticks } from '../people.js';
import { clock, exact, millis, sameDay, span } from '../time.js';
import { useWidth } from './lanes.js';

const LANE = 26;
const FOLDED = 20;
/** Bars of one name that overlap get lanes of their own, up to this many. */
const SIDE_BY_SIDE = 6;

/** @param {string} at */
const moment = (at) => (sameDay(millis(at), Date.now()) ? exact : clock)(millis(at));

/** @type {Record<string, string>} */
const SENTENCES = { Started: 'Began', ActivityScheduled: 'Ordered', TimerCreated: 'Set a timer', ChildScheduled: 'Started', Completed: 'Done', Failed: 'Failed', TimerFired: 'The timer rang', EventRaised: 'Was told', CancelRequested: 'Was asked to end', StepEnded: 'Ran a step', VersionChosen: 'Follows a version of its code', WorkflowCompleted: 'Completed', WorkflowFailed: 'Failed for good', ContinuedAsNew: 'Begins again with an empty history' };

/** @param {any} story @param {number} now @returns lanes from the top, sentences from the first */
export function told({ workflow, executions, history, pending }, now) {
  const orders = new Map();
  /** @type {any[]} */
  const bars = [];
  /** @type {any[]} */
  const said = [];
  let at = millis(workflow.created_at);
  let arrived = false;
  for (const raw of history) {
    const { execution_id: execution, event_id: id, type, data } = raw;
    const when = millis(data.at);
    const order = orders.get(`${execution} ${data.order}`);
    const put = (/** @type {string} */ name, /** @type {string} */ tone, open = false, note = '') => {
      const bar = { name, tone, open, note, execution, from: at, to: at };
      bars.push(bar);
      if (open) orders.set(`${execution} ${id}`, bar);
    };
    if (when >= at || type === 'Started') at = when;
    if (when && !arrived) put('Turns', 'tick');
    arrived = when > 0;
    if (order) Object.assign(order, { to: at, open: false, tone: type === 'Failed' ? 'bad' : order.tone === 'busy' ? 'good' : 'calm', note: data.error });
    if (type === 'ActivityScheduled') put(data.name, 'busy', true);
    if (type === 'StepEnded') put(data.name, data.error ? 'bad' : 'good');
    if (type === 'ChildScheduled') put(data.name, 'busy', true, data.instance);
    if (type === 'TimerCreated') put('Timer', 'calm', true, `until ${moment(data.fire_at)}`);
    if (type === 'EventRaised') put(`Event ${data.name}`, 'point');
    if (type === 'CancelRequested') put('Asked to end', 'bad');
    if (/^Workflow|^Continued/.test(type)) {
      at = millis(executions.find((/** @type {any} */ each) => each.execution_id === execution)?.completed_at) || at;
      for (const bar of bars) if (bar.open && bar.execution === execution) Object.assign(bar, { to: at, tone: 'plain', open: false, note: 'not waited for any more' });
    }
    const bad = /Failed|Cancel/.test(type);
    said.push({ raw, at, text: SENTENCES[type] ?? type, tone: bad ? 'bad' : /Completed/.test(type) ? 'good' : arrived ? 'in' : 'note',
      note: [data.name ?? data.change ?? order?.name, data.instance ?? (data.change && data.version) ?? data.error ?? data.reason ?? (data.fire_at && moment(data.fire_at))].filter(Boolean).join(': ') });
  }
  for (const { execution_id, order, attempt, running, due_at } of pending) {
    const bar = orders.get(`${execution_id} ${order}`);
    if (bar && attempt > 0) Object.assign(bar, { note: `attempt ${attempt}${running ? '' : ` failed, again at ${moment(due_at)}`}`, tone: running ? 'busy' : 'bad' });
  }
  return { lanes: packed(bars, now), said };
}

/** @param {any[]} bars in the order of their begin @param {number} now */
function packed(bars, now) {
  /** @type {Map<string, any[]>} */
  const groups = new Map();
  for (const bar of bars) {
    if (bar.open) bar.to = Math.max(now, bar.from);
    const group = groups.get(bar.name) ?? [];
    groups.set(bar.name, group);
    const free = group.find((lane) => lane[lane.length - 1].to <= bar.from) ?? group[SIDE_BY_SIDE - 1];
    if (free) free.push(bar);
    else group.push([bar]);
  }
  return [...groups.values()].flat();
}

/** @param {any} props */
export function Picture({ lanes, until, live, stale }) {
  const box = useRef(/** @type {any} */ (null));
  const width = useWidth(box);
  const [all, setAll] = useState(false);
  const shown = all ? lanes : lanes.slice(0, FOLDED);
  const first = Math.min(...shown.map((/** @type {any[]} */ [{ from }]) => from));
  const last = Math.max(until, first + 1000);
  const x = (/** @type {number} */ at) => 6 + ((at - first) / (last - first)) * (width - 12);
  const height = shown.length * LANE;
  const { out, step } = ticks(first, last, width / 100);
  return html`
    <div class="lanes history" data-stale=${(live && stale) || undefined}>
      <div class="lane-names">${shown.map((/** @type {any[]} */ [{ name }]) => html`<div class="lane-name" title=${name}><span>${name}</span></div>`)}</div>
      <div class="lane-box" ref=${box}>
        <svg class="lane-bars" width=${width} height=${height + 22} role="img" aria-label="What was done and waited for, and when; the same is in the list below">
          ${out.map((at) => html`<line class="lane-grid" x1=${x(at)} x2=${x(at)} y2=${height} />`)}
          ${shown.map((/** @type {any[]} */ lane, /** @type {number} */ i) => html`
            <line class="lane-line" x2=${width} y1=${(i + 0.5) * LANE} y2=${(i + 0.5) * LANE} />
            ${lane.map(({ from, to, tone, name, note, open }) => html`
              <rect class="bar bar-${tone}" data-open=${open || undefined} x=${x(from) - 2} width=${Math.max(4, x(to) - x(from) + 2)} y=${(i + 0.5) * LANE - 6} height="12" rx="3">
                <title>${[name, exact(from), tone !== 'tick' && tone !== 'point' && (open ? 'goes on' : to - from < 1000 ? `${to - from} ms` : span(to - from)), note].filter(Boolean).join(', ')}</title>
              </rect>`)}`)}
          ${live && html`<line class="lane-now" x1=${x(until)} x2=${x(until)} y2=${height} />`}
          ${out.map((at) => html`<text class="lane-tick" x=${x(at)} y=${height + 15} text-anchor=${x(at) < 24 ? 'start' : x(at) > width - 24 ? 'end' : 'middle'}>${(step < 60_000 ? exact : clock)(at)}</text>`)}
        </svg>
      </div>
    </div>
    ${lanes.length > FOLDED && html`<button class="button small" onClick=${() => setAll(!all)}>${all ? 'Show fewer' : `Show all ${lanes.length} lanes`}</button>`}`;
}
