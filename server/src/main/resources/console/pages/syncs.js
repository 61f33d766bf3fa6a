// @ts-check
// For the operator: which syncs failed or stand still, newest first, each with its button to try again.
import { html } from '../view.js';
import { api } from '../api.js';
import { Head, Ledger, useList } from '../parts/ledger.js';
import { Time } from '../parts/fresh.js';
import { link } from '../router.js';
import { carried } from '../session.js';

const LOOK_MS = 10_000;
const NUMBER = /^[1-9]\d{0,14}$/;

export function Syncs() {
  const list = useList(api.syncProblems, [], LOOK_MS);
  return html`
    <div class="page">
      <${Head} title="Syncs that need a look">Those that failed, and those that make no progress.<//>
      <${Ledger} list=${list} name="Syncs" kind="card syncs" nothing=${['Every sync is well', 'Syncs that failed, or that make no progress, appear here, and can be tried again.']} row=${row} />
    </div>`;
}

/** @param {any} sync */
const row = ({ meeting_id: id, stalled, last_step, attempts, error_message, updated_at }) => html`
  <li key=${id}>
    <sync-status meeting-id=${id} headers=${carried} interval="10" />
    <span>
      ${NUMBER.test(id) ? html`<a href=${link(`/meetings/${id}`)}>Meeting ${id}</a>` : html`<code>${id}</code>`}
      <span class="sub">${stalled ? 'no progress' : 'failed'}${last_step && ` in ${last_step}`}, attempt ${attempts}${error_message && `: ${error_message}`}</span>
    </span>
    <${Time} at=${updated_at} />
  </li>`;
