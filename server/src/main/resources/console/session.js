// @ts-check
// Who is signed in. The credential is in a cookie that no script can read; how one gets it is in auth.js.
import { Cell } from './cell.js';

/** @typedef {{role: 'user'|'admin', user_id: number|null, expires_at: string|null}} Who */

/** The signed-in user: null without one, undefined until the server has answered. @type {Cell<Who|null|undefined>} */
export const who = new Cell(/** @type {Who|null|undefined} */ (undefined));

/** Why the reader was signed out, shown on the sign-in page. @type {Cell<string>} */
export const farewell = new Cell('');

/**
 * What every request carries beside the cookie: a page of another site cannot send it. One object for all elements, so
 * that they ask together.
 */
export const carried = { 'X-Convoke-CSRF': '1' };

/** @param {string} [why] */
export function leave(why = '') {
  farewell.set(why);
  who.set(null);
}

/** The server no longer knows us. */
export const expelled = () => leave('You are not signed in any more. Please sign in again.');
