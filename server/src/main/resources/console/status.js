// @ts-check
// Pure functions of a meeting's row.

/** @typedef {import('./types.js').Meeting} Meeting */

/** @param {string} status */
export const terminal = (status) => status === 'completed' || status === 'failed';

/** Whether the row only follows a room, without a bot. @param {Meeting} meeting */
export const tracked = (meeting) => meeting.tracked;

/**
 * The room without regard to the bot: `live` with participants, `quiet` open but empty,
 * `opening` a bot is on its way and the room is empty, `ended`.
 * @param {Meeting} meeting
 * @returns {'live'|'quiet'|'opening'|'ended'}
 */
export function roomState({ status, num_clients }) {
  if (terminal(status)) return 'ended';
  if (num_clients > 0) return 'live';
  return status === 'reserved' || status === 'starting' ? 'opening' : 'quiet';
}

/** The name to show. @param {Meeting} meeting */
export const title = ({ data, platform_specific_id, id }) =>
  data?.title || platform_specific_id || `Meeting ${id}`;

/** The text that a search matches. @param {Meeting} meeting */
export const haystack = (meeting) =>
  `${meeting.id} ${title(meeting)} ${meeting.platform_specific_id} ${meeting.platform} ${meeting.status} ${meeting.data?.bot_name ?? ''}`.toLowerCase();

/** @param {Meeting} meeting @param {number} now milliseconds since it began; NaN when it did not */
export function lasted(meeting, now) {
  const begin = Date.parse(meeting.start_time ?? '');
  if (!Number.isNaN(begin)) return (meeting.end_time ? Date.parse(meeting.end_time) : now) - begin;
  if (!tracked(meeting)) return NaN;
  return (meeting.end_time ? Date.parse(meeting.end_time) : now) - Date.parse(meeting.created_at);
}
