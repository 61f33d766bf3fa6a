// @ts-check
// The keyboard. Pages bind keys while they are shown; the help dialog lists what is bound right now.
import { useEffect } from './view.js';
import { overlay } from './overlays.js';

/**
 * @typedef {object} Binding
 * @property {string} keys "j", "/", "Enter", or a sequence "g m"
 * @property {string} label what it does, for the help; empty hides it
 * @property {() => void} run
 * @property {string} [group]
 */

/** How long after "g" the second key may come. */
const SEQUENCE_MS = 1200;

/** @type {Binding[]} */
const bindings = [];
let prefix = '';
let prefixAt = 0;

/** @param {Binding[]} added @returns {() => void} unbinds them */
export function bind(added) {
  bindings.unshift(...added);
  return () => {
    for (const binding of added) bindings.splice(bindings.indexOf(binding), 1);
  };
}

/** Binds while the component is shown. @param {Binding[]} added @param {unknown[]} [deps] */
export function useKeys(added, deps = []) {
  useEffect(() => bind(added), deps);
}

/** What is bound now, innermost first, each key once. */
export function bound() {
  const seen = new Set();
  return bindings.filter(({ keys, label }) => label && !seen.has(keys) && seen.add(keys));
}

/** @param {KeyboardEvent} event */
function typing(event) {
  const target = /** @type {HTMLElement|null} */ (event.target);
  return !!target?.closest?.('input, textarea, select, [contenteditable]');
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (event.defaultPrevented || event.isComposing) return;
  const mod = event.metaKey || event.ctrlKey;
  if (mod && !event.altKey && event.key.toLowerCase() === 'k') {
    run(event, 'Mod+K');
    return;
  }
  if (mod || event.altKey || typing(event) || overlay.value) return;
  const sequence = prefix && Date.now() - prefixAt < SEQUENCE_MS ? `${prefix} ${event.key}` : '';
  prefix = '';
  if (sequence && run(event, sequence)) return;
  if (bindings.some(({ keys }) => keys.startsWith(`${event.key} `))) {
    prefix = event.key;
    prefixAt = Date.now();
    return;
  }
  // Enter on a link or a button is theirs.
  if (event.key === 'Enter' && /** @type {HTMLElement} */ (event.target).closest?.('a, button, summary')) return;
  run(event, event.key);
}

/** @param {KeyboardEvent} event @param {string} keys */
function run(event, keys) {
  const binding = bindings.find((each) => each.keys === keys);
  if (!binding) return false;
  event.preventDefault();
  binding.run();
  return true;
}

export const listen = () => addEventListener('keydown', onKey);

/** The modifier's name on this machine. */
export const MOD = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl';
