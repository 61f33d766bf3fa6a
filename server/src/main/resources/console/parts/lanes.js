// @ts-check
// Swim lanes: one row per person, a bar for each stay, the bot's states on top; open stays grow with the clock.
import { html, useLayoutEffect, useMemo, useRef, useState } from '../view.js';
import { botSpans, countAt, countOverTime, lanesOf, ticks } from '../people.js';
import { clock, exact, span } from '../time.js';
import { PeopleChart } from './chart.js';
import { LaneBars } from './lanebars.js';

const LANE = 28;
const FOLDED = 12;

/**
 * @param {object} props
 * @param {import('../types.js').Session[]} props.sessions
 * @param {import('../types.js').JournalEvent[]} props.events
 * @param {number} props.from the earliest time to show
 * @param {number} props.until now, or the end of the meeting
 * @param {boolean} props.live the meeting is going on
 * @param {boolean} props.stale
 * @param {boolean} props.withBot
 * @param {number|null} [props.then] a time to point at while the reader points at none
 */
export function Lanes({ sessions, events, from, until, live, stale, withBot, then = null }) {
  const lanes = useMemo(() => lanesOf(sessions), [sessions]);
  const spans = useMemo(() => (withBot ? botSpans(events, until) : []), [events, until, withBot]);
  const peak = useMemo(() => Math.max(0, ...countOverTime(sessions, until)[1]), [sessions]);
  const [unfolded, unfold] = useState(false);
  const box = useRef(/** @type {HTMLElement|null} */ (null));
  const width = useWidth(box);
  const [pointed, point] = useState(/** @type {number|null} */ (null));

  const first = Math.min(from, ...sessions.map(({ joined_at }) => Date.parse(joined_at)), ...spans.map((each) => each.from));
  const last = Math.max(until, first + 60_000);
  const end = last + (last - first) * 0.015;
  const x = (/** @type {number} */ at) => ((at - first) / (end - first)) * width;
  const shown = unfolded ? lanes : lanes.slice(0, FOLDED);
  const onMove = (/** @type {PointerEvent} */ event) => {
    if (!box.current) return;
    const at = event.clientX - box.current.getBoundingClientRect().left;
    point(at < 0 || at > width ? null : Math.min(until, first + (at / width) * (end - first)));
  };

  const marked = pointed ?? (then === null ? null : Math.min(until, Math.max(first, then)));

  return html`
    <div class="lanes" data-stale=${stale || undefined}>
      <div class="lane-names">
        <div class="lane-chart-name"><span>People at once${peak > 0 && html`, <b class="num">${peak}</b> at most`}</span></div>
        ${withBot && html`<div class="lane-name lane-name-bot"><span>Bot</span></div>`}
        ${shown.map(({ key, name, hue, present }) => html`
          <div class="lane-name" key=${key} data-present=${(present && live) || undefined} title=${name}>
            <i class="hue${hue}" aria-hidden="true"></i><span>${name}</span>
          </div>`)}
      </div>
      <div class="lane-box" ref=${box} onPointerMove=${onMove} onPointerLeave=${() => point(null)}>
        <${PeopleChart} sessions=${sessions} from=${first} until=${until} end=${end} width=${width} />
        <${LaneBars} lanes=${shown} spans=${spans} withBot=${withBot} height=${LANE} width=${width} x=${x} until=${until} live=${live} marks=${ticks(first, last, width / 90)} />
        ${marked !== null && html`<${Pointer} at=${marked} left=${x(marked)} width=${width} count=${countAt(sessions, marked)} />`}
      </div>
    </div>
    ${lanes.length > FOLDED && html`
      <button class="button small lanes-more" onClick=${() => unfold(!unfolded)}>${unfolded ? 'Show fewer' : `Show all ${lanes.length} people`}</button>`}
    <${LaneTable} lanes=${lanes} />
  `;
}

/** @param {{at: number, left: number, width: number, count: number}} props */
const Pointer = ({ at, left, width, count }) => html`
  <div class="pointer" aria-hidden="true" style=${{ transform: `translateX(${left}px)` }}>
    <span data-side=${left > width - 150 ? 'left' : undefined}><b>${exact(at)}</b> ${count} ${count === 1 ? 'person' : 'people'}</span>
  </div>
`;

/** The same as words, for exact reading and for screen readers. @param {{lanes: import('../people.js').Lane[]}} props */
const LaneTable = ({ lanes }) => html`
  <details class="lane-table">
    <summary>As a table</summary>
    <table>
      <thead><tr><th scope="col">Person</th><th scope="col">Came</th><th scope="col">Went</th><th scope="col">Stayed</th></tr></thead>
      <tbody>
        ${lanes.flatMap(({ key, name, stays }) =>
          stays.map(({ id, from, to }) => html`
            <tr key=${`${key} ${id}`}><th scope="row">${name}</th><td>${exact(from)}</td><td>${to === null ? 'is here' : exact(to)}</td><td>${to === null ? `since ${clock(from)}` : span(to - from)}</td></tr>`),
        )}
      </tbody>
    </table>
  </details>
`;

const NARROWEST = 80;

/** The element's width. It begins narrow and is measured before the first paint, so nothing ever sticks out. @param {{current: HTMLElement|null}} ref */
export function useWidth(ref) {
  const [width, setWidth] = useState(NARROWEST);
  useLayoutEffect(() => {
    const box = ref.current;
    if (!box) return;
    const measure = () => setWidth(Math.max(NARROWEST, Math.floor(box.clientWidth)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  return width;
}
