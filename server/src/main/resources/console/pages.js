// @ts-check
// The pages of the console. A new page is a new line here: it gets its link, its shortcut and its command.
import { Events } from './pages/events.js';
import { Meeting } from './pages/meeting.js';
import { Meetings } from './pages/meetings.js';
import { OneRecording } from './pages/recording.js';
import { Recordings } from './pages/recordings.js';
import { Syncs } from './pages/syncs.js';
import { OneUser, Users } from './pages/users.js';
import { OneWebhook, Webhooks } from './pages/webhooks.js';
import { OneWorkflow, Workflows } from './pages/workflows.js';
import { credential } from './session.js';

/**
 * @typedef {object} Page
 * @property {string} path the place in the navigation; empty name: reached from elsewhere
 * @property {RegExp} match
 * @property {string} name
 * @property {string} icon
 * @property {string} keys
 * @property {boolean} [admin] for the operator alone
 * @property {(props: any) => any} view gets the groups of `match` as `params`
 */

/** @type {Page[]} */
export const PAGES = [
  { path: '/meetings', match: /^\/meetings$/, name: 'Meetings', icon: 'meetings', keys: 'g m', view: Meetings },
  { path: '/meetings/', match: /^\/meetings\/(\d{1,15})$/, name: '', icon: '', keys: '', view: Meeting },
  { path: '/recordings', match: /^\/recordings$/, name: 'Recordings', icon: 'tape', keys: 'g r', view: Recordings },
  { path: '/recordings/', match: /^\/recordings\/([A-Za-z0-9_-]{1,128})$/, name: '', icon: '', keys: '', view: OneRecording },
  { path: '/syncs', match: /^\/syncs$/, name: 'Syncs', icon: 'refresh', keys: 'g s', admin: true, view: Syncs },
  { path: '/workflows', match: /^\/workflows$/, name: 'Workflows', icon: 'flow', keys: 'g w', view: Workflows },
  { path: '/workflows/', match: /^\/workflows\/([^/]{1,800})$/, name: '', icon: '', keys: '', view: OneWorkflow },
  { path: '/events', match: /^\/events$/, name: 'Events', icon: 'events', keys: 'g e', view: Events },
  { path: '/webhooks', match: /^\/webhooks$/, name: 'Webhooks', icon: 'hook', keys: 'g h', view: Webhooks },
  { path: '/webhooks/', match: /^\/webhooks\/(\d{1,15})$/, name: '', icon: '', keys: '', view: OneWebhook },
  { path: '/users', match: /^\/users$/, name: 'Users', icon: 'key', keys: 'g u', admin: true, view: Users },
  { path: '/users/', match: /^\/users\/(\d{1,15})$/, name: '', icon: '', keys: '', admin: true, view: OneUser },
];

/** The pages that whoever is signed in may see in the navigation. */
export const navigable = () => PAGES.filter(({ name, admin }) => name && (!admin || credential.value?.kind === 'admin'));
