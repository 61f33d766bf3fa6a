// @ts-check
// In and out: a credential is exchanged for the cookie, the cookie says who one is, and is given back.
import { toast } from './announce.js';
import { api } from './api.js';
import { asProblem } from './problem.js';
import { farewell, leave, who } from './session.js';

/** A cookie is the whole browser's: what one tab does to it, the others hear of. */
const tabs = new BroadcastChannel('convoke');
tabs.onmessage = () => location.reload();

/** @param {Record<string, string>} credential by its name in the API */
export async function signIn(credential) {
  const now = await api.signIn(credential);
  tabs.postMessage(0);
  // What is shown belongs to whoever was here before.
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

/** Signs in by the link, or asks whom the cookie names. */
export async function arrive() {
  const credential = handedOver();
  if (!credential && who.value !== undefined) return;
  try {
    if (credential) await signIn(credential);
    else who.set(await api.signedIn());
  } catch (thrown) {
    const { status, title } = asProblem(thrown);
    leave(status !== 401 ? title : credential ? 'The key of that link is not accepted.' : '');
  }
}
