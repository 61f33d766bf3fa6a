// @ts-check
// Who is signed in. The credential lives in this tab's sessionStorage and in request headers, nowhere else.
import { Cell } from './cell.js';

/** @typedef {'user'|'admin'|'jwt'} Kind */
/** @typedef {{kind: Kind, secret: string}} Credential */

const KEY = 'convoke.credential';
const KINDS = /** @type {const} */ (['user', 'admin', 'jwt']);

/** @returns {Credential|null} */
function restore() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    return kept && KINDS.includes(kept.kind) && typeof kept.secret === 'string' ? kept : null;
  } catch {
    return null;
  }
}

/** The credential in use, null when signed out. @type {Cell<Credential|null>} */
export const credential = new Cell(restore());

/** Why the reader was signed out, shown on the sign-in page. @type {Cell<string>} */
export const farewell = new Cell('');

/** @param {Credential} given */
export function signIn(given) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(given));
  } catch {
    // Without storage the credential lasts as long as the page.
  }
  farewell.set('');
  credential.set(given);
}

/** @param {string} [why] */
export function signOut(why = '') {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Nothing was stored.
  }
  farewell.set(why);
  credential.set(null);
}

/**
 * Takes a credential handed over in the fragment (#key=, #admin= or #jwt=; a fragment never reaches a server or
 * its logs) and removes it from the address bar and the history.
 */
export function takeFromFragment() {
  const given = new URLSearchParams(location.hash.slice(1));
  /** @type {[string, Kind][]} */
  const names = [['key', 'user'], ['admin', 'admin'], ['jwt', 'jwt']];
  for (const [name, kind] of names) {
    const secret = given.get(name)?.trim();
    if (!secret) continue;
    history.replaceState(history.state, '', location.pathname + location.search);
    signIn({ kind, secret });
    return;
  }
}

/** What requests of elements carry; one function for all of them, so that they ask together. */
export const carried = () => (credential.value ? headersOf(credential.value) : {});

/** @param {Credential} given @returns {Record<string, string>} */
export function headersOf({ kind, secret }) {
  switch (kind) {
    case 'user':
      return { 'X-API-Key': secret };
    case 'admin':
      return { 'X-Admin-API-Key': secret };
    case 'jwt':
      return { Authorization: `Bearer ${secret}` };
  }
}
