// @ts-check
// Data of the operator's overview: metrics of the answering node, read every few seconds while the page is visible,
// and kept as series while this tab is open.
import { api } from './api.js';
import { late } from './fleet.js';
import { asProblem } from './problem.js';
import { Shown, readAll } from './query.js';
import { stream } from './store.js';
import { millis, time } from './time.js';

/** One hour of samples. */
const MOST = 1200;

/**
 * @typedef {object} Sample
 * @property {number} at seconds
 * @property {Record<string, number|null>} of by the name of the series
 */

/** @type {Sample[]} */
let samples = [];
/** @type {{at: number, counts: Record<string, number>}|null} */
let before = null;

/** A scrape as numbers: by name, over all labels, and by name with labels. @param {string} text @returns {Map<string, number>} */
export function readMetrics(text) {
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const line of text.split('\n')) {
    const space = line.lastIndexOf(' ');
    const value = Number(line.slice(space + 1));
    if (line[0] === '#' || space < 1 || !Number.isFinite(value)) continue;
    const full = line.slice(0, space);
    const name = full.split('{', 1)[0];
    found.set(name, (found.get(name) ?? 0) + value);
    if (full !== name) found.set(full, value);
  }
  return found;
}

/** @param {Map<string, number>} now */
function keep(now) {
  const at = Date.now() / 1000;
  /** @type {Record<string, number>} */
  const counts = {
    events: stream.received.value,
    requests: now.get('convoke_http_requests_seconds_count') ?? 0,
    turns: (now.get('convoke_database_transactions_total') ?? 0) + (now.get('convoke_workflows_claims_total') ?? 0),
  };
  /** @type {Sample['of']} */
  const of = {
    cpu: (now.get('process_cpu_usage') ?? NaN) * 100,
    budget: now.get('convoke_presence_budget_left') ?? null,
    tasks: (now.get('convoke_dispatch_pending') ?? 0) + (now.get('convoke_dispatch_processing') ?? 0),
  };
  const past = before ? at - before.at : 0;
  for (const [name, count] of Object.entries(counts)) {
    const more = count - (before?.counts[name] ?? 0);
    // A counter that fell was reset by a restart.
    of[name] = past > 0 && past < 30 && more >= 0 ? more / past : null;
  }
  before = { at, counts };
  samples = [...samples.slice(1 - MOST), { at, of }];
}

/** @typedef {{now: Map<string, number>, samples: Sample[]}} Pulse */

export const pulse = () =>
  new Shown(
    'pulse',
    async () => {
      const now = readMetrics(await api.metrics());
      keep(now);
      return { now, samples };
    },
    { moving: () => true },
  );

// Health, and work for the operator: counts, each with the age of the oldest entry.

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
  ['bots past their deadline', 'bot past its deadline', 'Their deadline has passed without a transition.', '/bots?show=late', lateBots, ({ deadline }) => deadline],
  ['dead letters', 'dead letter', 'Failed tasks that are neither requeued nor discarded.', '/dispatch?show=dead', () => api.deadTasks({ limit: LOOK }), ({ completed_at }) => completed_at],
  ['unmatched recordings', 'unmatched recording', 'Assign each of them to its meeting.', '/recordings?show=unmatched', () => api.recordings({ status: 'unmatched', limit: LOOK }), ({ state_entered_at }) => state_entered_at],
  ['recordings that failed', 'recording that failed', 'A step is not tried again by itself.', '/recordings?show=failed', () => api.recordings({ status: 'failed', limit: LOOK }), ({ state_entered_at }) => state_entered_at],
  ['syncs that failed or stand still', 'sync that failed or stands still', 'The CRM does not have it.', '/syncs', () => api.syncProblems({ limit: LOOK }), ({ updated_at }) => updated_at],
];

async function lateBots() {
  const { items, more } = await readAll((query) => api.bots({ ...query, live: true }), 2000);
  return { items: items.filter((/** @type {any} */ bot) => late(bot, time())), more };
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
