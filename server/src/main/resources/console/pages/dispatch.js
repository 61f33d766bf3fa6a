// @ts-check
// Dispatch: queues by region, running tasks by pod and slot, lists of tasks, and dead letters.
import { html, useEffect } from '../view.js';
import { api } from '../api.js';
import { useCell } from '../cell.js';
import { open, useCommands, useKeys } from '../keys.js';
import { floor, tasks, workers } from '../fleet.js';
import { ask } from '../parts/form.js';
import { Empty, Part, ProblemNote } from '../parts/problem.js';
import { useKnownNow, useStaleSince } from '../parts/live.js';
import { requeue, stop, taskCells } from '../parts/task.js';
import { Tabs, WorkTable } from '../parts/worktable.js';
import { link, place, refine } from '../router.js';
import { who } from '../session.js';
import { useShown } from '../query.js';
import { over, plain, requeueable } from '../text.js';
import { millis, span } from '../time.js';

/** @typedef {import('../types.js').Task} Task */

const BULK_MOST = 200;
/** So many are shown at most, since all of them are read again with each change. */
const MOST = 2000;

/** Name in the URL, label, name in the API, and text for an empty list. @type {[string, string, string, string][]} */
const SHOWS = [
  ['', 'All', '', 'Tasks for pods appear here once they are submitted.'],
  ['waiting', 'Waiting', 'PENDING', 'No task waits for a pod.'],
  ['running', 'Running', 'PROCESSING', 'No pod runs a task.'],
  ['done', 'Done', 'SUCCESS', 'No task is done yet.'],
  ['failed', 'Failed', 'FAILED', 'No task has failed.'],
  ['late', 'Timed out', 'TIMEOUT', 'Every task found a pod in time.'],
  ['dead', 'Dead letters', 'dead', 'Failed tasks wait here until they are requeued or discarded.'],
];

export function Dispatch() {
  useEffect(() => {
    document.title = 'Dispatch · Convoke';
  }, []);
  const hall = useShown(floor, []);
  return html`
    <div class="page">
      <header class="page-head"><div><h1>Dispatch</h1><p class="summary">Tasks, and the pods that run them.</p></div></header>
      <${Part} resource=${hall} title="The regions could not be loaded" view=${(/** @type {any} */ held) => html`<${Regions} floor=${held} hall=${hall} />`} />
      <${Tasks} floor=${hall.cell.value.value} />
    </div>
  `;
}

/** @param {{floor: import('../fleet.js').Floor, hall: ReturnType<typeof floor>}} props */
function Regions({ floor: held, hall }) {
  if (held.regions.length === 0) return html`<${Empty} small title="No region yet"><p>A region appears with its first task or its first pod.</p><//>`;
  return html`
    ${held.unread && html`<${ProblemNote} problem=${held.unread} />`}
    <ul class="regions" aria-label="Regions">
      ${held.regions.map((region) => html`<${RegionCard} key=${region.region} region=${region} pods=${workers(held, region.region)} hall=${hall} unread=${held.unread} />`)}
    </ul>
  `;
}

/** @param {{region: import('../types.js').Region, pods: import('../fleet.js').Worker[], hall: ReturnType<typeof floor>, unread: any}} props */
function RegionCard({ region: { region, pending, oldest_pending_ms, pods: live, slots, free_slots }, pods, hall, unread }) {
  const stale = useStaleSince() > 0;
  const name = region === 'global' ? 'Anywhere' : region;
  return html`
    <li class="card region" data-region=${region} data-stale=${stale || undefined}>
      <div class="card-head">
        <h2><a href=${link(`/dispatch?region=${region}`)}>${name}</a></h2>
        <span class="faint">${live === 1 ? '1 pod' : `${live} pods`}, <b class="num">${slots - free_slots}</b> of ${slots} slots taken</span>
      </div>
      <p class="queue" data-waits=${pending > 0 || undefined}>
        <b class="num">${pending}</b> waiting${pending > 0 && html`, the oldest for <span class="num">${span(oldest_pending_ms)}</span>`}
      </p>
      ${pods.map((pod) => html`<${PodSlots} key=${pod.pod_id} pod=${pod} hall=${hall} unread=${unread} />`)}
      ${live === 0 && pods.length === 0 && html`<p class="faint nothing">${region === 'global' ? 'Pods of any region take what waits here.' : 'No pod lives here; its tasks go to others.'}</p>`}
    </li>
  `;
}

/** @param {{pod: import('../fleet.js').Worker, hall: ReturnType<typeof floor>, unread: any}} props `unread`: which slots are free is not known */
function PodSlots({ pod: { pod_id, slots, running, draining }, hall, unread }) {
  const admin = useCell(who)?.role === 'admin';
  /** @type {Map<number, Task>} */
  const taken = new Map(running.map((task) => [task.worker_id ?? 0, task]));
  const count = Math.max(slots, ...[...taken.keys()].map((slot) => slot + 1));
  return html`
    <div class="pod">
      <code title=${pod_id}>${pod_id}</code>
      <span class="pod-acts">
        ${draining && html`<span class="chip chip-stopping" title="It takes no more tasks; what it runs comes to its end">${unread || running.length > 0 ? 'draining' : 'drained'}</span>`}
        ${admin && html`<button data-acts class="button small quiet" onClick=${() => drain(hall, pod_id, !draining)}>${draining ? 'Resume' : 'Drain'}<span class="hidden"> ${pod_id}</span></button>`}
      </span>
      ${!unread && html`<ol class="slots" aria-label=${`Slots of ${pod_id}`}>
        ${Array.from({ length: count }, (_, slot) => html`<${Slot} key=${slot} slot=${slot} task=${taken.get(slot)} />`)}
      </ol>`}
    </div>
  `;
}

/** Confirms before a command to a pod. @param {ReturnType<typeof floor>} hall @param {string} id @param {boolean} wanted */
const drain = (hall, id, wanted) =>
  ask({
    title: wanted ? 'Drain this pod?' : 'Let this pod take tasks again?',
    text: wanted ? `${id} takes no more tasks. What it runs comes to its end; then it may be stopped, or resumed.` : `${id} takes tasks as soon as some wait.`,
    button: wanted ? 'Drain it' : 'Resume it',
    act: async () => {
      const told = await api.tellPod(id, wanted ? 'drain' : 'resume');
      hall.resource.patch((held) => ({ ...held, pods: (held.pods ?? []).map((pod) => (pod.pod_id === id ? told : pod)) }));
      return wanted ? 'The pod takes no more tasks.' : 'The pod takes tasks again.';
    },
  });

/** @param {{slot: number, task: Task|undefined}} props */
function Slot({ slot, task }) {
  if (!task) return html`<li class="slot" title=${`Slot ${slot}: free`}><span class="hidden">Slot ${slot} free</span></li>`;
  return html`<li class="slot slot-taken" data-stopping=${task.stopping || undefined} key=${task.id}><${Taken} slot=${slot} task=${task} /></li>`;
}

/** @param {{slot: number, task: Task}} props */
function Taken({ slot, task }) {
  const runs = useKnownNow() - millis(task.processed_at);
  const what = `${task.type} for ${task.channel}${task.attempt > 1 ? `, attempt ${task.attempt}` : ''}${task.stopping ? ', told to stop' : ''}`;
  return html`<a href=${link(`/dispatch/${task.id}`)} title=${`Slot ${slot}: ${what}, for ${span(runs)}`}><span class="hidden">Slot ${slot}: ${what}</span></a>`;
}

/** @param {{floor: import('../fleet.js').Floor|null}} props */
function Tasks({ floor: held }) {
  const { query } = useCell(place);
  const show = SHOWS.find(([key]) => key === query.get('show')) ?? SHOWS[0];
  const region = query.get('region') ?? '';
  const type = query.get('type') ?? '';
  const list = useShown(() => tasks({ show: show[2], region, type }), [show, region, type]);
  const rows = list.cell.value.value?.items ?? [];
  const settle = (/** @type {'requeue'|'discard'} */ act) => open({ kind: 'bulk', ...settling(act, { region, type }, () => void list.load()) });
  const names = [...new Set([...(held?.regions ?? []).map((each) => each.region), ...(region ? [region] : [])])];
  const look = (/** @type {string} */ key) => refine({ show: key });
  useKeys(SHOWS.map(([key, name], i) => ({ keys: String(i + 1), label: `Show ${name.toLowerCase()}`, group: 'Tasks', run: () => look(key) })));
  useCommands(
    [
      ...SHOWS.map(([key, name], i) => ({ id: `tasks:${key}`, label: `Show tasks: ${name.toLowerCase()}`, hint: String(i + 1), icon: 'grid', run: () => look(key) })),
      { id: 'requeue', label: 'Have dead tasks done again…', icon: 'refresh', words: 'dead letters requeue bulk', run: () => settle('requeue') },
      { id: 'discard', label: 'Let dead tasks go…', icon: 'close', words: 'dead letters discard bulk', run: () => settle('discard') },
    ],
    [region, type, list],
  );
  return html`
    <section aria-labelledby="h-tasks">
      <h2 id="h-tasks" class="section-head">Tasks</h2>
      <div class="filters filters-wide" role="search" aria-label="Filter the tasks">
        <${Tabs} label="Which tasks" options=${SHOWS} value=${show[0]} onValue=${look} />
        <label class="pick"><span class="hidden">Region</span>
          <select value=${region} onChange=${(/** @type {any} */ event) => refine({ region: event.target.value })}>
            <option value="">All regions</option>
            ${names.map((name) => html`<option value=${name} selected=${name === region}>${name === 'global' ? 'Anywhere' : name}</option>`)}
          </select>
        </label>
        <label class="search"><span class="hidden">Type of task</span>
          <input type="search" placeholder="Type, such as snapshot" value=${type} autocomplete="off" spellcheck=${false} onChange=${(/** @type {any} */ event) => refine({ type: event.target.value.trim() })} />
        </label>
        ${show[0] === 'dead' && rows.length > 0 && html`
          <div class="actions"><button data-acts class="button small" onClick=${() => settle('requeue')}>Do all again…</button> <button data-acts class="button small danger" onClick=${() => settle('discard')}>Let all go…</button></div>`}
      </div>
      <${Part} resource=${list} rows=${8} title="The tasks could not be loaded" view=${(/** @type {any} */ { more, busy }) => html`
        <${WorkTable} label="Tasks" noun="task" path="/dispatch" rows=${rows} more=${more} id=${(/** @type {Task} */ { id }) => id}
          columns=${['State', 'Task', 'Region', 'For', 'Where', 'Attempt', 'Asked for']} cells=${taskCells(held?.terms)}
          acts=${[
            ['x', 'Stop the task', (/** @type {Task} */ task) => !over(task) && stop(task)],
            ['r', 'Have it done again', (/** @type {Task} */ task) => requeueable(task) && requeue(task)],
          ]} />
        ${rows.length === 0 && html`<${Empty} title=${show[0] === 'dead' ? 'No dead letters' : 'No tasks here'}><p>${show[3]}</p><//>`}
        ${more && html`<div class="more-rows">${rows.length < MOST ? html`<button class="button" disabled=${busy} onClick=${() => list.more()}>${busy ? 'Loading…' : 'Load older tasks'}</button>` : 'There are more; please narrow the list.'}</div>`}`} />
    </section>
  `;
}

/** Bulk actions on matching dead letters. @param {'requeue'|'discard'} act @param {{region: string, type: string}} filter @param {() => void} then @returns {import('../parts/form.js').Bulk} */
function settling(act, { region, type }, then) {
  const again = act === 'requeue';
  const word = (/** @type {string} */ outcome) => plain(outcome.toLowerCase());
  return {
    title: again ? 'Have dead tasks done again?' : 'Let dead tasks go?',
    text: again ? 'For each of them a new task is made with what was asked for, once however often this is done.' : 'They leave the dead letters, stay readable, and can still be done again one by one.',
    act: (count) => (again ? `Do ${count} again` : `Let ${count} go`),
    size: 20,
    dry: async () => {
      const filter = { ...(region && { region }), ...(type && { type }) };
      const { items, more } = await api.settleTasks(act, { ...filter, limit: BULK_MOST, dry_run: true });
      return { more, items: items.map(({ id, outcome }) => ({ id, label: id, note: word(outcome), able: /would/i.test(outcome) })) };
    },
    run: async (ids) => {
      const { items } = await api.settleTasks(act, { ids });
      then();
      return items.map(({ id, outcome, task_id }) => ({ id, note: `${word(outcome)}${task_id ? ` as ${task_id}` : ''}`, good: /requeued|discarded|already/i.test(outcome) }));
    },
  };
}
