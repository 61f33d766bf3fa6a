// @ts-check
// Data of bots, pods and tasks: the fleet, and one bot with its commands and their acknowledgements.
import { api } from './api.js';
import { meetingOf } from './apply.js';
import { who } from './session.js';
import { asProblem } from './problem.js';
import { PagedList, Shown, readAll } from './query.js';
import { terminal } from './status.js';
import { meetings } from './store.js';
import { millis } from './time.js';
import { nextTask, over, taskOf } from './text.js';

/** @typedef {import('./types.js').Bot} Bot */
/** @typedef {import('./types.js').JournalEvent} JournalEvent */

const MOST = 2000;

/** @param {JournalEvent} event */
const ofBots = ({ type }) => /^(bot|meeting)\./.test(type);

/** All live bots; their meeting rows are kept in the shared table. */
export const fleet = () =>
  new Shown(
    'fleet',
    async () => {
      const asked = meetings.clock;
      const [bots, rows] = await Promise.all([
        readAll((query) => api.bots({ ...query, live: true }), MOST),
        readAll((query) => api.activeBots(query), MOST),
      ]);
      rows.items.forEach((row) => meetings.take(row, asked));
      return bots;
    },
    { hears: (events) => events.some(ofBots), moving: ({ items }) => items.length > 0 },
  );

/** Its deadline has passed. @param {Bot} bot @param {number} now */
export const late = ({ deadline }, now) => millis(deadline) < now;

/** It has an unacknowledged command. @param {Bot} bot */
export const unheard = ({ pending_commands }) => pending_commands.length > 0;

/** One bot with its events among the newest of the meeting's timeline; `more`: there are older ones. @param {number} id */
export const oneBot = (id) =>
  new Shown(
    `bot ${id}`,
    async () => {
      const asked = meetings.clock;
      const [bot, row, { items, more }] = await Promise.all([api.bot(id), api.meeting(id), readAll((query) => api.timeline(id, { ...query, order: 'newest' }), MOST)]);
      meetings.take(row, asked);
      const events = items.filter(ofBots).reverse();
      return { bot, events, more, commands: commands(events), words: events.filter((/** @type {any} */ { type }) => type === 'bot.log') };
    },
    { hears: (events) => events.some((event) => ofBots(event) && meetingOf(event) === id), moving: ({ bot }) => !terminal(bot.status) },
  );

/** @typedef {{id: string, action: string, actor: string, sent: string, heard: string|null, delivered: boolean}} Command */

/** Its commands, newest first, each with the time of its acknowledgement. @param {JournalEvent[]} events @returns {Command[]} */
function commands(events) {
  /** @type {Map<string, Command>} */
  const told = new Map();
  for (const { type, at, data } of events) {
    if (type === 'bot.command_sent') told.set(data?.command_id, { id: data?.command_id, action: data?.action, actor: data?.actor ?? '', sent: at, heard: null, delivered: false });
    const held = told.get(data?.command_id);
    if (held && type === 'bot.command_acknowledged') told.set(held.id, { ...held, heard: at, delivered: data?.actor === 'delivery' });
  }
  return [...told.values()].reverse();
}

// Data of dispatch: regions, pods and their slots; lists of tasks; one task.

/** @typedef {import('./types.js').Task} Task */
/** @typedef {import('./types.js').Pod & {running: Task[]}} Worker */
/** @typedef {{regions: import('./types.js').Region[], terms: any, pods: import('./types.js').Pod[]|null, running: Map<string, Task>, unread: import('./problem.js').Problem|null}} Floor */
/** @typedef {{show: string, region: string, type: string}} Filter */

const RUNNING_MOST = 1000;

/** What the ledger did not tell, so that it does not look like nothing; without a ledger nothing is to be told. @param {any} problem */
const none = (problem) => ({ items: [], more: false, unread: problem.code === 'no_ledger' ? null : asProblem(problem) });

/** Regions and slots. Running tasks follow the events; queues and idle pods are polled. */
export const floor = () =>
  new Shown(
    'floor',
    async () => {
      const [{ items, terms }, pods, running] = await Promise.all([
        api.regions(),
        who.value?.role === 'admin' ? api.pods() : null,
        // Regions are there without the ledger too.
        readAll((query) => api.tasks({ ...query, state: 'PROCESSING' }), RUNNING_MOST).catch(none),
      ]);
      return { regions: items, terms, pods: pods?.items ?? null, running: new Map(running.items.map((/** @type {Task} */ task) => [task.id, task])), unread: running.unread ?? null };
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

/** The pods of a region with their tasks; users who may not see pods see those that run their tasks. @param {Floor} floor @param {string} region @returns {Worker[]} */
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

/** One task with its events. @param {string} id */
export const oneTask = (id) =>
  new Shown(
    `task ${id}`,
    async () => {
      const [task, story, { terms }] = await Promise.all([
        api.task(id),
        readAll((query) => api.taskTimeline(id, query), 1000).catch(none),
        api.regions().catch(() => ({})),
      ]);
      return { task, events: story.items, more: story.more, unread: story.unread, terms };
    },
    { hears: (events) => events.some((event) => taskOf(event) === id), moving: ({ task }) => !over(task) },
  );
