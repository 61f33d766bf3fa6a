// @ts-check
// Sign-in and sign-out: exchanges a credential for the cookie, reads its user, deletes it.
import { toast } from './announce.js';
import { api } from './api.js';
import { Cell } from './cell.js';
import { asProblem, passes } from './problem.js';
import { farewell, leave, who } from './session.js';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** Why the user is not known yet. @type {Cell<import('./problem.js').Problem|null>} */
export const silence = new Cell(/** @type {import('./problem.js').Problem|null} */ (null));

/** Only the latest caller keeps retrying. */
let arrivals = 0;

/** All tabs share the cookie, so each change of it is broadcast to the others. */
const tabs = new BroadcastChannel('convoke');
tabs.onmessage = () => location.reload();

/** @param {Record<string, string>} credential by its name in the API */
export async function signIn(credential) {
  const now = await api.signIn(credential);
  tabs.postMessage(0);
  // The page still shows the previous user's data.
  if (who.value) return location.reload();
  farewell.set('');
  who.set(now);
}

export async function signOut() {
  try {
    await api.signOut();
    tabs.postMessage(0);
    leave();
  } catch (thrown) {
    toast('You are still signed in', asProblem(thrown));
  }
}

/**
 * A credential handed over in the fragment (#key=, #admin= or #jwt=; a fragment never reaches a server or its logs),
 * which is removed from the address bar and the history at once.
 */
function handedOver() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const [name, member] of [['key', 'api_key'], ['admin', 'admin_key'], ['jwt', 'jwt']]) {
    const secret = given.get(name)?.trim();
    if (!secret) continue;
    history.replaceState(history.state, '', location.pathname + location.search);
    return { [member]: secret };
  }
  return null;
}

/** Signs in by the link, or reads the user of the cookie; retries while the server does not answer. */
export async function arrive() {
  const credential = handedOver();
  if (!credential && who.value !== undefined) return;
  const turn = ++arrivals;
  for (let wait = FIRST_WAIT_MS; turn === arrivals; wait = Math.min(LONGEST_WAIT_MS, 2 * wait)) {
    try {
      if (credential) await signIn(credential);
      else who.set(await api.signedIn());
      return silence.set(null);
    } catch (thrown) {
      const problem = asProblem(thrown);
      const { status, title } = problem;
      if (passes(problem)) {
        silence.set(problem);
        await pause(wait * (0.5 + Math.random() / 2));
      } else {
        silence.set(null);
        return leave(status !== 401 ? title : credential ? 'The key of that link is not accepted.' : '');
      }
    }
  }
}

/** @param {number} ms ended early by knocking, or when the machine is online again */
const pause = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
    addEventListener('online', resolve, { once: true });
    addEventListener('knock', resolve, { once: true });
  });

/** Retries at once. */
export const knock = () => dispatchEvent(new Event('knock'));
