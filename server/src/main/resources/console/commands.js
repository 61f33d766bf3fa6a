// @ts-check
// What the command palette offers: standing commands, and those of the page that is shown.
import { useEffect } from './view.js';
import { Cell } from './cell.js';

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
 * How well a text answers a search: 0 not at all; every word of the query must begin a word, occur, or at least
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
