// @ts-check
// The console's plain English for tasks, and how a task stands after an event.

/** @typedef {import('./types.js').Task} Task */
/** @typedef {import('./types.js').JournalEvent} JournalEvent */

/** The word for a state, the chip that it looks like, and what it means. @type {Record<string, [string, string, string]>} */
export const TASKS = {
  PENDING: ['waiting', 'reserved', 'It waits for a pod with a free slot.'],
  PROCESSING: ['running', 'processing', 'A pod has it in one of its slots.'],
  SUCCESS: ['done', 'done', 'It was done, or stopped while it ran.'],
  FAILED: ['failed', 'failed', 'It failed for good, or was stopped before it ran.'],
  TIMEOUT: ['timed out', 'failed', 'No pod took it in time.'],
};

/** @param {Task} task */
export const over = ({ state }) => state !== 'PENDING' && state !== 'PROCESSING';

/** Whether another one may be made instead of it. @param {Task} task */
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
export function taskSentence(type, data) {
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

/** The task after an event; the event knows all but when it was made. @param {Task|undefined} task @param {JournalEvent} event @returns {Task|undefined} */
export function nextTask(task, { type, at, data }) {
  if (!data?.state) return task;
  const { state, attempt, pod_id, worker_id, error, moved_at = at } = data;
  if (task && (attempt < task.attempt || (over(task) && state !== task.state))) return task;
  const base = task ?? { id: data.task_id, type: data.task_type, channel: data.channel, request_id: data.request_id, region: data.region ?? null, payload: {}, created_at: moved_at, pending_at: moved_at, processed_at: null, completed_at: null, lease_expiry: null };
  const when = state === 'PENDING' ? { pending_at: moved_at } : state !== 'PROCESSING' ? { completed_at: moved_at } : type === 'task.stopping' ? { stopping: true } : { processed_at: moved_at };
  return /** @type {Task} */ ({ ...base, ...when, state, attempt, pod_id: pod_id ?? null, worker_id: worker_id ?? null, error: error ?? '' });
}
