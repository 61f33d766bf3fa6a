// @ts-check
// Recordings that a page shows. Reloaded on their events, and polled every few seconds while one is in progress,
// because no event carries the progress of a step.
import { api } from './api.js';
import { PagedList } from './query.js';

/** @typedef {import('./types.js').Recording} Recording */

/** Whether it is in progress. @param {Recording} recording */
export const moving = ({ status }) => status === 'ready' || status === 'processing';

/** @extends {PagedList<Recording>} */
export class Shelf extends PagedList {
  /** @param {string} key what it shows, the same for the same @param {(query: any) => Promise<any>} fetch */
  constructor(key, fetch) {
    super(`shelf:${key}`, fetch, {
      hears: (/** @type {any[]} */ events) => events.some(({ type }) => type === 'recording.status_changed'),
      moving: (/** @type {any} */ { items }) => items.some(moving),
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

/** The newest. @param {string} status '' for all */
export const shelfOfAll = (status) => new Shelf(`all ${status}`, (query) => api.recordings({ ...query, status }));

/** @param {number} meeting */
export const shelfOfMeeting = (meeting) => new Shelf(`meeting ${meeting}`, (query) => api.recordingsOf(meeting, query));

/** @param {string} id */
export const shelfOfOne = (id) => new Shelf(`one ${id}`, async () => ({ items: [await api.recording(id)] }));
