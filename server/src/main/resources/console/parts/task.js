// @ts-check
// A task as one row, its state as a chip, and its two actions.
import { html } from '../view.js';
import { api } from '../api.js';
import { asProblem } from '../problem.js';
import { go, link } from '../router.js';
import { TASKS, over, place, requeueable } from '../text.js';
import { millis, span } from '../time.js';
import { toast } from '../announce.js';
import { ask } from './form.js';
import { Time, useKnownNow, useStaleSince } from './live.js';

/** @typedef {import('../types.js').Task} Task */

/** @param {{task: Task}} props */
export function TaskChip({ task }) {
  const [word, like, means] = TASKS[task.state] ?? [task.state, '', ''];
  const stale = useStaleSince() > 0 && !over(task);
  const shown = task.stopping && !over(task) ? 'stopping' : word;
  return html`<span class="chip chip-${shown === 'stopping' ? shown : like}" data-stale=${stale || undefined} title=${means}>${stale ? `was ${shown}` : shown}</span>`;
}

/** A task as the cells of a row. @param {any} terms @returns {(task: Task) => any[]} */
export const taskCells = (terms) => (task) => [
  html`<${TaskChip} task=${task} />`,
  html`<a href=${link(`/dispatch/${task.id}`)}>${task.channel}</a><span class="sub">${task.type} · ${task.id}</span>`,
  task.region ?? 'anywhere',
  html`<${Lasts} task=${task} terms=${terms} />`,
  task.error ? html`<span class="trouble" title=${task.error}>${task.error}</span>` : place(task) || '–',
  task.attempt || '–',
  html`<${Time} at=${task.created_at} />`,
  html`
    ${!over(task) && html`<button data-acts class="button small quiet" aria-label=${`Stop task ${task.id}`} onClick=${() => stop(task)}>Stop</button>`}
    ${requeueable(task) && html`<button data-acts class="button small quiet" aria-label=${`Do task ${task.id} again`} onClick=${() => void requeue(task)}>Again</button>`}
  `,
];

/** How long it waits, runs or ran; for a waiting one, the time to its deadline. @param {{task: Task, terms: any}} props */
function Lasts({ task, terms }) {
  const now = useKnownNow();
  const { state, pending_at, processed_at, completed_at } = task;
  if (over(task)) return processed_at && completed_at ? span(millis(completed_at) - millis(processed_at)) : '–';
  if (state === 'PROCESSING') return span(now - millis(processed_at));
  const waits = now - millis(pending_at);
  const left = terms ? terms.task_timeout_ms - waits : NaN;
  return html`${span(waits)}${left < 10_000 && html` <span class="trouble" title="of its time to find a pod">${span(left)} left</span>`}`;
}

/** Confirms before it stops a task. @param {Task} task */
export const stop = (task) =>
  ask({
    title: 'Stop this task?',
    text: task.state === 'PENDING' ? `${task.id} never starts.` : `${task.id} is told to stop, and ends as done.`,
    button: 'Stop it',
    danger: true,
    act: () => api.actOnTask(task.id, 'stop').then(() => 'The task is told to stop.'),
  });

/** Requeues the task and opens the new one. @param {Task} task */
export async function requeue(task) {
  try {
    const { task_id } = await api.actOnTask(task.id, 'requeue');
    toast('Another task was made instead.');
    go(`/dispatch/${task_id}`);
  } catch (thrown) {
    toast('It could not be done again', asProblem(thrown));
  }
}
