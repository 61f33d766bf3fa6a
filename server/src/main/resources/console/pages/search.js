// @ts-check
// What was said in all meetings, found by its words.
import { html, useEffect, useRef, useState } from '../view.js';
import { useCell, useRow } from '../cell.js';
import { api } from '../api.js';
import { useKeys } from '../keys.js';
import { Head, useList } from '../parts/listpage.js';
import { Icon } from '../parts/icon.js';
import { Empty, ProblemNote, Skeleton } from '../parts/problem.js';
import { link, place, refine } from '../router.js';
import { title } from '../status.js';
import { meetings } from '../store.js';
import { stopwatch } from '../time.js';

const PAUSE_MS = 300;

/** @type {Record<string, string>} */
const ENTITIES = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

/** The server's highlight, which is escaped text with marks, as elements. @param {string} highlight */
const marked = (highlight) =>
  highlight.split(/<\/?mark>/).map((part, i) => {
    const text = part.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity]);
    return i % 2 ? html`<mark>${text}</mark>` : text;
  });

export function Search() {
  const q = useCell(place).query.get('q') ?? '';
  const [text, setText] = useState(q);
  const field = useRef(/** @type {any} */ (null));
  /** What this page put into the address itself; meanwhile more may have been typed. */
  const sent = useRef(q);
  const send = () => {
    sent.current = text.trim();
    if (sent.current !== q) refine({ q: sent.current });
  };
  useEffect(() => {
    if (q !== sent.current) setText(q);
    sent.current = q;
  }, [q]);
  useEffect(() => {
    document.title = `${q ? `“${q}”` : 'Search'} · Convoke`;
  }, [q]);
  useEffect(() => field.current.focus(), []);
  useEffect(() => {
    const timer = setTimeout(send, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useKeys([{ keys: '/', label: 'To the search field', group: 'Search', run: () => field.current.select() }]);
  return html`
    <div class="page">
      <${Head} title="Search">What was said, in all meetings that you may read.<//>
      <form class="filters" role="search" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); send(); }}>
        <label class="search search-all"><${Icon} name="search" /><input type="search" ref=${field} aria-label="Words that were said" placeholder="Words that were said" maxlength="200" value=${text} onInput=${(/** @type {any} */ event) => setText(event.target.value)} /></label>
      </form>
      ${q ? html`<${Found} key=${q} q=${q} />` : html`<${Empty} title="Which words?"><p>Segments that have all of them appear here, by themselves or by their stem.</p><//>`}
    </div>
  `;
}

/** @param {{q: string}} props */
function Found({ q }) {
  const { phase, value, problem, more } = useList((query) => api.search({ ...query, q }), [q], 0);
  if (value === null) return phase === 'failed' ? html`<${ProblemNote} problem=${problem} />` : html`<${Skeleton} rows=${5} />`;
  return html`
    ${phase === 'failed' && html`<${ProblemNote} problem=${problem} />`}
    <p class="hidden" role="status">${value.items.length}${value.more ? ' and more' : ''} found</p>
    ${value.items.length === 0 && html`<${Empty} title="Not found"><p>No completed segment has all of these words.</p><//>`}
    <ol class="hits">${value.items.map((/** @type {any} */ hit) => html`<${Hit} key=${hit.segment_id} hit=${hit} />`)}</ol>
    ${value.more && more && html`<div class="more-rows"><button class="button" onClick=${more}>Show more</button></div>`}
  `;
}

/** @param {any} props */
function Hit({ hit: { meeting_id: meeting, segment_id, start, speaker, highlight } }) {
  const row = useRow(meetings, meeting);
  return html`
    <li>
      <a href=${link(`/meetings/${meeting}?segment=${segment_id}`)}>${marked(highlight)}</a>
      <span class="sub">${speaker ?? 'Unknown'}, ${row ? title(row) : `meeting ${meeting}`} at <span class="num">${stopwatch(start * 1000)}</span></span>
    </li>
  `;
}
