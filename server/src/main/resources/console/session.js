// @ts-check
// The signed-in user. The credential is in an HttpOnly cookie; see auth.js.
import { Cell } from './cell.js';

/** @typedef {{role: 'user'|'admin', operator_role?: 'viewer'|'operator'|'admin'|null, user_id: number|null, expires_at: string|null}} Who */

/** The signed-in user: null without one, undefined until the server has answered. @type {Cell<Who|null|undefined>} */
export const who = new Cell(/** @type {Who|null|undefined} */ (undefined));

// The style sheet hides what the role may not do; the server refuses it all the same.
who.watch(() => {
  document.documentElement.dataset.may = who.value?.operator_role ?? '';
});

/** Whether the signed-in person may act: viewers only look. */
export const acts = () => who.value?.operator_role !== 'viewer';

/** Whether they may manage users, keys and endpoints: of operators, admins alone. */
export const manages = () => acts() && who.value?.operator_role !== 'operator';

/** Why the user was signed out, shown on the sign-in page. @type {Cell<string>} */
export const farewell = new Cell('');

/**
 * Headers of every request beside the cookie: a page of another site cannot send them. One object for all elements, so
 * that they ask together.
 */
export const carried = { 'X-Convoke-CSRF': '1' };

/** @param {string} [why] */
export function leave(why = '') {
  farewell.set(why);
  who.set(null);
}

/** The server rejected the session. */
export const expelled = () => leave('You are not signed in any more. Please sign in again.');
