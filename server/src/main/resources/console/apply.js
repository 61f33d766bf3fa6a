// @ts-check
// Applies events to loaded objects. If the event's data suffices, the object changes at once; otherwise it is
// fetched again. An event older than the object changes nothing.
import { terminal } from './status.js';

/** @typedef {import('./types.js').JournalEvent} JournalEvent */
/** @typedef {import('./types.js').Meeting} Meeting */
/** @typedef {import('./types.js').Presence} Presence */
/** @typedef {import('./types.js').Session} Session */

const STATUSES = ['reserved', 'starting', 'active', 'stopping', 'completed', 'failed'];

/** The type of the events that carry a transcript's segments. */
export const SAID = 'transcript.segments';

/** The meeting an event is about, null when about none. @param {JournalEvent} event */
export function meetingOf({ subject, data }) {
  const named = /^meeting:(\d+)$/.exec(subject ?? '')?.[1] ?? data?.meeting_id;
  const id = Number(named);
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}

/** @param {JournalEvent} event */
const statusOf = ({ data }) => (STATUSES.includes(data?.to) ? data.to : null);

/**
 * The row after the event; null when it must be fetched.
 * @param {Meeting} row
 * @param {JournalEvent} event
 * @returns {Meeting|null}
 */
export function nextRow(row, event) {
  const older = Date.parse(event.at) < Date.parse(row.updated_at);
  switch (event.type) {
    case 'meeting.status_changed': {
      const status = statusOf(event);
      if (row.status === status) return row;
      if (!status || older) return null;
      const ended = terminal(status) ? { end_time: event.at } : {};
      const began = status === 'starting' && !row.start_time ? { start_time: event.at } : {};
      return { ...row, status, substatus: null, ...began, ...ended, updated_at: event.at };
    }
    case 'bot.awaiting_admission':
      return row.status === 'starting' ? { ...row, substatus: 'awaiting_admission' } : row;
    case 'bot.rescheduled':
      return event.data?.actor === 'queue' ? { ...row, substatus: null } : row;
    case 'participant.joined':
    case 'participant.left': {
      const count = event.data?.num_clients;
      if (!Number.isInteger(count)) return null;
      return row.num_clients === count ? row : { ...row, num_clients: count };
    }
    default:
      return row;
  }
}

/**
 * The participants after the event; null when they must be fetched.
 * @param {Presence} presence
 * @param {JournalEvent} event
 * @returns {Presence|null}
 */
export function nextPresence(presence, { type, at, data }) {
  if (type !== 'participant.joined' && type !== 'participant.left') return presence;
  const id = data?.session_id;
  if (!id) return null;
  const held = presence.items.find(({ session_id }) => session_id === id);
  const joined = type === 'participant.joined';
  if (!joined && !held) return null;
  if (held && (joined || held.left_at)) return presence;
  const items = held
    ? presence.items.map((each) => (each === held ? { ...each, left_at: data?.left_at ?? at } : each))
    : [...presence.items, sessionOf(id, at, data)];
  const open = items.filter(({ left_at }) => !left_at).length;
  const as_of = presence.as_of && presence.as_of > at ? presence.as_of : at;
  return { ...presence, items, num_clients: open, as_of, source: data?.source ?? presence.source };
}

/** @param {string} session_id @param {string} at @param {Record<string, any>|null} data @returns {Session} */
const sessionOf = (session_id, at, data) => ({
  session_id,
  // In an event user_id is the owner of the meeting; the person is participant_id.
  user_id: data?.participant_id ?? null,
  user_name: data?.user_name ?? null,
  joined_at: data?.joined_at ?? at,
  left_at: null,
});
