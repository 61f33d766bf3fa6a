// @ts-check
// Small charts, drawn by uPlot, which is fetched when the first one is shown.
import { html, useEffect, useMemo, useRef } from '../view.js';
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

/**
 * @typedef {object} Shape
 * @property {number} width
 * @property {number} height
 * @property {[number, number]} range of the horizontal axis
 * @property {number} least what the vertical axis reaches at least
 * @property {boolean} stepped
 */

/** @param {any} uPlot @param {HTMLElement} element @param {{current: Shape}} shape */
function options(uPlot, element, shape) {
  const { current } = shape;
  return {
    width: current.width,
    height: current.height,
    padding: [6, 0, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    axes: [{ show: false }, { show: false }],
    scales: {
      x: { time: false, range: () => shape.current.range },
      y: { range: (/** @type {any} */ _, /** @type {number} */ __, /** @type {number} */ max) => [0, Math.max(shape.current.least, max) * 1.05] },
    },
    series: [
      {},
      {
        ...(current.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
        stroke: () => token(element, 'color'),
        fill: () => token(element, 'outline-color'),
        width: 1.5,
        points: { show: false },
      },
    ],
  };
}

/**
 * One line, without axes: its words stand beside it.
 * @param {object} props
 * @param {[number[], (number|null)[]]} props.data
 * @param {string} props.label
 * @param {Shape} props.shape
 */
export function Line({ data, label, shape }) {
  const box = useRef(/** @type {HTMLElement|null} */ (null));
  const chart = useRef(/** @type {any} */ (null));
  const latest = useRef({ data, shape });
  const form = useRef(shape);
  latest.current = { data, shape };
  form.current = shape;

  useEffect(() => {
    let gone = false;
    void loadLibrary().then((uPlot) => {
      if (gone || !box.current) return;
      chart.current = new uPlot(options(uPlot, box.current, form), latest.current.data, box.current);
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
  useEffect(() => chart.current?.setSize({ width: shape.width, height: shape.height }), [shape.width]);
  useEffect(() => chart.current?.setData(data), [data, ...shape.range]);
  return html`<div class="people-chart" ref=${box} role="img" aria-label=${label}></div>`;
}

/**
 * How many people were in the room over time.
 * @param {object} props
 * @param {import('../types.js').Session[]} props.sessions
 * @param {number} props.from
 * @param {number} props.until where the line ends
 * @param {number} props.end where the axis ends
 * @param {number} props.width
 */
export function PeopleChart({ sessions, from, until, end, width }) {
  const data = useMemo(() => countOverTime(sessions, until), [sessions, until]);
  return html`<${Line} data=${data} label=${`At most ${Math.max(0, ...data[1])} people at once`}
    shape=${{ width, height: HEIGHT, range: [from / 1000, end / 1000], least: 2, stepped: true }} />`;
}
