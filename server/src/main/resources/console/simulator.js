// @ts-check
// The simulator attached to this server, if any. Shown to operators only.
import { api } from './api.js';
import { Cell } from './cell.js';
import { who } from './session.js';

/**
 * @typedef {object} Fault
 * @property {string} kind
 * @property {string} effect
 * @property {number} probability
 * @property {boolean} lasting
 * @property {number} amount_s
 * @property {string|null} on
 * @property {number} strikes
 */

/** @typedef {{scenario: string, seed: number, speed: number, presence_lag_s: number, counts: {rooms: number, people: number, upcoming: number, requests: number}, faults: Fault[]}} Simulation */

/** @typedef {{name: string, claim: string, standing: 'holds'|'settling'|'violated', checked: number, allowed_ms: number, since: string|null, differing: number, examples: string[]}} Invariant */

export const attached = new Cell(false);

/** The health of a server lists its simulator, so that no request is made without one. */
export async function lookForSimulator() {
  const me = who.value;
  const { components = [] } = me?.role === 'admin' ? await api.health().catch((problem) => problem) : {};
  if (me === who.value) attached.set(components.some((/** @type {{name: string}} */ { name }) => name === 'simulator'));
}
