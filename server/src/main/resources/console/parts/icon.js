// @ts-check
// The console's icons: sixteen units square, drawn with one stroke width, in the colour of the text around them.
import { html } from '../view.js';

/** @type {Record<string, string>} */
const PATHS = {
  alert: 'M8 5.5v3.2M8 11h.01M7.1 2.6 1.7 12a1 1 0 0 0 .9 1.5h10.8a1 1 0 0 0 .9-1.5L8.9 2.6a1 1 0 0 0-1.8 0Z',
  arrow: 'M3 8h9.5M9 4.5 12.5 8 9 11.5',
  auto: 'M8 2.5v11M8 2.5a5.5 5.5 0 0 1 0 11 5.5 5.5 0 0 1 0-11ZM8 5h4.2M8 8h5.4M8 11h4.2',
  back: 'M13 8H3.5M7 4.5 3.5 8 7 11.5',
  bot: 'M8 2.2v2.3M3.5 4.5h9a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1ZM6 8v1M10 8v1',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  down: 'm4 6 4 4 4-4',
  gauge: 'M2.5 12a5.8 5.8 0 1 1 11 0M8 10.5l2.6-4',
  grid: 'M3 3h4v4H3zM9 3h4v4H9zM3 9h4v4H3zM9 9h4v4H9z',
  clock: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11ZM8 5v3.2l2 1.3',
  close: 'm4 4 8 8M12 4l-8 8',
  key: 'M10 2.5a3.5 3.5 0 1 1-2.6 5.8L3 12.8v.7h2v-1.8h1.8V10l.9-.9M10.8 5.2h.01',
  keyboard: 'M2.5 4h11a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1ZM4 6.5h.01M6.6 6.5h.01M9.3 6.5h.01M12 6.5h.01M5 9.5h6',
  leave: 'M9.5 3H4a1 1 0 0 0-1 1v8a1 1 0 0 0 1 1h5.5M7 8h7M11.5 5.5 14 8l-2.5 2.5',
  light: 'M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6ZM8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9',
  dark: 'M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8Z',
  meetings: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h7',
  pen: 'M3 13l.6-2.8 7-7a1.2 1.2 0 0 1 1.7 0l.5.5a1.2 1.2 0 0 1 0 1.7l-7 7Z',
  people: 'M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6ZM1.8 13c.3-2.3 2-3.6 4.2-3.6s3.9 1.3 4.2 3.6M10.5 3.2a2.2 2.2 0 0 1 0 4.2M12 9.8c1.3.5 2.1 1.6 2.3 3.2',
  plus: 'M8 3v10M3 8h10',
  refresh: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.8h-2.8',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9ZM10.3 10.3 13.5 13.5',
  sliders: 'M2.5 5h6M11.5 5h2M8.5 5a1.5 1.5 0 1 0 3 0 1.5 1.5 0 0 0-3 0ZM2.5 11h2M7.5 11h6M4.5 11a1.5 1.5 0 1 0 3 0 1.5 1.5 0 0 0-3 0Z',
  stop: 'M5 4h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1Z',
  events: 'M2 8.5h2.5l2-5 3 9 2-4H14',
  flow: 'M2.5 3h4v3h-4ZM9.5 10h4v3h-4ZM4.5 6v5.5h5M6.5 4.5h5V10',
  hook: 'M5.6 7.2 8 3.2M10.4 7.2 8 3.2M5 12h6M3.4 10.4a2 2 0 1 0 .2 3M12.6 10.4a2 2 0 1 1-.2 3',
  tape: 'M5 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6ZM11 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6ZM5 10.8h6',
  unplugged: 'M2 2l12 12M5.2 9.5a4 4 0 0 1 2.3-1.3M3 7a7 7 0 0 1 2.6-1.6M13 7a7 7 0 0 0-5-2M8 12h.01',
};

/** @param {{name: string, size?: number}} props */
export const Icon = ({ name, size = 16 }) => html`
  <svg class="icon" width=${size} height=${size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d=${PATHS[name] ?? ''} />
  </svg>
`;

/** The mark of Convoke: people around a table, with a place left open. @param {{size?: number}} props */
export const Mark = ({ size = 22 }) => html`
  <svg class="mark" width=${size} height=${size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    ${SEATS.map(([x, y]) => html`<circle cx=${x} cy=${y} r="3.2" />`)}
  </svg>
`;

const SEATS = [
  [24.5, 7.5],
  [16, 4],
  [7.5, 7.5],
  [4, 16],
  [7.5, 24.5],
  [16, 28],
  [24.5, 24.5],
];
