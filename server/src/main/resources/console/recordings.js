// @ts-check
// Recordings that a page shows. Reloaded on their events, and polled every few seconds while one is in progress,
// because no event carries the progress of a step.
import { api } from './api.js';
import { Shown, readAll } from './query.js';

/** @typedef {import('./types.js').Recording} Recording */
/** @typedef {{items: Recording[], more: boolean}} Held */

const PAGE = 100;

/** Whether it is in progress. @param {Recording} recording */
export const moving = ({ status }) => status === 'ready' || status === 'processing';

/** @extends {Shown<Held>} */
export class Shelf extends Shown {
  /** @param {string} key what it shows, the same for the same @param {() => Promise<Held>} fetcher */
  constructor(key, fetcher) {
    super(`shelf:${key}`, fetcher, {
      hears: (events) => events.some(({ type }) => type === 'recording.status_changed'),
      moving: ({ items }) => items.some(moving),
    });
  }

  /** Replaces the recording with the response of a request. @param {Recording} changed */
  put(changed) {
    this.resource.patch((held) => ({
      ...held,
      items: held.items.map((each) => (each.recording_id === changed.recording_id ? changed : each)),
    }));
  }
}

/** As many as wanted, newest first. @param {string} status '' for all @param {number} most */
export const shelfOfAll = (status, most) => new Shelf(`all ${status} ${most}`, () => readAll((query) => api.recordings({ ...query, status }), most));

/** @param {number} meeting */
export const shelfOfMeeting = (meeting) => new Shelf(`meeting ${meeting}`, () => readAll((query) => api.recordingsOf(meeting, query), PAGE));

/** @param {string} id */
export const shelfOfOne = (id) => new Shelf(`one ${id}`, async () => ({ items: [await api.recording(id)], more: false }));
