// @ts-check
// How all of it is, and what waits for a person: counted where it can be counted, each with how long the oldest
// that is known has waited.
import { api } from './api.js';
import { asProblem } from './problem.js';
import { Shown, readAll } from './shown.js';
import { late } from './fleet.js';
import { millis } from './time.js';

const LOOK = 100;

/**
 * @typedef {object} Need
 * @property {string} name what they are, for many and for one
 * @property {string} one
 * @property {string} why
 * @property {string} path where it is dealt with
 * @property {number} count
 * @property {boolean} more there are more than were counted
 * @property {number} since when the oldest of them came about; NaN when there is none
 * @property {import('./problem.js').Problem|null} problem it could not be asked
 */

/** @type {[string, string, string, string, () => Promise<{items: any[], more?: boolean, next_cursor?: string|null}>, (item: any) => string][]} */
const NEEDS = [
  ['bots past their deadline', 'bot past its deadline', 'Nobody moved them on in time.', '/bots?show=late', lateBots, ({ deadline }) => deadline],
  ['dead letters', 'dead letter', 'Tasks that ended badly and that nobody has settled.', '/dispatch?show=dead', () => api.deadTasks({ limit: LOOK }), ({ completed_at }) => completed_at],
  ['recordings that nobody claims', 'recording that nobody claims', 'Somebody has to say which meeting they belong to.', '/recordings?show=unmatched', () => api.recordings({ status: 'unmatched', limit: LOOK }), ({ state_entered_at }) => state_entered_at],
  ['recordings that failed', 'recording that failed', 'A step is not tried again by itself.', '/recordings?show=failed', () => api.recordings({ status: 'failed', limit: LOOK }), ({ state_entered_at }) => state_entered_at],
  ['syncs that failed or stand still', 'sync that failed or stands still', 'The CRM does not have it.', '/syncs', () => api.syncProblems({ limit: LOOK }), ({ updated_at }) => updated_at],
];

async function lateBots() {
  const { items, more } = await readAll((query) => api.bots({ ...query, live: true }), 2000);
  return { items: items.filter((/** @type {any} */ bot) => late(bot, Date.now())), more };
}

/** @param {typeof NEEDS[number]} need @returns {Promise<Need>} */
async function ask([name, one, why, path, fetch, at]) {
  const base = { name, one, why, path };
  try {
    const { items, more, next_cursor } = await fetch();
    return { ...base, count: items.length, more: more || !!next_cursor, since: Math.min(...items.map((item) => millis(at(item)) || Infinity)), problem: null };
  } catch (thrown) {
    return { ...base, count: 0, more: false, since: NaN, problem: asProblem(thrown) };
  }
}

/** @typedef {{status: string, components: {name: string, status: string, detail: string}[]}} Health */

/** @returns {Promise<Health>} */
async function health() {
  try {
    return await api.health();
  } catch (thrown) {
    const problem = asProblem(thrown);
    if (problem.status !== 503) throw problem;
    return { status: 'down', components: problem.components };
  }
}

/** @typedef {{health: Health, needs: Need[], oldestTask: import('./types.js').Region|null}} All */

const ENDS = /^(task\.(failed|timeout|requeued|discarded)|recording\.status_changed|sync\.|bot\.)/;

export const overview = () =>
  new Shown(
    'overview',
    async () => {
      const [how, needs, regions] = await Promise.all([health(), Promise.all(NEEDS.map(ask)), api.regions().catch(() => ({ items: [] }))]);
      const [oldestTask = null] = regions.items.toSorted((/** @type {any} */ a, /** @type {any} */ b) => b.oldest_pending_ms - a.oldest_pending_ms);
      return { health: how, needs, oldestTask };
    },
    { hears: (events) => events.some(({ type }) => ENDS.test(type)) },
  );
