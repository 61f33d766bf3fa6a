// @ts-check
// The numbers of the node that answers, read every few seconds while somebody looks, and kept as series for as long
// as this tab is open.
import { api } from './api.js';
import { Shown } from './shown.js';
import { stream } from './store.js';

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
    turns: (now.get('convoke_database_turns_total') ?? 0) + (now.get('convoke_workflows_claims_total') ?? 0),
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
    // A count that fell is that of another life of the server.
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
