// @ts-check
// Dispatch as the console holds it: regions, pods and what runs in their slots; lists of tasks; one task.
import { api } from './api.js';
import { who } from './session.js';
import { PagedList, Shown, readAll } from './shown.js';
import { nextTask, over, taskOf } from './taskwords.js';

/** @typedef {import('./types.js').Task} Task */
/** @typedef {import('./types.js').Pod & {running: Task[]}} Worker */
/** @typedef {{regions: import('./types.js').Region[], terms: any, pods: import('./types.js').Pod[]|null, running: Map<string, Task>}} Floor */
/** @typedef {{show: string, region: string, type: string}} Filter */

const RUNNING_MOST = 1000;

/** Regions and slots. What runs follows the events; queues and idle pods are asked for. */
export const floor = () =>
  new Shown(
    'floor',
    async () => {
      const [{ items, terms }, pods, running] = await Promise.all([
        api.regions(),
        who.value?.role === 'admin' ? api.pods() : null,
        // Without a ledger there are no lists; regions are there all the same.
        readAll((query) => api.tasks({ ...query, state: 'PROCESSING' }), RUNNING_MOST).catch(() => ({ items: [] })),
      ]);
      return { regions: items, terms, pods: pods?.items ?? null, running: new Map(running.items.map((/** @type {Task} */ task) => [task.id, task])) };
    },
    {
      hears: (events, resource) => {
        const ours = events.filter(taskOf);
        if (ours.length > 0) resource.patch((held) => ({ ...held, running: ours.reduce(follow, new Map(held.running)) }));
        return ours.length > 0;
      },
      moving: ({ regions }) => regions.some(({ pending, processing }) => pending + processing > 0),
    },
  );

/** @param {Map<string, Task>} running @param {import('./types.js').JournalEvent} event */
function follow(running, event) {
  const id = taskOf(event);
  const next = nextTask(running.get(id), event);
  if (next?.state === 'PROCESSING') running.set(id, next);
  else if (event.data?.state) running.delete(id);
  return running;
}

/** The pods of a region with what runs in them; who may not see pods sees those that run something of theirs. @param {Floor} floor @param {string} region @returns {Worker[]} */
export function workers({ pods, running }, region) {
  /** @type {Map<string, Worker>} */
  const found = new Map();
  for (const pod of pods ?? []) found.set(pod.pod_id, { ...pod, running: [] });
  for (const task of running.values()) {
    const id = task.pod_id ?? '';
    const known = found.get(id) ?? { pod_id: id, region: task.region ?? 'global', slots: 0, free_slots: 0, running: [] };
    found.set(id, known);
    known.running.push(task);
  }
  return [...found.values()].filter((each) => each.region === region).sort((a, b) => (a.pod_id < b.pod_id ? -1 : 1));
}

/** @param {Filter} filter */
export function tasks({ show, region, type }) {
  const dead = show === 'dead';
  return new PagedList(
    `tasks ${show} ${region} ${type}`,
    (query) => (dead ? api.deadTasks : api.tasks)({ ...query, region, type, state: dead ? '' : show }),
    {
      hears: (/** @type {any[]} */ events, /** @type {any} */ resource) => {
        const ours = events.filter(taskOf);
        if (ours.length === 0) return false;
        resource.patch((/** @type {any} */ held) => {
          const changed = new Map();
          for (const event of ours) changed.set(taskOf(event), [...(changed.get(taskOf(event)) ?? []), event]);
          return { ...held, items: held.items.map((/** @type {Task} */ task) => (changed.get(task.id) ?? []).reduce(nextTask, task)) };
        });
        return true;
      },
    },
  );
}

/** One task and what happened to it. @param {string} id */
export const oneTask = (id) =>
  new Shown(
    `task ${id}`,
    async () => {
      const [task, story, { terms }] = await Promise.all([
        api.task(id),
        readAll((query) => api.taskTimeline(id, query), 1000).catch(() => ({ items: [], more: false })),
        api.regions().catch(() => ({})),
      ]);
      return { task, events: story.items, more: story.more, terms };
    },
    { hears: (events) => events.some((event) => taskOf(event) === id), moving: ({ task }) => !over(task) },
  );
