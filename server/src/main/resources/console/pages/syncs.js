// @ts-check
// For operators: failed and stalled syncs, newest first, to retry or dismiss singly or all.
import { html, useState } from '../view.js';
import { announce } from '../announce.js';
import { api } from '../api.js';
import { ask } from '../parts/form.js';
import { Head, Ledger, tell, useList } from '../parts/listpage.js';
import { Time } from '../parts/live.js';
import { asProblem } from '../problem.js';
import { link } from '../router.js';
import { carried } from '../session.js';
import { readAll } from '../query.js';

const LOOK_MS = 10_000;
const NUMBER = /^[1-9]\d{0,14}$/;
/** So many of a long list are tried again at once. */
const MOST = 1000;

export function Syncs() {
  const list = useList(api.syncProblems, [], LOOK_MS);
  const [done, setDone] = useState('');
  const all = async () => {
    const { items } = await readAll(api.syncProblems, MOST);
    let again = 0;
    for (const [i, { meeting_id }] of items.entries()) {
      setDone(`${i} of ${items.length}`);
      announce(`${i} of ${items.length} tried again`);
      if (await begins(meeting_id)) again++;
    }
    return `${again} of ${items.length} are tried again.`;
  };
  const tryAll = () =>
    ask({
      title: 'Try all of them again?',
      text: html`The next attempt of each sync that failed or makes no progress begins.`,
      button: 'Try again',
      act: async () => void tell(() => all().finally(() => (setDone(''), list.load()))),
    });
  const some = (list.value?.items.length ?? 0) > 0;
  return html`
    <div class="page">
      <${Head} title="Syncs that need a look" actions=${some ? [{ label: 'Try all again…', icon: 'refresh', keys: 'a', run: tryAll }] : []}>
        Those that failed, and those that make no progress. ${done && html`<b class="num">${done}</b>`}<//>
      <${Ledger} list=${list} name="Syncs" kind="card syncs" nothing=${['Every sync is well', 'Syncs that failed, or that make no progress, appear here, and can be tried again.']} row=${(/** @type {any} */ sync) => html`<${Row} key=${sync.meeting_id} sync=${sync} look=${list.load} />`} />
    </div>`;
}

/** Whether it is tried again; a retry by another user counts as success. @param {string} id @returns {Promise<boolean>} */
async function begins(id) {
  try {
    await api.actOnSync(id, 'retry');
    return true;
  } catch (thrown) {
    const { status, retryAfter } = asProblem(thrown);
    if (status === 409 || status === 404) return false;
    if (status !== 429) throw thrown;
    // There are more of them than one caller may ask for at once.
    await new Promise((go) => setTimeout(go, 1000 * Math.max(1, retryAfter)));
    return begins(id);
  }
}

/** @param {any} props */
function Row({ sync: { meeting_id: id, stalled, last_step, attempts, error_message, updated_at, version }, look }) {
  const dismiss = () => tell(() => api.actOnSync(id, 'dismiss', { version }).finally(look).then(() => 'Let be until it changes.'));
  return html`
    <li>
      <sync-status meeting-id=${id} headers=${carried} interval="10" />
      <span>
        ${NUMBER.test(id) ? html`<a href=${link(`/meetings/${id}`)}>Meeting ${id}</a>` : html`<code>${id}</code>`}
        <span class="sub">${stalled ? 'no progress' : 'failed'}${last_step && ` in ${last_step}`}, attempt ${attempts}${error_message && `: ${error_message}`}</span>
      </span>
      <${Time} at=${updated_at} />
      <button data-acts class="button small ghost" title="Until it changes" aria-label=${`Dismiss: the sync of ${id}`} onClick=${dismiss}>Dismiss</button>
    </li>`;
}
