// @ts-check
// One task: holder and lease, payload, and every transition.
import { html, useEffect } from '../view.js';
import { oneTask } from '../fleet.js';
import { useKeys } from '../keys.js';
import { Empty, Part, ProblemNote } from '../parts/problem.js';
import { Icon } from '../parts/icon.js';
import { Time, useStaleSince } from '../parts/live.js';
import { TaskChip, requeue, stop } from '../parts/task.js';
import { Timeline } from '../parts/timeline.js';
import { Fact, Turn } from '../parts/bot.js';
import { go, link } from '../router.js';
import { useShown } from '../query.js';
import { TASKS, over, place, requeueable } from '../text.js';
import { millis } from '../time.js';

/** @typedef {import('../types.js').Task} Task */

/** @param {{params: string[]}} props */
export function OneTask({ params: [id] }) {
  const shown = useShown(() => oneTask(id), [id]);
  const { value, problem } = shown.cell.value;
  const task = value?.task;
  useEffect(() => {
    document.title = `Task ${id} · Convoke`;
  }, [id]);
  useKeys(
    [
      { keys: 'u', label: 'Up to the list', group: 'Task', run: () => go('/dispatch') },
      { keys: 'x', label: 'Stop it', group: 'Task', run: () => task && !over(task) && stop(task) },
      { keys: 'r', label: 'Have it done again', group: 'Task', run: () => task && requeueable(task) && void requeue(task) },
    ],
    [],
  );
  if (problem?.status === 404) {
    return html`<${Empty} page title="There is no such task"><p>It may be older than the retention time, or belong to another user.</p><a class="button" href=${link('/dispatch')}>To dispatch</a><//>`;
  }
  return html`<div class="page"><${Part} resource=${shown} rows=${10} title="The task could not be loaded" view=${(/** @type {any} */ held) => html`<${Dossier} ...${held} />`} /></div>`;
}

/** @param {{task: Task, events: any[], more: boolean, unread: any, terms: any}} props */
function Dossier({ task, events, more, unread, terms }) {
  const stale = useStaleSince() > 0 && !over(task);
  const { state, region, pod_id, attempt, error } = task;
  return html`
    <a class="up" href=${link('/dispatch')}><${Icon} name="back" size="14" /> Dispatch</a>
    <header class="page-head">
      <div>
        <h1>${task.id}</h1>
        <p class="meta"><${TaskChip} task=${task} /><span>${task.type}</span><span>for ${task.channel}</span><span>asked for <${Time} at=${task.created_at} /></span></p>
      </div>
      <div class="actions" data-stale=${stale || undefined}>
        ${!over(task) && html`<button data-acts class="button danger" onClick=${() => stop(task)}><${Icon} name="stop" /> Stop</button>`}
        ${requeueable(task) && html`<button data-acts class="button primary" onClick=${() => void requeue(task)}><${Icon} name="refresh" /> Do again</button>`}
      </div>
    </header>
    <div class="columns">
      <section class="card" aria-labelledby="h-moves"><h2 id="h-moves">What happened</h2>${unread ? html`<${ProblemNote} problem=${unread} />` : html`<${Timeline} events=${events} more=${more} whole />`}</section>
      <div class="stack">
        <section class="card" aria-labelledby="h-stand">
          <h2 id="h-stand">How it stands</h2>
          <p>${TASKS[state]?.[2]}</p>
          ${error && html`<p class="step-error">${error}</p>`}
          ${state === 'PENDING' && terms && html`<${Turn} owner="any free pod" deadline=${new Date(millis(task.pending_at) + terms.task_timeout_ms).toISOString()} begin=${millis(task.pending_at)} stale=${stale}>Otherwise it has timed out.<//>`}
          ${state === 'PROCESSING' && html`<${Turn} label="Lease of" owner=${pod_id ?? 'a pod'} deadline=${task.lease_expiry} begin=${millis(task.lease_expiry) - (terms?.lease_ms ?? 45_000)} stale=${stale}>The pod renews it while it works. Otherwise another pod begins anew.<//>`}
          <dl class="facts">
            <${Fact} name="Region">${region ?? 'anywhere'}<//>
            <${Fact} name="Where">${place(task) || '–'}<//>
            <${Fact} name="Attempt">${attempt || '–'}${terms && ` of ${terms.max_attempts}`}<//>
            <${Fact} name="Waits since"><${Time} at=${task.pending_at} as="exact" /><//>
            <${Fact} name="Began"><${Time} at=${task.processed_at} as="exact" /><//>
            <${Fact} name="Ended"><${Time} at=${task.completed_at} as="exact" /><//>
            <${Fact} name="Request"><code>${task.request_id}</code><//>
          </dl>
        </section>
        <section class="card" aria-labelledby="h-payload"><h2 id="h-payload">What was asked for</h2><pre class="payload" tabindex="0">${JSON.stringify(task.payload, null, 2)}</pre></section>
      </div>
    </div>
  `;
}
