// @ts-check
// Times and durations as words. Times are shown in the user's zone; the exact UTC is kept beside it by parts/time.js.

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const EXACT = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const LONG_DAY = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });

/** How far the server's clock is ahead of this machine's, in milliseconds. */
let ahead = 0;

/** The time by the server's clock, which all times in its answers are of. */
export const time = () => Date.now() + ahead;

/**
 * Sets it by an answer: by the latest time that one told, as `Date` has no fractions and answers take their way, unless
 * that is more than three seconds off by now. One without the header changes nothing.
 *
 * @param {Response} answer
 */
export const setTime = ({ headers }) => {
  const off = Date.parse(headers.get('Date') ?? '') - Date.now();
  if (off > ahead || off < ahead - 3000) ahead = off;
};

/** Milliseconds since the epoch, or NaN. @param {string|null|undefined} at */
export const millis = (at) => (at ? Date.parse(at) : NaN);

/** @param {number} at @param {number} now */
export const sameDay = (at, now) => new Date(at).toDateString() === new Date(now).toDateString();

/** "10:42", with the day in front when it is not today. @param {number} at @param {number} [now] */
export function clock(at, now = Date.now()) {
  return sameDay(at, now) ? CLOCK.format(at) : `${DAY.format(at)}, ${CLOCK.format(at)}`;
}

/** "10:42:07". @param {number} at */
export const exact = (at) => EXACT.format(at);

/** The same, with the day in front when it is not today. @param {number} at */
export const dated = (at) => (sameDay(at, Date.now()) ? exact(at) : `${DAY.format(at)}, ${exact(at)}`);

/** "Today", "Yesterday" or "Monday, 5 October". @param {number} at @param {number} [now] */
export function day(at, now = Date.now()) {
  if (sameDay(at, now)) return 'Today';
  if (sameDay(at, now - 86_400_000)) return 'Yesterday';
  return LONG_DAY.format(at);
}

/** "2026-10-05 08:42:07.123 UTC". @param {number} at */
export const utc = (at) => `${new Date(at).toISOString().replace('T', ' ').replace('Z', '')} UTC`;

const two = (/** @type {number} */ n) => String(n).padStart(2, '0');

/** A running clock: "4:07", "1:04:07". @param {number} ms */
export function stopwatch(ms) {
  const s = Math.max(0, Math.floor(ms / 1000));
  const hours = Math.floor(s / 3600);
  const minutes = Math.floor((s % 3600) / 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(s % 60)}` : `${minutes}:${two(s % 60)}`;
}

/** A length in words: "12 s", "4 min", "1 h 04 min", "3 d". @param {number} ms */
export function span(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ${two(Math.floor((s % 3600) / 60))} min`;
  return `${Math.floor(s / 86_400)} d`;
}

/** "just now", "4 min ago", "in 12 s". @param {number} at @param {number} now */
export function relative(at, now) {
  const ms = now - at;
  if (Math.abs(ms) < 2000) return 'just now';
  return ms > 0 ? `${span(ms)} ago` : `in ${span(-ms)}`;
}
