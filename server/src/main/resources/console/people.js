// @ts-check
// Sessions as lanes: participants over time, and how many at once. Pure; parts/lanes.js draws it.
import { personName } from './text.js';

/** @typedef {import('./types.js').Session} Session */
/** @typedef {import('./types.js').JournalEvent} JournalEvent */

/**
 * @typedef {object} Stay
 * @property {string} id
 * @property {number} from
 * @property {number|null} to null while the person is in the room
 */

/**
 * @typedef {object} Lane one person, whose sessions may be several: a rejoin, two devices
 * @property {string} key
 * @property {string} name
 * @property {number} hue 0 to 7
 * @property {boolean} present
 * @property {Stay[]} stays
 */

const HUES = 8;

/** The same person has the same colour everywhere. @param {string} key */
export function hueOf(key) {
  let hash = 7;
  for (let i = 0; i < key.length; i++) hash = (hash * 31 + key.charCodeAt(i)) >>> 0;
  return hash % HUES;
}

/** @param {Session} session */
const keyOf = ({ user_id, user_name, session_id }) => user_id || user_name || session_id;

/** The person's own hue, or the next that no participant of this room has. @param {string} key @param {Iterable<Lane>} lanes */
function freeHue(key, lanes) {
  const taken = new Set([...lanes].map(({ hue }) => hue));
  const own = hueOf(key);
  for (let i = 0; i < HUES; i++) if (!taken.has((own + i) % HUES)) return (own + i) % HUES;
  return own;
}

/** @param {Session[]} sessions @returns {Lane[]} in the order in which people first came */
export function lanesOf(sessions) {
  /** @type {Map<string, Lane>} */
  const lanes = new Map();
  const inOrder = [...sessions].sort((a, b) => Date.parse(a.joined_at) - Date.parse(b.joined_at));
  for (const session of inOrder) {
    const key = keyOf(session);
    const lane = lanes.get(key) ?? { key, name: personName(session), hue: freeHue(key, lanes.values()), present: false, stays: [] };
    const to = session.left_at ? Date.parse(session.left_at) : null;
    lane.stays.push({ id: session.session_id, from: Date.parse(session.joined_at), to });
    lane.present ||= to === null;
    lanes.set(key, lane);
  }
  return [...lanes.values()];
}

/**
 * @typedef {object} Speech
 * @property {number} from
 * @property {number} to
 * @property {number|null} level dBov
 */

/**
 * When each speaker spoke, by name; what is closer than the gap, in ms, is one, as loud as its loudest part.
 * @param {import('./types.js').Segment[]} segments @param {number} gap
 */
export function spokenBy(segments, gap) {
  /** @type {Map<string, Speech[]>} */
  const all = new Map();
  const times = segments.flatMap(({ speaker, said_at, start, end, level_db }) =>
    speaker && said_at ? [{ speaker, from: Date.parse(said_at), to: Date.parse(said_at) + (end - start) * 1000, level: level_db ?? null }] : []);
  for (const { speaker, from, to, level } of times.sort((a, b) => a.from - b.from)) {
    const spans = all.get(speaker) ?? [];
    const last = spans.at(-1);
    if (last && from - last.to < gap) {
      last.to = Math.max(last.to, to);
      if (level !== null) last.level = Math.max(last.level ?? level, level);
    } else spans.push({ from, to, level });
    all.set(speaker, spans);
  }
  return all;
}

/** The height of a bar of speech; a voice of -42 dB is quiet, one of -12 loud. @param {number|null} level */
export const barHeight = (level) => (level === null ? 6 : Math.round(Math.min(14, Math.max(4, level / 3 + 18))));

/** The lanes, and one for each speaker who has none. @param {Lane[]} lanes @param {Iterable<string>} speakers @returns {Lane[]} */
export function withSpeakers(lanes, speakers) {
  const all = [...lanes];
  for (const name of speakers) if (!all.some((lane) => lane.name === name)) all.push({ key: `said ${name}`, name, hue: freeHue(name, all), present: false, stays: [] });
  return all;
}

/**
 * How many sessions were open over time, as steps.
 * @param {Session[]} sessions
 * @param {number} until
 * @returns {[number[], number[]]} seconds and counts
 */
export function countOverTime(sessions, until) {
  /** @type {[number, number][]} */
  const changes = [];
  for (const { joined_at, left_at } of sessions) {
    changes.push([Date.parse(joined_at), 1]);
    if (left_at) changes.push([Date.parse(left_at), -1]);
  }
  changes.sort((a, b) => a[0] - b[0]);
  const at = [];
  const counts = [];
  let count = 0;
  for (const [time, change] of changes) {
    count += change;
    if (at.at(-1) === time / 1000) counts[counts.length - 1] = count;
    else {
      at.push(time / 1000);
      counts.push(count);
    }
  }
  if (at.length > 0 && until / 1000 > at[at.length - 1]) {
    at.push(until / 1000);
    counts.push(count);
  }
  return [at, counts];
}

/** @param {Session[]} sessions @param {number} at */
export const countAt = (sessions, at) =>
  sessions.filter(({ joined_at, left_at }) => Date.parse(joined_at) <= at && (!left_at || Date.parse(left_at) > at)).length;

/** The states of the bot over time, from the journal. @param {JournalEvent[]} events @param {number} until */
export function botSpans(events, until) {
  const changes = events
    .filter(({ type }) => type === 'meeting.status_changed')
    .map(({ at, data }) => ({ from: Date.parse(at), status: String(data?.to ?? '') }))
    .filter(({ status }) => status);
  return changes
    .map(({ from, status }, i) => ({ from, to: changes[i + 1]?.from ?? until, status }))
    .filter(({ status }) => status !== 'completed' && status !== 'failed');
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];

/** Round times between two, about as many as fit. @param {number} from @param {number} to @param {number} most */
export function ticks(from, to, most) {
  const least = (to - from) / 1000 / Math.max(1, most);
  const step = (STEPS.find((each) => each >= least) ?? 86_400) * 1000;
  const zone = new Date(from).getTimezoneOffset() * 60_000;
  const out = [];
  for (let at = Math.ceil((from - zone) / step) * step + zone; at <= to; at += step) out.push(at);
  return { out, step };
}
