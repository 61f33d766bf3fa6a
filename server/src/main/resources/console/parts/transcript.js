// @ts-check
// The transcript, live: it follows the end while scrolled there; all of it can be searched and copied. Only
// the segments near the screen exist, in blocks whose heights are known once they were drawn.
import { html, useLayoutEffect, useMemo, useRef, useState } from '../view.js';
import { open, useKeys } from '../keys.js';
import { hueOf, lanesOf } from '../people.js';
import { stopwatch } from '../time.js';
import { correct, rename } from './corrections.js';
import { Icon } from './icon.js';
import { copy } from './listpage.js';

/** @typedef {import('../types.js').Segment} Segment */

const BLOCK = 25;
/** Height of a segment that was never drawn, in pixels. */
const GUESS = 32;
const BEYOND = 400;

/** @param {{transcript: import('../meeting.js').Spoken, sessions?: import('../types.js').Session[], onSeek?: (second: number) => void, heard?: number, meeting: number, show?: number}} props `heard` is the second that sounds now, `show` the id of a segment to begin with */
export function Transcript({ transcript: { segments, partial, whole }, sessions = [], onSeek, heard = NaN, meeting, show = 0 }) {
  const hues = useMemo(() => new Map(lanesOf(sessions).map(({ name, hue }) => [name, hue])), [sessions]);
  const box = useRef(/** @type {any} */ (null));
  const field = useRef(/** @type {any} */ (null));
  const heights = useRef(/** @type {number[]} */ ([])).current;
  /** What is kept in sight: the end, a segment, or nothing; and where the box was put for it. */
  const kept = useRef(/** @type {'end'|number|null} */ ('end'));
  const put = useRef(-1);
  const [[from, to], setRange] = useState([0, 1]);
  const [query, setQuery] = useState('');
  const [hit, setHit] = useState(0);
  const pattern = useMemo(() => query && new RegExp(`(${query.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')})`, 'iu'), [query]);
  const hits = useMemo(() => (pattern ? segments.flatMap(({ text }, i) => (pattern.test(text) ? [i] : [])) : []), [segments, pattern]);
  const found = hits.length > 0 ? hits[Math.min(hit, hits.length - 1)] : -1;
  const blocks = Math.ceil(segments.length / BLOCK);
  const tall = (/** @type {number} */ block) => heights[block] ?? Math.min(BLOCK, segments.length - block * BLOCK) * GUESS;
  const tops = [0];
  for (let block = 0; block < blocks; block++) tops.push(tops[block] + tall(block));

  const look = () => {
    const { scrollTop, clientHeight } = box.current;
    let first = 0;
    while (first < blocks - 1 && tops[first + 1] < scrollTop - BEYOND) first++;
    let last = first + 1;
    while (last < blocks && tops[last] < scrollTop + clientHeight + BEYOND) last++;
    if (first !== from || last !== to) setRange([first, last]);
  };
  useLayoutEffect(() => {
    for (const block of box.current.querySelectorAll('[data-block]')) heights[block.dataset.block] = block.offsetHeight;
    for (let block = 0; block < blocks; block++) tops[block + 1] = tops[block] + tall(block);
    const { current: keep } = kept;
    if (keep === 'end') box.current.scrollTop = box.current.scrollHeight;
    else if (keep !== null) {
      const line = box.current.querySelector(`[data-at="${keep}"]`);
      box.current.scrollTop = line ? line.offsetTop - (box.current.clientHeight - line.offsetHeight) / 2 : tops[Math.floor(keep / BLOCK)];
    }
    if (keep !== null) put.current = box.current.scrollTop;
    look();
  });
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    if (Math.abs(scrollTop - put.current) > 2) kept.current = scrollHeight - scrollTop - clientHeight < 30 ? 'end' : null;
    look();
  };

  const go = (/** @type {number} */ step) => {
    if (hits.length === 0) return;
    const next = (Math.min(hit, hits.length - 1) + step + hits.length) % hits.length;
    kept.current = hits[next];
    setHit(next);
    setRange([from, to]);
  };
  const find = (/** @type {string} */ words) => {
    setQuery(words);
    setHit(0);
    kept.current = null;
  };
  const told = useMemo(() => (show ? segments.findIndex(({ id }) => id === show) : -1), [segments, show]);
  useLayoutEffect(() => {
    if (told < 0) return;
    kept.current = told;
    setRange([from, to]);
    box.current.scrollIntoView({ block: 'center' });
  }, [show, told >= 0]);
  // The first hit of a search comes into sight by itself.
  useLayoutEffect(() => void (query && go(0)), [query]);
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === 'Enter') go(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape' && query) find('');
    else return;
    event.preventDefault();
  };
  const copyAll = () => copy(segments.map(({ start, speaker, text }) => `[${stopwatch(start * 1000)}] ${name(speaker)}: ${text}\n`).join(''), box.current, `${segments.length} segments copied.`);
  useKeys([
    { keys: '/', label: 'Find in the transcript', group: 'Transcript', run: () => field.current?.select() },
    { keys: 'c', label: 'Copy the transcript', group: 'Transcript', run: () => whole && copyAll() },
  ]);

  const line = (/** @type {Segment} */ segment, /** @type {number} */ i) => {
    const { id, start, end, speaker, text, completed, session_uid } = segment;
    const hue = `hue${hues.get(speaker ?? '') ?? hueOf(speaker ?? '')}`;
    const before = segments[i - 1];
    const again = before && before.speaker === speaker && before.session_uid === session_uid;
    return html`
      <p class="said" key=${id} data-at=${i} data-again=${again || undefined} data-draft=${!completed || undefined} data-found=${i === found || i === told || undefined} aria-current=${(start <= heard && heard < end) || undefined}>
        ${onSeek
          ? html`<button class="said-at num" title="Hear it" onClick=${() => onSeek(start)}>${stopwatch(start * 1000)}</button>`
          : html`<span class="said-at num">${stopwatch(start * 1000)}</span>`}
        <span>${!again && html`<b class=${hue}>${speaker ? html`<button title="Rename this speaker" onClick=${() => rename(meeting, speaker)}>${speaker}</button>` : 'Unknown'}</b> `}${pattern ? text.split(pattern).map((part, n) => (n % 2 ? html`<mark>${part}</mark>` : part)) : text}</span>
        ${completed && html`<button class="said-edit" aria-label="Correct this segment" title="Correct this segment" onClick=${() => correct(meeting, segment)}><${Icon} name="pen" size="14" /></button>`}
      </p>
    `;
  };
  const last = Math.min(to, blocks);
  const first = Math.min(from, Math.max(0, last - 1));
  const drawn = [];
  for (let block = first; block < last; block++) {
    const begin = block * BLOCK;
    drawn.push(html`<div key=${block} data-block=${block}>${segments.slice(begin, begin + BLOCK).map((segment, i) => line(segment, begin + i))}</div>`);
  }
  return html`
    <div class="narrow said-tools" role="search" aria-label="Transcript">
      <input type="search" ref=${field} placeholder="Find" aria-label="Find in the transcript" aria-keyshortcuts="/" value=${query} onInput=${(/** @type {any} */ event) => find(event.target.value)} onKeyDown=${onKey} />
      <span class="faint num" role="status">${query && (hits.length > 0 ? `${hits.indexOf(found) + 1} of ${hits.length}` : 'Not found')}</span>
      ${query && html`<button class="button small" disabled=${hits.length === 0} onClick=${() => go(-1)}>Previous</button><button class="button small" disabled=${hits.length === 0} onClick=${() => go(1)}>Next</button>`}
      <button class="button small" disabled=${!whole} onClick=${copyAll}>Copy</button>
      <button class="button small" onClick=${() => open({ kind: 'changes', id: meeting })}>Corrections</button>
    </div>
    <div class="transcript" ref=${box} onScroll=${onScroll} tabindex="0" role="log" aria-live="off" aria-label="Transcript">
      <div key="above" style=${{ height: `${tops[first]}px` }}></div>
      ${drawn}
      <div key="below" style=${{ height: `${tops[blocks] - tops[last]}px` }}></div>
      ${!whole ? html`<p class="said-more" key="more">The rest is being loaded.</p>` : partial && html`<p class="said-more" key="more"><span class="dots" aria-hidden="true"><i></i><i></i><i></i></span> more is coming</p>`}
    </div>
  `;
}

/** @param {string|null|undefined} speaker */
const name = (speaker) => speaker ?? 'Unknown';
