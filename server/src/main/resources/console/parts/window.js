// @ts-check
// A window onto a long list: only the rows near the screen exist, so a hundred thousand cost what forty do.
import { html, useEffect, useLayoutEffect, useRef, useState } from '../view.js';
import { nextFrame } from '../frames.js';

const BEYOND = 8;

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
  const rows = [];
  for (let i = first; i < last; i++) rows.push(row(i));
  return html`
    <div class="window" role="rowgroup" ref=${ref} style=${{ height: `${count * height}px` }}>
      <div class="window-rows" role="presentation" style=${{ transform: `translateY(${first * height}px)` }}>${rows}</div>
    </div>
  `;
}
