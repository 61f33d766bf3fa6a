// @ts-check
// The pages of the console. A new page is a new line here: it gets its link, its shortcut and its command.
import { useEffect } from './view.js';
import { Bots } from './pages/bots.js';
import { OneBot } from './pages/bot.js';
import { Dispatch } from './pages/dispatch.js';
import { Events } from './pages/events.js';
import { Meeting } from './pages/meeting.js';
import { Meetings } from './pages/meetings.js';
import { OneRecording } from './pages/recording.js';
import { Overview } from './pages/overview.js';
import { Recordings } from './pages/recordings.js';
import { Search } from './pages/search.js';
import { Simulator } from './pages/simulator.js';
import { Syncs } from './pages/syncs.js';
import { OneTask } from './pages/task.js';
import { OneUser, Users } from './pages/users.js';
import { OneWebhook, Webhooks } from './pages/webhooks.js';
import { OneWorkflow, Workflows } from './pages/workflows.js';
import { go } from './router.js';
import { who } from './session.js';
import { attached } from './simulator.js';

/**
 * @typedef {object} Page
 * @property {string} path the place in the navigation; empty name: reached from elsewhere
 * @property {RegExp} match
 * @property {string} name
 * @property {string} icon
 * @property {string} keys
 * @property {string} [group] the heading under which the navigation has it
 * @property {boolean} [admin] for the operator alone
 * @property {boolean} [lab] only where a simulator is attached
 * @property {(props: any) => any} view gets the groups of `match` as `params`
 */

const operates = () => who.value?.role === 'admin';

/** The beginning: the overview for operators, the meetings for users. */
function Home() {
  useEffect(() => go(operates() ? '/overview' : '/meetings', { replace: true }), []);
  return null;
}

/** In the order of the navigation; a group is named by each of its pages. @type {Page[]} */
export const PAGES = [
  { path: '/', match: /^\/$/, name: '', icon: '', keys: '', view: Home },
  { path: '/overview', match: /^\/overview$/, name: 'Overview', group: 'Meetings', icon: 'gauge', keys: 'g o', admin: true, view: Overview },
  { path: '/meetings', match: /^\/meetings$/, name: 'Meetings', group: 'Meetings', icon: 'meetings', keys: 'g m', view: Meetings },
  { path: '/meetings/', match: /^\/meetings\/(\d{1,15})$/, name: '', icon: '', keys: '', view: Meeting },
  { path: '/bots', match: /^\/bots$/, name: 'Bots', group: 'Meetings', icon: 'bot', keys: 'g b', view: Bots },
  { path: '/bots/', match: /^\/bots\/(\d{1,15})$/, name: '', icon: '', keys: '', view: OneBot },
  { path: '/recordings', match: /^\/recordings$/, name: 'Recordings', group: 'Meetings', icon: 'tape', keys: 'g r', view: Recordings },
  { path: '/recordings/', match: /^\/recordings\/([A-Za-z0-9_-]{1,128})$/, name: '', icon: '', keys: '', view: OneRecording },
  { path: '/search', match: /^\/search$/, name: 'Search', group: 'Meetings', icon: 'search', keys: 'g f', view: Search },
  { path: '/dispatch', match: /^\/dispatch$/, name: 'Dispatch', group: 'Work', icon: 'grid', keys: 'g d', view: Dispatch },
  { path: '/dispatch/', match: /^\/dispatch\/([A-Za-z0-9_-]{1,64})$/, name: '', icon: '', keys: '', view: OneTask },
  { path: '/workflows', match: /^\/workflows$/, name: 'Workflows', group: 'Work', icon: 'flow', keys: 'g w', view: Workflows },
  { path: '/workflows/', match: /^\/workflows\/([^/]{1,800})$/, name: '', icon: '', keys: '', view: OneWorkflow },
  { path: '/syncs', match: /^\/syncs$/, name: 'Syncs', group: 'Work', icon: 'refresh', keys: 'g s', admin: true, view: Syncs },
  { path: '/webhooks', match: /^\/webhooks$/, name: 'Webhooks', group: 'System', icon: 'hook', keys: 'g h', view: Webhooks },
  { path: '/webhooks/', match: /^\/webhooks\/(\d{1,15})$/, name: '', icon: '', keys: '', view: OneWebhook },
  { path: '/events', match: /^\/events$/, name: 'Events', group: 'System', icon: 'events', keys: 'g e', view: Events },
  { path: '/users', match: /^\/users$/, name: 'Users', group: 'System', icon: 'key', keys: 'g u', admin: true, view: Users },
  { path: '/simulator', match: /^\/simulator$/, name: 'Simulator', group: 'System', icon: 'sliders', keys: 'g l', admin: true, lab: true, view: Simulator },
  { path: '/users/', match: /^\/users\/(\d{1,15})$/, name: '', icon: '', keys: '', admin: true, view: OneUser },
];

/** The pages in the navigation of the signed-in user. */
export const navigable = () => PAGES.filter(({ name, admin, lab }) => name && (!admin || operates()) && (!lab || attached.value));

/** The same by the headings they stand under. @returns {[string, Page[]][]} */
export function grouped() {
  /** @type {Map<string, Page[]>} */
  const groups = new Map();
  for (const page of navigable()) groups.set(page.group ?? '', [...(groups.get(page.group ?? '') ?? []), page]);
  return [...groups];
}

/** Whether a place is on the page or under it. @param {Page} page @param {string} path */
export const isAt = (page, path) => path === page.path || path.startsWith(`${page.path}/`);
