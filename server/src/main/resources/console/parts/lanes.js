// @ts-check
// Swim lanes: a row for each person, a bar for each session, bot states on top.
import { html, useLayoutEffect, useMemo, useRef, useState } from '../view.js';
import { barHeight, botSpans, countAt, countOverTime, lanesOf, spokenBy, ticks, withSpeakers } from '../people.js';
import { clock, exact, span } from '../time.js';
import { plain } from '../text.js';
import { PeopleChart } from './chart.js';

const AXIS = 22;

/**
 * @param {object} props
 * @param {import('../people.js').Lane[]} props.lanes
 * @param {{from: number, to: number, status: string}[]} props.spans
 * @param {boolean} props.withBot
 * @param {number} props.height of one lane
 * @param {number} props.width
 * @param {(at: number) => number} props.x
 * @param {number} props.until
 * @param {boolean} props.live
 * @param {{out: number[], step: number}} props.marks
 * @param {Map<string, import('../people.js').Speech[]>} props.spoken
 */
function LaneBars({ lanes, spans, withBot, height, width, x, until, live, marks, spoken }) {
  const offset = withBot ? height : 0;
  const total = offset + lanes.length * height;
  const label = marks.step < 60_000 ? exact : clock;
  return html`
    <svg class="lane-bars" width=${width} height=${total + AXIS} role="img" aria-label="Who was in the room when; the same is in the table below">
      ${marks.out.map((at) => html`<line key=${at} class="lane-grid" x1=${x(at)} x2=${x(at)} y1="0" y2=${total} />`)}
      ${lanes.map(({ key }, i) => html`<line key=${key} class="lane-line" x1="0" x2=${width} y1=${offset + i * height + height / 2} y2=${offset + i * height + height / 2} />`)}
      ${spans.map(({ from, to, status }, i) => html`
        <rect key=${i} class="lane-bot lane-${status}" x=${x(from)} width=${Math.max(2, x(to) - x(from) - 1)} y=${height / 2 - 4} height="8" rx="2">
          <title>Bot ${plain(status)}, ${exact(from)}, ${span(to - from)}</title>
        </rect>`)}
      ${lanes.map((lane, i) => html`<${LaneStays} key=${lane.key} lane=${lane} y=${offset + i * height + height / 2} x=${x} until=${until} live=${live} />`)}
      ${lanes.map(({ name, hue }, i) => spoken.get(name)?.map((speech) => html`<${SpokenBar} key=${speech.from} speech=${speech} name=${name} hue=${hue} y=${offset + i * height + height / 2} x=${x} />`))}
      ${live && html`<line class="lane-now" x1=${x(until)} x2=${x(until)} y1="0" y2=${total} />`}
      ${marks.out.map((at) => html`<text key=${at} class="lane-tick" x=${x(at)} y=${total + 15} text-anchor=${x(at) < 24 ? 'start' : x(at) > width - 24 ? 'end' : 'middle'}>${label(at)}</text>`)}
    </svg>
  `;
}

/** @param {{speech: import('../people.js').Speech, name: string, hue: number, y: number, x: (at: number) => number}} props */
const SpokenBar = ({ speech: { from, to, level }, name, hue, y, x }) => html`
  <rect class="spoken hue${hue}" x=${x(from)} width=${Math.max(2, x(to) - x(from))} y=${y - barHeight(level) / 2} height=${barHeight(level)} rx="2">
    <title>${name} speaks, ${exact(from)}, ${span(Math.max(1000, to - from))}${level === null ? '' : `, ${Math.round(level)} dB`}</title>
  </rect>`;

/** @param {{lane: import('../people.js').Lane, y: number, x: (at: number) => number, until: number, live: boolean}} props */
const LaneStays = ({ lane, y, x, until, live }) =>
  lane.stays.map(({ id, from, to }) => {
    const left = x(from);
    const right = x(to ?? until);
    const open = to === null;
    const words = `${lane.name}, ${exact(from)} to ${open ? (live ? 'now' : 'the end') : exact(to)}, ${span((to ?? until) - from)}`;
    return html`
      <g key=${id} class="stay hue${lane.hue}" data-open=${(open && live) || undefined}>
        <rect x=${left} width=${Math.max(3, right - left)} y=${y - 7} height="14" rx="4"><title>${words}</title></rect>
        ${open && live && html`<circle class="stay-tip" cx=${right} cy=${y} r="3.5" />`}
      </g>
    `;
  });

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
 * @param {import('../types.js').Segment[]} [props.segments] what was said
 */
export function Lanes({ sessions, events, from, until, live, stale, withBot, then = null, segments = [] }) {
  const spoken = useMemo(() => spokenBy(segments, (until - from) / 200), [segments, Math.round((until - from) / 60_000)]);
  const lanes = useMemo(() => withSpeakers(lanesOf(sessions), spoken.keys()), [sessions, spoken]);
  const spans = useMemo(() => (withBot ? botSpans(events, until) : []), [events, until, withBot]);
  const peak = useMemo(() => Math.max(0, ...countOverTime(sessions, until)[1]), [sessions]);
  const [unfolded, unfold] = useState(false);
  const box = useRef(/** @type {HTMLElement|null} */ (null));
  const width = useWidth(box);
  const [pointed, point] = useState(/** @type {number|null} */ (null));

  const speaks = (/** @type {string} */ name) => live && until - (spoken.get(name)?.at(-1)?.to ?? 0) < 3000;
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
          <div class="lane-name" key=${key} data-present=${(present && live) || undefined} data-speaks=${speaks(name) || undefined} title=${name}>
            <i class="hue${hue}" aria-hidden="true"></i><span>${name}</span>
          </div>`)}
      </div>
      <div class="lane-box" ref=${box} onPointerMove=${onMove} onPointerLeave=${() => point(null)}>
        <${PeopleChart} sessions=${sessions} from=${first} until=${until} end=${end} width=${width} />
        <${LaneBars} lanes=${shown} spans=${spans} withBot=${withBot} height=${LANE} width=${width} x=${x} until=${until} live=${live} marks=${ticks(first, last, width / 90)} spoken=${spoken} />
        ${marked !== null && html`<${Pointer} at=${marked} left=${x(marked)} width=${width} count=${countAt(sessions, marked)} />`}
      </div>
    </div>
    ${lanes.length > FOLDED && html`
      <button class="button small lanes-more" onClick=${() => unfold(!unfolded)}>${unfolded ? 'Show fewer' : `Show all ${lanes.length} people`}</button>`}
    <${LaneTable} lanes=${lanes} spoken=${spoken} />
  `;
}

/** @param {{at: number, left: number, width: number, count: number}} props */
const Pointer = ({ at, left, width, count }) => html`
  <div class="pointer" aria-hidden="true" style=${{ transform: `translateX(${left}px)` }}>
    <span data-side=${left > width - 150 ? 'left' : undefined}><b>${exact(at)}</b> ${count} ${count === 1 ? 'person' : 'people'}</span>
  </div>
`;

/** The same as words, for exact reading and for screen readers. @param {{lanes: import('../people.js').Lane[], spoken: Map<string, import('../people.js').Speech[]>}} props */
const LaneTable = ({ lanes, spoken }) => html`
  <details class="lane-table">
    <summary>As a table</summary>
    <table>
      <thead><tr><th scope="col">Person</th><th scope="col">Came</th><th scope="col">Went</th><th scope="col">Stayed</th><th scope="col">Spoke</th></tr></thead>
      <tbody>
        ${lanes.flatMap(({ key, name, stays }) =>
          stays.map(({ id, from, to }, i) => html`
            <tr key=${`${key} ${id}`}><th scope="row">${name}</th><td>${exact(from)}</td><td>${to === null ? 'is here' : exact(to)}</td><td>${to === null ? `since ${clock(from)}` : span(to - from)}</td><td>${i === 0 && spoken.has(name) ? span((spoken.get(name) ?? []).reduce((sum, each) => sum + each.to - each.from, 0)) : ''}</td></tr>`),
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
