// @ts-check
// The pages of the console. A new page is a new line here: it gets its link, its shortcut and its command.
import { Meeting } from './pages/meeting.js';
import { Meetings } from './pages/meetings.js';
import { OneRecording } from './pages/recording.js';
import { Recordings } from './pages/recordings.js';
import { Syncs } from './pages/syncs.js';
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
];

/** The pages that whoever is signed in may see in the navigation. */
export const navigable = () => PAGES.filter(({ name, admin }) => name && (!admin || credential.value?.kind === 'admin'));
