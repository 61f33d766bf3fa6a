// @ts-check
// Long tables, drawn by window.
import { html, useEffect, useLayoutEffect, useRef, useState } from '../view.js';
import { nextFrame } from '../cell.js';
import { useKeys } from '../keys.js';
import { go } from '../router.js';

/** As narrow as a phone's; the same width as in the style sheets. */
const narrow = matchMedia('(max-width: 720px)');

export function usePhone() {
  const [is, set] = useState(narrow.matches);
  useEffect(() => {
    const follow = () => set(narrow.matches);
    narrow.addEventListener('change', follow);
    return () => narrow.removeEventListener('change', follow);
  }, []);
  return is;
}

// A window onto a long list: only the rows near the screen exist, so a hundred thousand cost what forty do; and of
// those that come into sight only so many are drawn in one frame, so that no speed of scrolling makes a frame long.

const BEYOND = 6;
const DRAWN_PER_FRAME = 4;

/** Where a row will be. @param {number} index */
const outline = (index) => html`<div key=${`outline-${index}`} class="row outline" role="row" aria-rowindex=${index + 2}><span role="cell"></span></div>`;

/**
 * @param {object} props
 * @param {number} props.count
 * @param {number} props.height of one row, in pixels
 * @param {(index: number) => any} props.row
 * @param {number} [props.reveal] index of the row to bring on screen; -1 for none
 */
export function Window({ count, height, row, reveal = -1 }) {
  const ref = useRef(/** @type {HTMLElement|null} */ (null));
  const [range, setRange] = useState([0, 30]);
  useEffect(() => {
    const measure = () => {
      if (!ref.current) return;
      const above = -ref.current.getBoundingClientRect().top;
      const first = Math.max(0, Math.floor(above / height) - BEYOND);
      const last = Math.ceil((above + innerHeight) / height) + BEYOND;
      setRange((/** @type {number[]} */ was) => (was[0] === first && was[1] === last ? was : [first, last]));
    };
    const later = () => nextFrame(measure);
    measure();
    addEventListener('scroll', later, { passive: true });
    addEventListener('resize', later);
    return () => {
      removeEventListener('scroll', later);
      removeEventListener('resize', later);
    };
  }, [height]);
  useLayoutEffect(() => {
    if (reveal < 0 || !ref.current) return;
    const top = ref.current.getBoundingClientRect().top + reveal * height;
    const head = 130;
    if (top < head) scrollBy(0, top - head);
    else if (top + height > innerHeight - 20) scrollBy(0, top + height - innerHeight + 20);
  }, [reveal, height]);
  const first = Math.min(range[0], Math.max(0, count - 1));
  const last = Math.min(count, range[1]);
  const held = useRef({ row, drawn: new Map() }).current;
  const [, again] = useState(0);
  if (held.row !== row) {
    held.row = row;
    for (const index of held.drawn.keys()) if (index < count) held.drawn.set(index, row(index));
  }
  for (const index of held.drawn.keys()) if (index < first || index >= last) held.drawn.delete(index);
  let room = DRAWN_PER_FRAME;
  /** @param {number} index */
  const draw = (index) => {
    if (held.drawn.has(index) || index < first || index >= last) return;
    if (room-- > 0) held.drawn.set(index, row(index));
  };
  draw(reveal);
  // What is on the screen comes before what is near it.
  for (let index = first + BEYOND; index < last - BEYOND; index++) draw(index);
  for (let index = first; index < last; index++) draw(index);
  useEffect(() => {
    if (room < 0) nextFrame(() => again((/** @type {number} */ n) => n + 1));
  });
  const rows = [];
  for (let index = first; index < last; index++) rows.push(held.drawn.get(index) ?? outline(index));
  return html`
    <div class="window" role="rowgroup" ref=${ref} style=${{ height: `${count * height}px` }}>
      <div class="window-rows" role="presentation" style=${{ transform: `translateY(${first * height}px)` }}>${rows}</div>
    </div>
  `;
}

// A long table of tasks or bots with keyboard control.

/** Heights of a row; they must agree with styles/meetings.css. */
export const ROW = 52;
export const CARD = 84;

/**
 * @param {object} props
 * @param {string} props.label
 * @param {string} props.noun what a row is, in the help
 * @param {string[]} props.columns
 * @param {any[]} props.rows
 * @param {(row: any) => string|number} props.id
 * @param {string} props.path where a row opens
 * @param {(row: any) => any[]} props.cells seven, and what can be done
 * @param {boolean} [props.more]
 * @param {[string, string, (row: any) => unknown][]} props.acts key, label, what it does to the chosen row
 */
export function WorkTable({ label, noun, columns, rows, id, path, cells, more = false, acts }) {
  const phone = usePhone();
  const [cursor, setCursor] = useState(/** @type {any} */ (null));
  const at = rows.findIndex((row) => id(row) === cursor);
  const chosen = rows[at];
  const move = (/** @type {number} */ step) => {
    const next = rows[Math.min(rows.length - 1, Math.max(0, at + step))];
    if (!next) return;
    setCursor(id(next));
    // The row may have to be drawn first.
    requestAnimationFrame(() => requestAnimationFrame(() => /** @type {any} */ (document.querySelector(`[data-row="${id(next)}"] a`))?.focus({ preventScroll: true })));
  };
  const open = (/** @type {any} */ row) => go(`${path}/${id(row)}`);
  useKeys(
    [
      { keys: 'j', label: `Next ${noun}`, group: label, run: () => move(1) },
      { keys: 'k', label: `Previous ${noun}`, group: label, run: () => move(-1) },
      { keys: 'Enter', label: `Open the ${noun}`, group: label, run: () => chosen && open(chosen) },
      ...acts.map(([keys, words, act]) => ({ keys, label: words, group: label, run: () => chosen && void act(chosen) })),
    ],
    [],
  );
  return html`
    <div class="table table-work" role="table" aria-label=${label} aria-rowcount=${more ? -1 : rows.length + 1}>
      <div role="rowgroup"><div class="row row-head" role="row">
        ${columns.map((name) => html`<span role="columnheader">${name}</span>`)}<span role="columnheader"><span class="hidden">Actions</span></span>
      </div></div>
      ${rows.length > 0 && html`<${Window} count=${rows.length} height=${phone ? CARD : ROW} reveal=${at}
        row=${(/** @type {number} */ i) => html`<${Row} key=${id(rows[i])} row=${rows[i]} id=${id(rows[i])} index=${i} chosen=${i === at} cells=${cells} open=${open} />`} />`}
    </div>
  `;
}

const KINDS = ['room', 'name', 'platform', 'people num', 'bot sub', 'lasted num', 'began', 'act'];

/** @param {{row: any, id: string|number, index: number, chosen: boolean, cells: (row: any) => any[], open: (row: any) => void}} props */
function Row({ row, id, index, chosen, cells, open }) {
  const onClick = (/** @type {any} */ event) => !event.target.closest('a, button') && !getSelection()?.toString() && open(row);
  return html`
    <div class="row" role="row" aria-rowindex=${index + 2} data-row=${id} data-chosen=${chosen || undefined} onClick=${onClick}>
      ${cells(row).map((cell, i) => html`<span role="cell" class="cell-${KINDS[i]}">${cell}</span>`)}
    </div>
  `;
}

/** The filter, as joined buttons. @param {{label: string, options: [string, any][], value: string, onValue: (value: string) => void}} props */
export const Tabs = ({ label, options, value, onValue }) => html`
  <div class="tabs-scroll"><div class="tabs" role="group" aria-label=${label}>
    ${options.map(([key, name]) => html`<button aria-pressed=${key === value} onClick=${() => onValue(key)}>${name}</button>`)}
  </div></div>
`;
