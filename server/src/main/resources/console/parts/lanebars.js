// @ts-check
// The drawing of the swim lanes: axis, bot states, stays.
import { html } from '../view.js';
import { clock, exact, span } from '../time.js';
import { plain } from '../words.js';

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
 */
export function LaneBars({ lanes, spans, withBot, height, width, x, until, live, marks }) {
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
      ${live && html`<line class="lane-now" x1=${x(until)} x2=${x(until)} y1="0" y2=${total} />`}
      ${marks.out.map((at) => html`<text key=${at} class="lane-tick" x=${x(at)} y=${total + 15} text-anchor=${x(at) < 24 ? 'start' : x(at) > width - 24 ? 'end' : 'middle'}>${label(at)}</text>`)}
    </svg>
  `;
}

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
