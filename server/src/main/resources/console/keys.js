// @ts-check
// User commands: dialogs, the command palette, shortcuts.

// The open dialog, one at a time.
import { useEffect, useLayoutEffect, useRef } from './view.js';
import { toast } from './announce.js';
import { Cell } from './cell.js';
import { acts } from './session.js';

/**
 * @typedef {{kind: 'palette'} | {kind: 'help'} | {kind: 'pages'} | {kind: 'start'} | {kind: 'stop', id: number} | {kind: 'configure', id: number} | {kind: 'changes', id: number} | ({kind: 'bulk'} & import('./parts/form.js').Bulk) | {kind: 'ask', question: import('./parts/form.js').Question}} Overlay
 */

/** @type {Cell<Overlay|null>} */
export const overlay = new Cell(/** @type {Overlay|null} */ (null));

/** Shown at once, not with the next frame: what is typed next belongs to the dialog. @param {Overlay|null} shown */
function show(shown) {
  overlay.set(shown);
  overlay.tell();
}

/** What a viewer may open too; the others act. */
const LOOKS = new Set(['palette', 'help', 'pages']);

/** @param {Overlay} asked */
export const open = (asked) => (acts() || LOOKS.has(asked.kind) ? show(asked) : toast('Your role may look, and not change anything.'));
export const closeOverlay = () => show(null);

// The commands of the palette: global ones, and those of the current page.

/**
 * @typedef {object} Command
 * @property {string} id
 * @property {string} label
 * @property {string} [hint] shown at the right: a key, a place
 * @property {string} [icon]
 * @property {string} [words] further words that find it
 * @property {() => void} run
 */

/** @type {Cell<Command[]>} */
export const commands = new Cell(/** @type {Command[]} */ ([]));

/** Offers commands while the component is shown. @param {Command[]} offered @param {unknown[]} deps */
export function useCommands(offered, deps) {
  useEffect(() => {
    commands.update((all) => [...offered, ...all]);
    return () => commands.update((all) => all.filter((each) => !offered.includes(each)));
  }, deps);
}

/**
 * How well a text matches a search: 0 not at all; every word of the query must begin a word, occur, or at least
 * appear as letters in order.
 * @param {string} text @param {string} query
 */
export function score(text, query) {
  const hay = text.toLowerCase();
  let total = 1;
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const at = hay.indexOf(word);
    if (at === 0) total += 6;
    else if (at > 0) total += /[\s\-_./#]/.test(hay[at - 1]) ? 4 : 2;
    else if (word.length > 2 && subsequence(hay, word)) total += 0.5;
    else return 0;
  }
  return total;
}

/** @param {string} hay @param {string} word */
function subsequence(hay, word) {
  let from = 0;
  for (const letter of word) {
    const at = hay.indexOf(letter, from);
    if (at < 0) return false;
    from = at + 1;
  }
  return true;
}

// The keyboard. Pages bind keys while they are shown; the help dialog lists what is bound right now.

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
function bind(added) {
  bindings.unshift(...added);
  return () => {
    for (const binding of added) bindings.splice(bindings.indexOf(binding), 1);
  };
}

/**
 * Binds while the component is shown. A key always runs what was rendered last, however soon it comes. @param {Binding[]} added @param {unknown[]} [deps]
 */
export function useKeys(added, deps = []) {
  const latest = useRef(added);
  latest.current = added;
  useLayoutEffect(() => bind(added.map((binding, i) => ({ ...binding, run: () => latest.current[i]?.run() }))), deps);
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
  // Links and buttons handle Enter themselves.
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
