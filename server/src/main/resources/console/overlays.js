// @ts-check
// Which dialog is open. One at a time; anything may ask for one.
import { Cell } from './cell.js';

/**
 * @typedef {{kind: 'palette'} | {kind: 'help'} | {kind: 'pages'} | {kind: 'start'} | {kind: 'stop', id: number} | {kind: 'configure', id: number} | ({kind: 'bulk'} & import('./parts/bulk.js').Bulk) | {kind: 'ask', question: import('./parts/ask.js').Question}} Overlay
 */

/** @type {Cell<Overlay|null>} */
export const overlay = new Cell(/** @type {Overlay|null} */ (null));

/** Shown at once, not with the next frame: what is typed next belongs to the dialog. @param {Overlay|null} shown */
function show(shown) {
  overlay.set(shown);
  overlay.tell();
}

/** @param {Overlay} asked */
export const open = (asked) => show(asked);
export const closeOverlay = () => show(null);
