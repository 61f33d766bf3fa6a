// @ts-check
// The console's data and its updates: rows are fetched, events are applied to them, and all shown data is refetched
// after a disconnect.
import { announce } from './announce.js';
import { api } from './api.js';
import { SAID, meetingOf, nextPresence, nextRow } from './apply.js';
import { Cell, Table } from './cell.js';
import { MeetingList } from './list.js';
import { asProblem, passes } from './problem.js';
import { Refresher } from './refresh.js';
import { Room } from './meeting.js';
import { expelled } from './session.js';
import { terminal, title, tracked } from './status.js';
import { EventStream } from './stream.js';
import { tell } from './sync-status.js';
import { sentence } from './text.js';

/** @typedef {import('./types.js').JournalEvent} JournalEvent */
/** @typedef {import('./types.js').Meeting} Meeting */
/**
 * A loader of shown data, see query.js.
 * @typedef {object} Shelf
 * @property {string} key
 * @property {import('./cell.js').Cell<import('./cell.js').Fetched<any>>} cell
 * @property {boolean} moving
 * @property {() => Promise<void>} load
 * @property {(events: JournalEvent[]) => boolean} hears whether these events make it old
 */

/** A page loads once the stream is connected, so that no event is missed; it waits at most this long. */
const PATIENCE_MS = 700;

/** @type {Table<Meeting>} */
export const meetings = new Table((id) => refetchRow(id));
/** Requested stops that have not taken effect yet: meeting id -> time. @type {Cell<ReadonlyMap<number, number>>} */
export const asked = new Cell(/** @type {ReadonlyMap<number, number>} */ (new Map()));

/** Interval of polls of an open room for changes without events, and the maximum age of its parts. */
const LOOK_MS = 3000;
const OLD_MS = 10_000;

/** @type {Room|null} */
let room = null;
/** @type {MeetingList|null} */
let list = null;
/** The live rooms at the side of a page that shows no list of its own. @type {MeetingList|null} */
let side = null;
/** What else is shown. @type {Set<Shelf>} */
const shelves = new Set();
/** Rows whose changes could not be fetched. @type {Set<number>} */
const missed = new Set();
/** Data was loaded before the stream was connected: events may have been missed. */
let early = false;

const refresher = new Refresher(revalidate);

export const stream = new EventStream({
  open: api.events,
  onEvents: applyAll,
  onLive: (again) => {
    if (again || early) void revalidate();
    early = false;
  },
  onRefused: expelled,
});

/** Resolves once the stream is connected, or after a timeout. */
function settled() {
  return new Promise((resolve) => {
    const { phase } = stream.link.value;
    if (phase === 'live') return resolve(undefined);
    const done = () => {
      clearTimeout(timer);
      unwatch();
      early ||= stream.link.value.phase !== 'live';
      resolve(undefined);
    };
    const timer = setTimeout(done, phase === 'connecting' ? PATIENCE_MS : 0);
    const unwatch = stream.link.watch(() => stream.link.value.phase !== 'connecting' && done());
  });
}

/** Clears all data; for signing out. */
export function reset() {
  stream.stop();
  refresher.clear();
  meetings.clear();
  asked.set(new Map());
  room = null;
  list = null;
  side = null;
  shelves.clear();
  missed.clear();
}

/** Adds a loader of shown data. @template {Shelf} S @param {S} shelf @returns {S} */
export function openShelf(shelf) {
  shelves.add(shelf);
  void settled().then(() => {
    if (!shelves.has(shelf)) return;
    void shelf.load();
    if (!room) void loadSide();
  });
  return shelf;
}

/** @param {Shelf} shelf */
export const closeShelf = (shelf) => shelves.delete(shelf);

/** @param {Shelf} shelf */
const refetchShelf = (shelf) => refresher.touch(shelf.key, async () => shelves.has(shelf) && (await shelf.load()));

/** Opens a list; it loads by itself. @param {import('./list.js').Filter} filter */
export function openList(filter) {
  const opened = new MeetingList(filter, meetings);
  list = opened;
  void settled().then(() => opened === list && opened.reload());
  return opened;
}

/** Opens one meeting; it loads by itself. @param {number} id */
export function openRoom(id) {
  const opened = new Room(id, meetings);
  room = opened;
  void settled().then(() => {
    if (opened !== room) return;
    void loadRoom(opened);
    void loadSide();
  });
  return opened;
}

async function loadSide() {
  if (list) return;
  side ??= new MeetingList({ show: 'live', platform: '', user: '' }, meetings);
  await side.reload();
}

/** @param {Room} opened */
async function loadRoom(opened) {
  const held = meetings.get(opened.id);
  if (held) {
    await Promise.all([opened.row.load(), opened.loadParts(tracked(held))]);
    return;
  }
  await opened.row.load();
  if (opened.row.value) await opened.loadParts(tracked(opened.row.value));
}

/** Fetches again all that is shown. */
export function revalidate() {
  missed.clear();
  return Promise.all([room && loadRoom(room), loadSide(), list?.reload(), ...[...shelves].map((shelf) => shelf.load())]);
}

/** @param {Room|MeetingList} closed */
export function close(closed) {
  if (room === closed) room = null;
  if (list === closed) list = null;
}

/** @param {JournalEvent[]} events */
function applyAll(events) {
  const here = [];
  for (const event of events) {
    if (event.type === 'sync.status_changed') tell(event.data);
    const id = meetingOf(event);
    if (id === null) continue;
    applyToRow(id, event);
    if (id === room?.id) here.push(event);
  }
  if (room && here.length > 0) applyToRoom(room, here);
  for (const shelf of shelves) if (shelf.hears(events)) refetchShelf(shelf);
}

/** @param {number} id */
const refetchRow = (id) =>
  refresher.touch(`row:${id}`, async () => {
    const clock = meetings.clock;
    missed.delete(id);
    try {
      meetings.take(await api.meeting(id), clock);
    } catch (thrown) {
      if (passes(asProblem(thrown))) missed.add(id);
    }
  });

/** @param {number} id @param {JournalEvent} event */
function applyToRow(id, event) {
  const row = meetings.get(id);
  const next = row && nextRow(row, event);
  if (!row || !next) {
    const unseen = !row && event.type !== 'meeting.status_changed' && (list ?? side)?.filter.show !== 'live';
    if (!unseen) refetchRow(id);
    return;
  }
  if (next === row) return;
  meetings.apply(next);
  if (next.status !== row.status) settle(id, next.status);
}

/** A stop that was asked for is answered by the state it leads to. @param {number} id @param {string} status */
function settle(id, status) {
  if (status !== 'stopping' && !terminal(status)) return;
  if (!asked.value.has(id)) return;
  const left = new Map(asked.value);
  left.delete(id);
  asked.set(left);
}

/** @param {Room} open @param {JournalEvent[]} events */
function applyToRoom(open, events) {
  // Events about other subjects and transcript segments are not on the meeting's timeline.
  const happened = events.filter(({ type }) => type !== SAID);
  open.append(happened.filter(({ subject }) => subject === `meeting:${open.id}`));
  for (const event of happened) {
    const kind = event.type.split('.')[0];
    if (kind === 'participant') applyPresence(open, event);
    if (kind === 'meeting' || kind === 'bot') {
      refresher.touch(`row:${open.id}`, () => open.row.load());
      const row = meetings.get(open.id);
      if (row && !tracked(row)) refresher.touch(`bot:${open.id}`, () => open.bot.load());
    }
  }
  const row = meetings.get(open.id);
  const last = happened.at(-1);
  if (row && last) announce(`${title(row)}: ${sentence(last).text}`);
}

/** @param {Room} open @param {JournalEvent} event */
function applyPresence(open, event) {
  const held = open.presence.value;
  const next = held && nextPresence(held, event);
  if (!next) {
    refresher.touch(`presence:${open.id}`, () => open.presence.load());
    return;
  }
  if (next === held) return;
  open.presence.patch(() => next);
  const row = meetings.get(open.id);
  if (row && row.num_clients !== next.num_clients) meetings.put({ ...row, num_clients: next.num_clients });
  // A refetch follows: only the server knows as_of, source and poll_state.
  refresher.touch(`presence:${open.id}`, () => open.presence.load());
}

/**
 * Heartbeats and polls without changes are no events, so an open live room is polled. Neither is a step's progress, and an unmatched recording has no owner to send events to, so shown recordings are polled too. What could not be read is read again.
 */
function freshen() {
  if (document.hidden || stream.link.value.phase !== 'live') return;
  for (const shelf of shelves) if (shelf.moving || Date.now() - shelf.cell.value.at > OLD_MS) refetchShelf(shelf);
  for (const id of missed) refetchRow(id);
  const listed = list ?? side;
  if (listed && !listed.state.value.busy && passes(listed.state.value.problem)) refresher.touch('list', () => listed.reload());
  const open = room;
  if (!open) return;
  const { timeline, presence, bot, id } = open;
  if (passes(open.row.cell.value.problem)) refresher.touch(`room:${id}`, () => loadRoom(open));
  else for (const [name, part] of Object.entries({ timeline, presence, bot })) if (passes(part.cell.value.problem)) refresher.touch(`${name}:${id}`, () => part.load());
  const row = meetings.get(id);
  if (!row || terminal(row.status)) return;
  const age = (/** @type {import('./cell.js').Resource<any>} */ part) => Date.now() - part.cell.value.at;
  const settled = !presence.value || presence.value.poll_state === 'idle';
  if (age(presence) > (settled ? OLD_MS : LOOK_MS)) refresher.touch(`presence:${id}`, () => presence.load());
  if (!tracked(row) && age(bot) > OLD_MS) refresher.touch(`bot:${id}`, () => bot.load());
}
setInterval(freshen, LOOK_MS);

/** Requests the bot's stop; the state changes with its event. @param {number} id */
export async function stopBot(id) {
  await api.stopBot(id);
  const row = meetings.get(id);
  if (row && !terminal(row.status)) asked.set(new Map(asked.value).set(id, Date.now()));
  if (room?.id === id) refresher.touch(`bot:${id}`, () => /** @type {Room} */ (room).bot.load());
}

/** @param {Record<string, unknown>} body */
export async function startBot(body) {
  const row = await api.startBot(body);
  meetings.put(row);
  return row;
}
