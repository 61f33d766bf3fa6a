// @ts-check
// The fleet of bots as the console holds it, and one bot with what it was told and what came of it.
import { api } from './api.js';
import { meetingOf } from './apply.js';
import { Shown, readAll } from './shown.js';
import { terminal } from './status.js';
import { meetings } from './store.js';
import { millis } from './time.js';

/** @typedef {import('./types.js').Bot} Bot */
/** @typedef {import('./types.js').JournalEvent} JournalEvent */

const MOST = 2000;

/** @param {JournalEvent} event */
const ofBots = ({ type }) => /^(bot|meeting)\./.test(type);

/** All bots that live; their meetings' rows go where all rows are. */
export const fleet = () =>
  new Shown(
    'fleet',
    async () => {
      const [bots, rows] = await Promise.all([
        readAll((query) => api.bots({ ...query, live: true }), MOST),
        readAll((query) => api.activeBots(query), MOST),
      ]);
      rows.items.forEach((row) => meetings.put(row));
      return bots;
    },
    { hears: (events) => events.some(ofBots), moving: ({ items }) => items.length > 0 },
  );

/** Its deadline has passed and nobody moved it. @param {Bot} bot @param {number} now */
export const late = ({ deadline }, now) => millis(deadline) < now;

/** It was told something and has not said that it heard. @param {Bot} bot */
export const unheard = ({ pending_commands }) => pending_commands.length > 0;

/** One bot and everything that is on its meeting's timeline about it. @param {number} id */
export const oneBot = (id) =>
  new Shown(
    `bot ${id}`,
    async () => {
      const [bot, row, { items }] = await Promise.all([api.bot(id), api.meeting(id), readAll((query) => api.timeline(id, query), 2000)]);
      meetings.put(row);
      const events = items.filter(ofBots).sort((/** @type {any} */ a, /** @type {any} */ b) => a.seq - b.seq);
      return { bot, events, commands: commands(events), words: events.filter((/** @type {any} */ { type }) => type === 'bot.log') };
    },
    { hears: (events) => events.some((event) => ofBots(event) && meetingOf(event) === id), moving: ({ bot }) => !terminal(bot.status) },
  );

/** @typedef {{id: string, action: string, actor: string, sent: string, heard: string|null, delivered: boolean}} Command */

/** What it was told, newest first, each with when it said that it heard. @param {JournalEvent[]} events @returns {Command[]} */
function commands(events) {
  /** @type {Map<string, Command>} */
  const told = new Map();
  for (const { type, at, data } of events) {
    if (type === 'bot.command_sent') told.set(data?.command_id, { id: data?.command_id, action: data?.action, actor: data?.actor ?? '', sent: at, heard: null, delivered: false });
    const held = told.get(data?.command_id);
    if (held && type === 'bot.command_acknowledged') told.set(held.id, { ...held, heard: at, delivered: data?.actor === 'delivery' });
  }
  return [...told.values()].reverse();
}
