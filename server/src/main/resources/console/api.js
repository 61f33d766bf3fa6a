// @ts-check
// The public HTTP API as functions: one per request, with a time limit, and failures as Problem.
import { Problem, passes } from './problem.js';
import { carried, expelled, who } from './session.js';
import { setTime } from './time.js';

/** @typedef {import('./types.js').Meeting} Meeting */
/** @typedef {import('./types.js').Recording} Recording */
/** @typedef {Record<string, string|number|boolean|null|undefined>} Query */

const LIMIT_MS = 15_000;

/** @param {string} path @param {Query} [query] */
function url(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text ? `${path}?${text}` : path;
}

/** 128 random bits; crypto.randomUUID is missing where the page came over plain http. */
const idempotencyKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * @param {string} method
 * @param {string} path
 * @param {{query?: Query, body?: unknown, headers?: Record<string, string>}} [given]
 * @returns {Promise<any>}
 */
async function call(method, path, { query, body, headers = {} } = {}) {
  const asking = who.value;
  const init = {
    method,
    headers: {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...carried,
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    cache: /** @type {RequestCache} */ ('no-store'),
    signal: AbortSignal.timeout(LIMIT_MS),
  };
  const response = await fetch(url(path, query), init).catch((cause) => {
    throw Problem.unreachable(cause);
  });
  setTime(response);
  if (response.ok) return response.status === 204 ? null : response.json().catch(() => null);
  const problem = await Problem.from(response);
  if (problem.status === 401 && asking && asking === who.value) expelled();
  throw problem;
}

/** The creation that has no answer yet, and its key. */
let unanswered = { what: '', key: '' };

/** What is created from now on is another one, even if it is the same. */
export const forget = () => {
  unanswered = { what: '', key: '' };
};

/** Creates something; once only, however often a form sends it again for want of an answer. @param {string} path @param {unknown} body */
async function create(path, body) {
  const what = path + JSON.stringify(body);
  if (unanswered.what !== what) unanswered = { what, key: idempotencyKey() };
  const mine = unanswered;
  // Another form may have begun meanwhile.
  const answered = () => mine === unanswered && forget();
  try {
    const made = await call('POST', path, { body, headers: { 'Idempotency-Key': mine.key } });
    if (made === null) throw Problem.unreachable(null);
    answered();
    return made;
  } catch (/** @type {any} */ problem) {
    if (!passes(problem) && problem.code !== 'idempotency_in_flight') answered();
    throw problem;
  }
}

export const api = {
  /** @param {Record<string, string>} body @returns {Promise<import('./session.js').Who>} */
  signIn: (body) => call('POST', '/session', { body }),
  /** @returns {Promise<import('./session.js').Who>} */
  signedIn: () => call('GET', '/session'),
  signOut: () => call('DELETE', '/session'),
  /** @returns {Promise<{oidc: string|null}>} */
  methods: () => call('GET', '/session/methods'),

  /** @param {Query} query @returns {Promise<import('./types.js').Page<Meeting>>} */
  meetings: (query) => call('GET', '/meetings', { query }),
  /** @param {Query} query @returns {Promise<import('./types.js').Page<Meeting>>} */
  activeBots: (query) => call('GET', '/bots/active', { query }),
  /** @param {number} id @returns {Promise<Meeting>} */
  meeting: (id) => call('GET', `/meetings/${id}`),
  /** @param {number} id @returns {Promise<import('./types.js').Presence>} */
  participants: (id) => call('GET', `/meetings/${id}/participants`),
  /** @param {number} id @param {Query} query @returns {Promise<import('./types.js').Page<import('./types.js').JournalEvent>>} */
  timeline: (id, query) => call('GET', `/meetings/${id}/timeline`, { query }),
  /** @param {number} id @param {Query} query @returns {Promise<import('./types.js').Transcript>} */
  transcript: (id, query) => call('GET', `/transcripts/${id}`, { query }),
  /** @param {number} id @param {Query} query @returns {Promise<import('./types.js').Page<import('./types.js').Egress>>} */
  egressOf: (id, query) => call('GET', `/meetings/${id}/egress`, { query }),
  /** @param {number} id */
  summary: (id) => call('GET', `/meetings/${id}/summary`),
  /** @param {number} id */
  summarize: (id) => call('POST', `/meetings/${id}/summary`),
  /** @param {Query} query */
  search: (query) => call('GET', '/search', { query }),
  /** @param {number} meeting @param {number} segment @param {unknown} body */
  correctSegment: (meeting, segment, body) => call('PATCH', `/transcripts/${meeting}/segments/${segment}`, { body }),
  /** @param {number} meeting @param {{from: string, to: string}} body */
  renameSpeaker: (meeting, body) => call('PATCH', `/transcripts/${meeting}/speakers`, { body }),
  /** @param {number} meeting @param {Query} query */
  changes: (meeting, query) => call('GET', `/transcripts/${meeting}/changes`, { query }),
  /** @param {number} id @returns {Promise<import('./types.js').Bot>} */
  bot: (id) => call('GET', '/bots/status', { query: { meeting_id: id } }),

  /** @param {Query} query @returns {Promise<import('./types.js').Page<Recording>>} */
  recordings: (query) => call('GET', '/recordings', { query }),
  /** @param {number} meeting @param {Query} query @returns {Promise<import('./types.js').Page<Recording>>} */
  recordingsOf: (meeting, query) => call('GET', `/meetings/${meeting}/recordings`, { query }),
  /** @param {string} id @returns {Promise<Recording>} */
  recording: (id) => call('GET', `/recordings/${id}`),
  /** From the failed step, or from a given one. @param {string} id @param {string} [step] @returns {Promise<Recording>} */
  retryRecording: (id, step) => call('POST', `/recordings/${id}/retry`, { body: step ? { step } : {} }),
  /** @param {string} id @param {number} meeting_id @returns {Promise<Recording>} */
  matchRecording: (id, meeting_id) => call('POST', `/recordings/${id}/match`, { body: { meeting_id } }),
  /** @param {string} id @returns {Promise<{seconds: number, video: boolean, peaks: number[]}>} */
  waveform: (id) => call('GET', `/recordings/${id}/waveform`),
  /** @param {string} id */
  deleteRecording: (id) => call('DELETE', `/recordings/${id}`),

  /** @param {Query} query @returns {Promise<import('./types.js').Page<any>>} */
  syncProblems: (query) => call('GET', '/sync-status/problems', { query }),
  /** @param {string} id @param {'retry'|'dismiss'} act @param {unknown} [body] */
  actOnSync: (id, act, body) => call('POST', `/sync-status/${encodeURIComponent(id)}/${act}`, { body }),

  /** @returns {Promise<{authorize_url: string}>} */
  connectCrm: () => call('POST', '/crm/connection'),
  disconnectCrm: () => call('DELETE', '/crm/connection'),

  /** @param {Query} query */
  bots: (query) => call('GET', '/bots/status', { query }),
  regions: () => call('GET', '/regions'),
  pods: () => call('GET', '/pods'),
  /** @param {string} id @param {'drain'|'resume'} what */
  tellPod: (id, what) => call('POST', `/pods/${id}/${what}`),
  /** @param {Query} query @returns {Promise<import('./types.js').Page<import('./types.js').Task>>} */
  tasks: (query) => call('GET', '/tasks', { query }),
  /** @param {Query} query @returns {Promise<import('./types.js').Page<import('./types.js').Task>>} */
  deadTasks: (query) => call('GET', '/dead-letters/tasks', { query }),
  /** @param {'requeue'|'discard'} act @param {Record<string, unknown>} body @returns {Promise<{items: {id: string, outcome: string, task_id: string|null}[], more: boolean}>} */
  settleTasks: (act, body) => call('POST', `/dead-letters/tasks/${act}`, { body }),
  /** @param {string} id @returns {Promise<import('./types.js').Task>} */
  task: (id) => call('GET', `/tasks/${id}`),
  /** @param {string} id @param {Query} query @returns {Promise<import('./types.js').Page<import('./types.js').JournalEvent>>} */
  taskTimeline: (id, query) => call('GET', `/tasks/${id}/timeline`, { query }),
  /** @param {string} id @param {'stop'|'requeue'} act @returns {Promise<any>} */
  actOnTask: (id, act) => call('POST', `/tasks/${id}/${act}`, act === 'requeue' ? { body: {} } : {}),

  /** The health of each component; 503 when the server cannot serve. */
  health: () => call('GET', '/readyz', { query: { verbose: true } }),
  /** The numbers of the node that answers, in the Prometheus text format. */
  metrics: async () => {
    const response = await fetch('/metrics', { cache: 'no-store', signal: AbortSignal.timeout(LIMIT_MS) }).catch((cause) => {
      throw Problem.unreachable(cause);
    });
    if (!response.ok) throw await Problem.from(response);
    return response.text();
  },

  /** @param {Record<string, unknown>} body @returns {Promise<Meeting>} */
  startBot: (body) => create('/bots/start', body),
  /** @param {number} id @param {boolean} [kill] at once, by its launcher */
  stopBot: (id, kill = false) => call('POST', '/bots/stop', { body: { meeting_id: id, ...(kill ? { kill } : {}) } }),
  /** @param {number} id @param {Record<string, unknown>} changes */
  configureBot: (id, changes) => call('PUT', '/bots/config', { body: { meeting_id: id, ...changes } }),

  /** The state of the attached simulator; 404 without one. @returns {Promise<import('./simulator.js').Simulation>} */
  simulator: () => call('GET', '/simulator'),
  invariants: () => call('GET', '/simulator/invariants'),
  /** @param {Record<string, unknown>} faults */
  setFaults: (faults) => call('PATCH', '/simulator/faults', { body: faults }),
  clearFaults: () => call('DELETE', '/simulator/faults'),

  /** @param {Query} query */
  workflows: (query) => call('GET', '/workflows', { query }),
  /** @param {string} id */
  workflow: (id) => call('GET', `/workflows/${encodeURIComponent(id)}`),
  /** @param {string} id @param {string} what cancel, retry, events/NAME @param {unknown} [body] */
  tellWorkflow: (id, what, body = {}) => call('POST', `/workflows/${encodeURIComponent(id)}/${what}`, { body }),

  /** @param {Query} query @returns {Promise<import('./types.js').Page<import('./types.js').JournalEvent>>} */
  journal: (query) => call('GET', '/events', { query }),

  /** @param {Query} query */
  webhooks: (query) => call('GET', '/webhook-endpoints', { query }),
  /** @param {string} id */
  webhook: (id) => call('GET', `/webhook-endpoints/${id}`),
  /** @param {string} id @param {Query} query */
  deliveries: (id, query) => call('GET', `/webhook-endpoints/${id}/deliveries`, { query }),
  /** @param {unknown} body */
  createWebhook: (body) => create('/webhook-endpoints', body),
  /** @param {string} id @param {string} what test, resume, deliveries/ID/resend */
  tellWebhook: (id, what) => call('POST', `/webhook-endpoints/${id}/${what}`),
  /** @param {string} id */
  deleteWebhook: (id) => call('DELETE', `/webhook-endpoints/${id}`),

  /** @param {Query} query */
  users: (query) => call('GET', '/admin/users', { query }),
  /** @param {string} id */
  user: (id) => call('GET', `/admin/users/${id}`),
  /** @param {unknown} body */
  createUser: (body) => create('/admin/users', body),
  /** @param {string} id @param {unknown} body */
  changeUser: (id, body) => call('PATCH', `/admin/users/${id}`, { body }),
  /** @param {string} id @param {Query} query */
  tokens: (id, query) => call('GET', `/admin/users/${id}/tokens`, { query }),
  /** @param {string} id @param {unknown} body */
  createToken: (id, body) => create(`/admin/users/${id}/tokens`, body),
  /** @param {number} id */
  revokeToken: (id) => call('DELETE', `/admin/tokens/${id}`),

  /** The raw event stream; see stream.js. @param {Record<string, string>} headers @param {AbortSignal} signal */
  events: (headers, signal) => fetch('/events', { headers, cache: 'no-store', signal }),
};
