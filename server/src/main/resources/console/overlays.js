// @ts-check
// Which dialog is open. One at a time; anything may ask for one.
import { Cell } from './cell.js';

/**
 * @typedef {{kind: 'palette'} | {kind: 'help'} | {kind: 'start'} | {kind: 'stop', id: number} | {kind: 'configure', id: number}} Overlay
 */

/** @type {Cell<Overlay|null>} */
export const overlay = new Cell(/** @type {Overlay|null} */ (null));

/** @param {Overlay} asked */
export const open = (asked) => overlay.set(asked);
export const closeOverlay = () => overlay.set(null);
