// @ts-check
// What a room shows while it is used: the last words, and what pods make of it.
import { html, useMemo, useState } from '../view.js';
import { api } from '../api.js';
import { hueOf, lanesOf } from '../people.js';
import { useShown, readAll, Shown } from '../query.js';
import { plain, size } from '../text.js';
import { Time, useKnownNow } from './live.js';
import { TaskChip } from './task.js';

const SHOWN_MS = 15_000;
const LINES = 3;

/** @param {{segments?: import('../types.js').Segment[], sessions?: import('../types.js').Session[]}} props */
export function Captions({ segments = [], sessions = [] }) {
  const hues = useMemo(() => new Map(lanesOf(sessions).map(({ name, hue }) => [name, hue])), [sessions]);
  const now = useKnownNow();
  const lately = segments.slice(-50).filter(({ created_at }) => now - Date.parse(created_at) < SHOWN_MS);
  if (lately.length === 0) return null;
  return html`
    <div class="captions" role="group" aria-label="Captions">
      ${lately.slice(-LINES).map(({ id, speaker, text, completed }) => html`
        <p key=${id} data-draft=${!completed || undefined}><b class="hue${hues.get(speaker ?? '') ?? hueOf(speaker ?? '')}">${speaker ?? 'Unknown'}</b> ${text}</p>`)}
    </div>
  `;
}

/** @typedef {import('../types.js').Egress} Made */

const MOST = 50;
const PICTURE_MS = 10_000;

/** @type {Record<string, string>} */
const KINDS = { record: 'Film', snapshots: 'Pictures', hls: 'HLS stream', push: 'Pushed stream' };

/** @param {Made} made */
const runs = ({ ended_at }) => !ended_at;

/** @param {{id: number}} props of the meeting */
export function Egress({ id }) {
  const shelf = useShown(
    () =>
      new Shown(`egress ${id}`, () => readAll((query) => api.egressOf(id, query), MOST), {
        hears: (events) => events.some(({ type }) => type.startsWith('task.')),
        moving: ({ items }) => items.some(runs),
      }),
    [id],
  );
  const { value, at } = shelf.cell.value;
  if (!value?.items.length) return null;
  return html`
    <section class="card" aria-labelledby="h-egress">
      <h2 id="h-egress">From pods</h2>
      <ul class="egress">${value.items.map((/** @type {Made} */ made) => html`<${One} key=${made.task_id} made=${made} at=${at} />`)}</ul>
    </section>
  `;
}

/** @param {{made: Made, at: number}} props */
const One = ({ made, at }) => html`
  <li data-egress=${made.task_id} data-kind=${made.kind}>
    <p class="egress-head"><b>${KINDS[made.kind] ?? plain(made.kind)}</b> <${TaskChip} task=${{ ...made, completed_at: made.ended_at }} /> <span class="faint">since <${Time} at=${made.created_at} />${made.bytes != null && `, ${size(made.bytes)}`}</span></p>
    ${made.deleted_at ? html`<p class="faint">Its files are deleted.</p>` : html`<${Media} key=${made.state} made=${made} at=${at} />`}
  </li>
`;

/** @param {{made: Made, at: number}} props */
function Media({ made, at }) {
  const [missing, miss] = useState(false);
  const file = (/** @type {string} */ name) => `/egress/${made.task_id}/files/${name}`;
  if (made.kind === 'hls') return html`<p><a href=${file('index.m3u8')}>The playlist</a></p>`;
  if (made.kind === 'record' && runs(made)) return html`<p class="faint">The film can be seen when the task has ended.</p>`;
  if (made.kind === 'record' && !missing) return html`<video controls preload="metadata" src=${file('recording.mp4')} aria-label="The film" onError=${() => miss(true)}></video>`;
  if (made.kind === 'snapshots') {
    // Each address is a new picture to the browser; one that is not there yet is tried again.
    const src = `${file('latest.png')}?at=${runs(made) ? Math.floor(at / PICTURE_MS) : 'end'}`;
    return html`<img src=${src} alt="The room, in its latest picture" onError=${(/** @type {any} */ { target }) => (target.hidden = true)} onLoad=${(/** @type {any} */ { target }) => (target.hidden = false)} />`;
  }
  return missing && html`<p class="faint">There is nothing to see.</p>`;
}
