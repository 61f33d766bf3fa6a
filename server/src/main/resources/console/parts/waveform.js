// @ts-check
// How loud a recording is, and who speaks when.
import { html, useMemo, useRef } from '../view.js';
import { hueOf, ticks } from '../people.js';
import { stopwatch } from '../time.js';
import { useWidth } from './lanes.js';

const LANE = 28;
const LOUD = 64;
const MOST = 8;

/** @param {{wave: any, segments: import('../types.js').Segment[], onSeek?: (second: number) => void, heard: number}} props */
export function Waveform({ wave: { seconds, peaks }, segments, onSeek, heard }) {
  const box = useRef(/** @type {any} */ (null));
  const width = useWidth(box);
  const x = (/** @type {number} */ second) => (second / Math.max(seconds, 0.001)) * width;
  const speakers = useMemo(() => [...new Set(segments.map(({ speaker }) => speaker ?? 'Unknown'))].slice(0, MOST), [segments]);
  const path = useMemo(() => peaks.map((/** @type {number} */ peak, /** @type {number} */ i) => {
    const half = Math.max(0.5, (peak / 255) * (LOUD / 2));
    return `M${((i + 0.5) / peaks.length) * width} ${LOUD / 2 - half}v${2 * half}`;
  }).join(''), [peaks, width]);
  const height = LOUD + speakers.length * LANE;
  const seek = (/** @type {MouseEvent} */ event) => onSeek?.(((event.clientX - box.current.getBoundingClientRect().left) / width) * seconds);
  return html`
    <div class="lanes wave">
      <div class="lane-names">
        <div class="lane-chart-name">Loudness</div>
        ${speakers.map((name) => html`<div class="lane-name" key=${name} title=${name}><i class="hue${hueOf(name)}" aria-hidden="true"></i><span>${name}</span></div>`)}
      </div>
      <div class="lane-box" ref=${box} onClick=${seek} data-seeks=${!!onSeek || undefined}>
        <svg class="lane-bars" width=${width} height=${height + 22} role="img" aria-label="How loud it is and who speaks when; the words with their times are below">
          <path class="wave-loud" d=${path} stroke-width=${Math.max(1, (width / peaks.length) * 0.7)} />
          ${speakers.map((name, i) => html`
            <line key=${name} class="lane-line" x2=${width} y1=${LOUD + (i + 0.5) * LANE} y2=${LOUD + (i + 0.5) * LANE} />
            <g class="stay hue${hueOf(name)}">${segments.filter(({ speaker }) => (speaker ?? 'Unknown') === name).map(({ id, start, end }) => html`<rect key=${id} x=${x(start)} width=${Math.max(2, x(end) - x(start))} y=${LOUD + (i + 0.5) * LANE - 6} height="12" rx="3" />`)}</g>`)}
          ${heard >= 0 && html`<line class="lane-now" x1=${x(heard)} x2=${x(heard)} y2=${height} />`}
          ${ticks(0, seconds * 1000, width / 90).out.map((/** @type {number} */ at) => html`<text key=${at} class="lane-tick" x=${x(at / 1000)} y=${height + 15} text-anchor=${x(at / 1000) < 24 ? 'start' : x(at / 1000) > width - 24 ? 'end' : 'middle'}>${stopwatch(at)}</text>`)}
        </svg>
      </div>
    </div>
  `;
}
