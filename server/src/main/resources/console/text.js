// @ts-check
// Texts of the console: for meetings, platforms, causes and events, for recordings, for tasks.

/** @typedef {import('./types.js').JournalEvent} JournalEvent */

/** @type {Record<string, string>} */
export const PLATFORMS = { daily: 'Daily', janus: 'Janus', google_meet: 'Google Meet', zoom: 'Zoom', teams: 'Teams' };

/** @type {Record<string, string>} */
export const ROOMS = { live: 'Live', quiet: 'Empty', opening: 'Opening', ended: 'Ended' };

/** What each status of a bot means, for hover and the bot card. @type {Record<string, string>} */
export const STATUSES = {
  reserved: 'A place is reserved; the launcher has not started the bot yet.',
  queued: 'No place is free; the bot starts when one is.',
  starting: 'The bot runs and is on its way into the room.',
  awaiting_admission: 'The bot is in the lobby and waits to be let in.',
  active: 'The bot is in the room.',
  stopping: 'The bot is leaving.',
  completed: 'The bot has left and ended cleanly.',
  failed: 'The bot ended without completing its work.',
};

/** The component that acts next in each status. @type {Record<string, string>} */
export const NEXT = {
  reserved: 'Next, the launcher starts the bot.',
  starting: 'Next, the bot is let into the room.',
  active: 'Next, the bot gives a sign of life.',
  stopping: 'Next, the bot leaves and exits.',
};

/** The sweeper's action after the deadline. @type {Record<string, string>} */
export const OTHERWISE = {
  reserved: 'Otherwise the reservation is given up.',
  starting: 'Otherwise the start counts as failed.',
  active: 'Otherwise the launcher is asked whether it still runs.',
  stopping: 'Otherwise it is ended by force.',
};

/** @type {Record<string, string>} */
export const POLLS = {
  idle: 'confirmed',
  needs_poll: 'a check is due',
  polling: 'checking now',
  needs_poll_while_polling: 'checking now, and once more',
};

/** @type {Record<string, string>} */
const BLAME = { user: 'by a user', host: 'by the host', platform: 'by the platform', us: 'on our side' };

/** "stopped_by_user" as "stopped by user". @param {unknown} name */
export const plain = (name) => String(name ?? '').replace(/[_.]/g, ' ').trim();

/** Why a bot ended. @param {import('./types.js').Outcome|undefined} outcome */
export function ending(outcome) {
  if (!outcome) return '';
  const parts = [plain(outcome.reason), BLAME[outcome.attribution ?? ''] ?? ''].filter(Boolean);
  if (Number.isInteger(outcome.exit_code) && outcome.exit_code !== 0) parts.push(`exit code ${outcome.exit_code}`);
  return parts.join(', ');
}

/** The name of a participant; some platforms give none. @param {{user_name?: string|null, user_id?: string|null, session_id?: string}} who */
export const personName = ({ user_name, user_id, session_id }) =>
  user_name || user_id || (session_id ? `Guest ${session_id.slice(0, 6)}` : 'Guest');

/** @type {Record<string, string>} */
const SOURCES = { webhook: 'webhook', poll: 'poll', timer: 'timer', bulk: 'bulk check', reconcile: 'reconciliation', bot: 'the bot' };

/** @param {unknown} source */
export const sourceName = (source) => SOURCES[String(source)] ?? plain(source);

/** @type {Record<string, string>} */
const MOVES = {
  starting: 'Bot starts',
  active: 'Bot is in the room',
  stopping: 'Bot is leaving',
  completed: 'Bot has left',
  failed: 'Bot failed',
};

/** @param {string} to @returns {'bad'|'good'|'state'} */
const toneOf = (to) => (to === 'failed' ? 'bad' : ['completed', 'active', 'done'].includes(to) ? 'good' : 'state');

/** @type {Record<string, [string, 'bad'|'good'|'state']>} */
const SYNCS = {
  in_progress: ['Syncing to the CRM', 'state'],
  success: ['Synced to the CRM', 'good'],
  failure: ['Sync to the CRM failed', 'bad'],
};

/** @type {Record<string, string>} */
const ACTIONS = { leave: 'leave', reconfigure: 'change how it works' };

/** "user:1" as "by user 1". @param {unknown} actor */
const actorName = (actor) => (actor ? `by ${String(actor).replace(':', ' ')}` : '');

/** In an event user_id is the owner of the meeting; the person is participant_id. @param {Record<string, any>|null} data */
export const personOf = (data) => personName({ ...data, user_id: data?.participant_id });

/**
 * One event as a sentence, with the tone its mark takes.
 * @param {JournalEvent} event
 * @returns {{text: string, tone: 'in'|'out'|'state'|'bad'|'good'|'note', note: string}}
 */
export function sentence({ type, data }) {
  const by = data?.source ? `seen by ${sourceName(data.source)}` : '';
  switch (type) {
    case 'participant.joined':
      return { text: `${personOf(data)} joined`, tone: 'in', note: by };
    case 'participant.left':
      return { text: `${personOf(data)} left`, tone: 'out', note: by };
    case 'presence.polled':
      return { text: 'Asked the platform who is there', tone: 'note', note: (data?.why ?? []).map(plain).join(', ') };
    case 'presence.poll_failed':
      return { text: 'The platform did not say who is there', tone: 'bad', note: plain(data?.cause) };
    case 'presence.poll_requested':
      return { text: 'News while the platform was being asked', tone: 'note', note: '' };
    case 'bot.command_sent':
      return { text: `Bot told to ${ACTIONS[data?.action] ?? plain(data?.action)}`, tone: 'state', note: data?.rule ? `because of ${plain(data.rule)}` : actorName(data?.actor) };
    case 'bot.command_acknowledged':
      if (data?.actor === 'delivery') return { text: `Delivered to the bot: ${ACTIONS[data?.action] ?? plain(data?.action)}`, tone: 'note', note: '' };
      return { text: `Bot confirms: ${ACTIONS[data?.action] ?? plain(data?.action)}`, tone: 'good', note: '' };
    case 'bot.awaiting_admission':
      return { text: 'Bot waits in the lobby', tone: 'state', note: '' };
    case 'bot.no_progress':
      return { text: 'Bot hears nothing any more', tone: 'bad', note: '' };
    case 'bot.kill_wanted':
      return { text: 'Bot is to be ended by force', tone: 'state', note: actorName(data?.actor) };
    case 'bot.rescheduled':
      if (data?.actor === 'queue') return { text: 'A place is free: the bot starts', tone: 'state', note: '' };
      return { text: 'Start of the bot moved', tone: 'state', note: [data?.to ? `to ${data.to}` : '', actorName(data?.actor)].filter(Boolean).join(', ') };
    case 'bot.log': {
      const lines = data?.lines ?? [];
      const last = lines.length > 0 ? `last words: ${lines[lines.length - 1]}` : '';
      return { text: 'What the bot printed last', tone: 'bad', note: [plain(data?.reason), last].filter(Boolean).join(', ') };
    }
    case 'meeting.status_changed': {
      const { to, from } = data ?? {};
      const cause = plain(data?.reason);
      const why = cause === plain(to) || cause === plain(data?.event) ? '' : cause;
      if (!from && data?.event === 'tracked') return { text: 'Followed from here on', tone: 'state', note: actorName(data?.actor) };
      if (!from && to === 'reserved') return { text: 'Bot reserved', tone: 'state', note: actorName(data?.actor) };
      // Of a room that was followed without a bot.
      if (data?.event === 'ended') return { text: 'The meeting ended', tone: 'good', note: '' };
      const moved = from ? `${plain(from)} → ${plain(to)}` : plain(to);
      return { text: MOVES[to] ?? moved, tone: toneOf(to), note: why };
    }
    case 'recording.status_changed': {
      const tone = toneOf(data?.to);
      return { text: `Recording ${plain(data?.to)}`, tone, note: tone === 'bad' ? plain(data?.reason) : '' };
    }
    case 'sync.status_changed': {
      const [text, tone] = SYNCS[data?.to] ?? ['Sync moved', 'state'];
      return { text, tone, note: [data?.last_step, data?.error_message].filter(Boolean).join(': ') };
    }
    case 'summary.status_changed':
      return { text: `Summary ${plain(data?.to)}`, tone: toneOf(data?.to), note: plain(data?.error) };
    case 'transcript.speaker_renamed':
      return { text: `${data?.from} is called ${data?.to} in the transcript`, tone: 'note', note: '' };
    case 'sync.dismissed':
      return { text: 'Sync let be', tone: 'note', note: plain(data?.by) };
    case 'sync.stalled':
      return { text: 'Sync makes no progress', tone: 'bad', note: data?.last_step ?? '' };
    default: {
      const told = taskSentence(type, data);
      if (told) return told;
      const state = data?.status ?? data?.state;
      const tone = /fail|timeout|dead/.test(`${type} ${state}`) ? 'bad' : 'note';
      const text = state ? `${plain(type.replace(/\.status_changed$/, ''))} ${plain(state)}` : plain(type);
      return { text, tone, note: plain(data?.reason ?? data?.error_message ?? data?.error) };
    }
  }
}

// Recordings, and the steps of the work on them.

/** @typedef {import('./types.js').Recording} Recording */
/** @typedef {import('./types.js').Step} Step */

/** @type {Record<string, string>} */
export const RECORDINGS = {
  in_progress: 'The platform still records, or makes the file.',
  ready: 'It can be fetched; the work on it is about to begin.',
  processing: 'It is being worked on.',
  done: 'All the work on it is done.',
  failed: 'A step failed and is not tried again by itself.',
  cancelled: 'The platform cancelled it.',
  empty: 'Nothing was recorded.',
  given_up: 'It was waited for too long.',
  unmatched: 'Its meeting is not known.',
};

/** @type {Record<string, {name: string, means: string}>} */
export const STEPS = {
  download: { name: 'Download', means: 'The sound, from the platform into our store.' },
  transcribe: { name: 'Transcribe', means: 'The sound becomes words.' },
  prepare: { name: 'Prepare', means: 'People and words become a note.' },
  transform: { name: 'Transform', means: 'The note is put into the CRM’s words.' },
  push: { name: 'Push', means: 'The CRM is told.' },
};

/** @param {Step} step */
export const stepName = ({ name }) => STEPS[name]?.name ?? plain(name);

/** The steps as one sentence for screen readers. @param {Step[]} steps */
export const pipelineWords = (steps) => steps.map((step) => `${stepName(step)} ${plain(step.state)}`).join(', ');

/** Whether a user may retry it from the failed step. @param {Recording} recording */
export const retriable = ({ status, meeting_id }) => meeting_id != null && (status === 'failed' || status === 'given_up');

/** Whether a user may repeat a step and the steps after it. @param {Recording} recording */
export const redoable = ({ status, meeting_id }) => meeting_id != null && (status === 'failed' || status === 'given_up' || status === 'done');

/** "1.4 MB". @param {number} bytes */
export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1000 ** power;
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${units[power - 1]}`;
}

// Tasks, and the state of one after an event.

/** @typedef {import('./types.js').Task} Task */

/** The name of a state, its chip, and its meaning. @type {Record<string, [string, string, string]>} */
export const TASKS = {
  PENDING: ['waiting', 'reserved', 'It waits for a pod with a free slot.'],
  PROCESSING: ['running', 'processing', 'A pod has it in one of its slots.'],
  SUCCESS: ['done', 'done', 'It was done, or stopped while it ran.'],
  FAILED: ['failed', 'failed', 'It failed for good, or was stopped before it ran.'],
  TIMEOUT: ['timed out', 'failed', 'No pod took it in time.'],
};

/** @param {Task} task */
export const over = ({ state }) => state !== 'PENDING' && state !== 'PROCESSING';

/** Whether it can be requeued. @param {Task} task */
export const requeueable = ({ state, error }) => state === 'TIMEOUT' || (state === 'FAILED' && error !== 'stopped');

/** "pod-7f3a, slot 2". @param {{pod_id?: string|null, worker_id?: number|null}} task */
export const place = ({ pod_id, worker_id }) => (pod_id ? `${pod_id}${worker_id == null ? '' : `, slot ${worker_id}`}` : '');

/** @type {Record<string, [string, 'bad'|'good'|'state'|'note']>} */
const SAID = {
  'task.pending': ['Task waits for a pod', 'state'],
  'task.processing': ['Task runs', 'state'],
  'task.stopping': ['Task is told to stop', 'state'],
  'task.success': ['Task is done', 'good'],
  'task.failed': ['Task failed', 'bad'],
  'task.timeout': ['No pod took the task in time', 'bad'],
  'task.requeued': ['Another task was made instead', 'good'],
  'task.discarded': ['Task was let go', 'note'],
};

/** @param {string} type @param {Record<string, any>|null} data @returns {any} */
function taskSentence(type, data) {
  const said = SAID[type];
  if (!said) return null;
  const [text, tone] = said;
  const attempt = data?.attempt > 1 && type !== 'task.pending' ? `attempt ${data?.attempt}` : '';
  const again = type === 'task.pending' && data?.attempt > 0 ? `again, after attempt ${data?.attempt}` : '';
  const where = type === 'task.processing' && data ? `on ${place(data)}` : '';
  return { text, tone, note: [again, where, attempt, data?.error, data?.requeued_as].filter(Boolean).join(', ') };
}

/** The task that an event is about, null when about none. @param {JournalEvent} event */
export const taskOf = ({ type, data }) => (type.startsWith('task.') ? (data?.task_id ?? null) : null);

/** The task after an event, which carries everything but its creation time. @param {Task|undefined} task @param {JournalEvent} event @returns {Task|undefined} */
export function nextTask(task, { type, at, data }) {
  if (!data?.state) return task;
  const { state, attempt, pod_id, worker_id, error, moved_at = at, pending_at = moved_at } = data;
  if (task && (attempt < task.attempt || (over(task) && state !== task.state))) return task;
  const base = task ?? { id: data.task_id, type: data.task_type, channel: data.channel, request_id: data.request_id, region: data.region ?? null, payload: {}, created_at: moved_at, pending_at: moved_at, processed_at: null, completed_at: null, lease_expiry: null };
  const when = state === 'PENDING' ? { pending_at } : state !== 'PROCESSING' ? { completed_at: moved_at } : type === 'task.stopping' ? { stopping: true } : { processed_at: moved_at };
  return /** @type {Task} */ ({ ...base, ...when, state, attempt, pod_id: pod_id ?? null, worker_id: worker_id ?? null, error: error ?? '' });
}
