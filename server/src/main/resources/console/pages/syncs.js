// @ts-check
// For the operator: which syncs failed or stand still, newest first, each with its button to try again.
import { html, useEffect, useMemo, useState } from '../view.js';
import { api } from '../api.js';
import { useCell } from '../cell.js';
import { Empty, Failed, Skeleton } from '../parts/empty.js';
import { Time } from '../parts/time.js';
import { Resource } from '../resource.js';
import { link } from '../router.js';
import { carried } from '../session.js';

const LOOK_MS = 10_000;
const PAGE = 50;
const NUMBER = /^[1-9]\d{0,14}$/;

export function Syncs() {
  const [most, setMost] = useState(PAGE);
  const problems = useMemo(() => new Resource(() => api.syncProblems({ limit: Math.min(most, 200) })), [most]);
  const { phase, value, problem } = useCell(problems.cell);
  useEffect(() => {
    void problems.load();
    const timer = setInterval(() => document.hidden || void problems.load(), LOOK_MS);
    return () => clearInterval(timer);
  }, [problems]);
  if (!value && phase === 'failed' && problem) {
    return html`<${Failed} page title="The syncs could not be loaded" problem=${problem} onRetry=${() => problems.load()} />`;
  }
  if (!value) return html`<div class="page"><${Skeleton} rows=${8} /></div>`;
  if (value.items.length === 0) {
    return html`<${Empty} page title="Every sync is well">
      <p>Syncs that failed, or that make no progress, appear here, and can be tried again.</p>
    <//>`;
  }
  return html`
    <div class="page">
      <header class="page-head"><h1>Syncs that need a look</h1></header>
      <section class="card" aria-label="Failed and stalled syncs">
        <ul class="syncs">
          ${value.items.map((/** @type {any} */ sync) => html`<${Sync} key=${sync.meeting_id} sync=${sync} />`)}
        </ul>
        ${value.next_cursor && most < 200 && html`<button class="button small" onClick=${() => setMost(most + PAGE)}>Show more</button>`}
      </section>
    </div>
  `;
}

/** @param {{sync: any}} props */
function Sync({ sync }) {
  const id = sync.meeting_id;
  return html`
    <li>
      <sync-status meeting-id=${id} headers=${carried} interval="10" />
      <span>
        ${NUMBER.test(id) ? html`<a href=${link(`/meetings/${id}`)}>Meeting ${id}</a>` : html`<code>${id}</code>`}
        <span class="sub">${sync.stalled ? 'no progress' : 'failed'}${sync.last_step && ` in ${sync.last_step}`}, attempt ${sync.attempts}${sync.error_message && `: ${sync.error_message}`}</span>
      </span>
      <${Time} at=${sync.updated_at} />
    </li>
  `;
}
