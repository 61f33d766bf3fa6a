// @ts-check
// How many people were in the room over time, drawn by uPlot, which is fetched when the first chart is shown.
import { html, useEffect, useRef } from '../view.js';
import { countOverTime } from '../people.js';

const HEIGHT = 56;

/** @type {Promise<any>|undefined} */
let library;

function loadLibrary() {
  library ??= import('../vendor/uplot.js').then((module) => {
    const sheet = document.createElement('link');
    sheet.rel = 'stylesheet';
    sheet.href = '/vendor/uplot.css';
    document.head.append(sheet);
    return module.default;
  });
  return library;
}

/**
 * A colour as the canvas understands it: only real properties are resolved, a custom one stays light-dark(...).
 * @param {HTMLElement} element @param {string} name
 */
const token = (element, name) => getComputedStyle(element).getPropertyValue(name);

/** @param {any} uPlot @param {HTMLElement} element @param {number} width @param {{from: number, end: number}} range */
function options(uPlot, element, width, range) {
  return {
    width,
    height: HEIGHT,
    padding: [6, 0, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    axes: [{ show: false }, { show: false }],
    scales: {
      x: { time: false, range: () => [range.from / 1000, range.end / 1000] },
      y: { range: (/** @type {any} */ _, /** @type {number} */ __, /** @type {number} */ max) => [0, Math.max(2, max) * 1.05] },
    },
    series: [
      {},
      {
        paths: uPlot.paths.stepped({ align: 1 }),
        stroke: () => token(element, 'color'),
        fill: () => token(element, 'outline-color'),
        width: 1.5,
        points: { show: false },
      },
    ],
  };
}

/**
 * @param {object} props
 * @param {import('../types.js').Session[]} props.sessions
 * @param {number} props.from
 * @param {number} props.until where the line ends
 * @param {number} props.end where the axis ends
 * @param {number} props.width
 */
export function PeopleChart({ sessions, from, until, end, width }) {
  const box = useRef(/** @type {HTMLElement|null} */ (null));
  const chart = useRef(/** @type {any} */ (null));
  const range = useRef({ from, end });
  const wide = useRef(width);
  const data = useRef(/** @type {[number[], number[]]} */ ([[], []]));
  range.current.from = from;
  range.current.end = end;
  wide.current = width;
  data.current = countOverTime(sessions, until);

  useEffect(() => {
    let gone = false;
    void loadLibrary().then((uPlot) => {
      if (gone || !box.current) return;
      chart.current = new uPlot(options(uPlot, box.current, wide.current, range.current), data.current, box.current);
    });
    const redraw = () => chart.current?.redraw(false);
    const theme = new MutationObserver(() => requestAnimationFrame(redraw));
    theme.observe(document.documentElement, { attributes: true });
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', redraw);
    return () => {
      gone = true;
      theme.disconnect();
      system.removeEventListener('change', redraw);
      chart.current?.destroy();
      chart.current = null;
    };
  }, []);
  useEffect(() => chart.current?.setSize({ width, height: HEIGHT }), [width]);
  useEffect(() => chart.current?.setData(data.current), [sessions, from, until, end]);

  const peak = Math.max(0, ...data.current[1]);
  return html`<div class="people-chart" ref=${box} role="img" aria-label=${`At most ${peak} people at once`}></div>`;
}
