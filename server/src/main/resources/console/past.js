// @ts-check
// What Convoke knew of a meeting after one of its events, by the journal alone. Pure; parts/past.js shows it.
import { personOf } from './words.js';

/** @typedef {import('./types.js').JournalEvent} JournalEvent */

/**
 * @typedef {object} Known
 * @property {Map<string, string>} people names by session
 * @property {string} status of the meeting or its bot
 * @property {Map<string, string>} recordings states by id
 * @property {string} sync
 */

/** @param {JournalEvent[]} events of one meeting, in their order @param {number} count how many of them @returns {Known} */
export function knownAfter(events, count) {
  const known = { people: new Map(), status: '', recordings: new Map(), sync: '' };
  for (const { type, data } of events.slice(0, count)) {
    if (type === 'participant.joined') known.people.set(data?.session_id, personOf(data));
    else if (type === 'participant.left') known.people.delete(data?.session_id);
    else if (type === 'meeting.status_changed') known.status = String(data?.status ?? data?.to ?? '');
    else if (type === 'recording.status_changed') known.recordings.set(data?.recording_id, String(data?.to));
    else if (type === 'sync.status_changed') known.sync = String(data?.to);
  }
  return known;
}
