// @ts-check
// The frame of every page: navigation, stream state, signed-in user, dialogs.
import { html, useEffect, useMemo } from '../view.js';
import { Toasts, announced } from '../announce.js';
import { api } from '../api.js';
import { Cell, useCell, useRow } from '../cell.js';
import { signOut } from '../auth.js';
import { MOD, open, overlay, useCommands, useKeys } from '../keys.js';
import { isAt, navigable } from '../pages.js';
import { go, link, place } from '../router.js';
import { acts, who } from '../session.js';
import { attached, lookForSimulator } from '../simulator.js';
import { roomState, title } from '../status.js';
import { meetings, stream } from '../store.js';
import { isStale } from '../stream.js';
import { Visible } from '../visible.js';
import { Ask, BulkDialog } from './form.js';
import { Changes } from './corrections.js';
import { ConfigureBot, StartBot, StopBot } from './bot.js';
import { Help, PageLinks, PagesDialog, Palette } from './finder.js';
import { Icon, Mark } from './icon.js';
import { tell } from './listpage.js';
import { LinkState, StaleBanner } from './live.js';

const SHORTLIST = 7;

/** @param {{children: any}} props */
export function Frame({ children }) {
  useStandingCommands();
  const state = useCell(stream.link);
  const stale = isStale(state);
  const me = useCell(who);
  useEffect(() => {
    if (state.phase === 'live') void lookForSimulator();
  }, [me, state.phase === 'live']);
  useEffect(() => {
    document.documentElement.toggleAttribute('data-stale', stale);
  }, [stale]);
  return html`
    <a class="skip" href="#main">Skip to the page</a>
    <div class="frame">
      <${Side} />
      <main id="main" tabindex="-1">
        <${StaleBanner} />
        ${children}
      </main>
    </div>
    <${Overlays} />
    <${Toasts} />
    <${Announcer} />
  `;
}

function Announcer() {
  return html`<div class="hidden" aria-live="polite" aria-atomic="true">${useCell(announced)}</div>`;
}

function Side() {
  const { path } = useCell(place);
  useCell(who);
  const here = navigable().find((page) => isAt(page, path));
  return html`
    <header class="side">
      <a class="brand" href=${link('/')} aria-label="Convoke, to the first page"><${Mark} /><span>Convoke</span></a>
      <button class="pages-button" aria-haspopup="dialog" onClick=${() => open({ kind: 'pages' })}>
        <span class="hidden">Pages; this is</span> ${here?.name ?? 'Pages'} <${Icon} name="down" size="14" />
      </button>
      <button class="finder" onClick=${() => open({ kind: 'palette' })}>
        <${Icon} name="search" /><span>Find or do</span><kbd aria-hidden="true">${MOD}</kbd><kbd aria-hidden="true">K</kbd>
      </button>
      <div class="side-scroll">
        <nav aria-label="Pages"><${PageLinks} path=${path} /></nav>
        <${LiveRooms} path=${path} />
      </div>
      <div class="side-foot">
        <${LinkState} />
        <${ThemeButton} />
        <button class="button ghost square" title="Keyboard (?)" aria-label="Keyboard shortcuts" onClick=${() => open({ kind: 'help' })}><${Icon} name="keyboard" /></button>
        <${Account} />
      </div>
    </header>
  `;
}

function Account() {
  const role = useCell(who)?.role;
  return html`
    <button class="button ghost square" title=${`Signed in as ${role}. Sign out`} aria-label="Sign out" onClick=${signOut}><${Icon} name="leave" /></button>
  `;
}

/** The rooms with people in them, one click away from anywhere. @param {{path: string}} props */
function LiveRooms({ path }) {
  const live = useMemo(() => new Visible(meetings, (row) => roomState(row) === 'live'), []);
  useEffect(() => live.open(), [live]);
  const ids = useCell(live.ids);
  if (ids.length === 0) return null;
  return html`
    <nav class="side-rooms" aria-label="Rooms with people in them">
      <h2>In session</h2>
      ${ids.slice(0, SHORTLIST).map((id) => html`<${LiveRoom} key=${id} id=${id} path=${path} />`)}
      ${ids.length > SHORTLIST && html`<p class="faint">and ${ids.length - SHORTLIST} more</p>`}
    </nav>
  `;
}

/** @param {{id: number, path: string}} props */
function LiveRoom({ id, path }) {
  const row = useRow(meetings, id);
  return row && html`
    <a href=${link(`/meetings/${id}`)} aria-current=${path === `/meetings/${id}` ? 'page' : undefined}>
      <span class="dot" aria-hidden="true"></span><span class="side-room">${title(row)}</span>
      <span class="side-count">${row.num_clients}</span>
    </a>
  `;
}

function Overlays() {
  const shown = useCell(overlay);
  if (!shown) return null;
  switch (shown.kind) {
    case 'palette':
      return html`<${Palette} />`;
    case 'help':
      return html`<${Help} />`;
    case 'pages':
      return html`<${PagesDialog} />`;
    case 'start':
      return html`<${StartBot} />`;
    case 'stop':
      return html`<${StopBot} id=${shown.id} />`;
    case 'configure':
      return html`<${ConfigureBot} id=${shown.id} />`;
    case 'changes':
      return html`<${Changes} id=${shown.id} />`;
    case 'bulk':
      return html`<${BulkDialog} ...${shown} />`;
    case 'ask':
      return html`<${Ask} ...${shown.question} />`;
  }
}

/** The own account at the CRM; see crm/connection in the API. */
const CRM = [
  { id: 'crm', label: 'Connect a HubSpot account', icon: 'refresh', words: 'crm sync', run: () => tell(async () => location.assign((await api.connectCrm()).authorize_url)) },
  { id: 'crm-out', label: 'Disconnect the HubSpot account', icon: 'leave', words: 'crm sync', run: () => tell(() => api.disconnectCrm().then(() => 'Its tokens are forgotten.')) },
];

function useStandingCommands() {
  const me = useCell(who);
  const lab = useCell(attached);
  const goes = navigable();
  useKeys(
    [
      { keys: 'Mod+K', label: 'Find or do anything', run: () => open({ kind: 'palette' }) },
      { keys: '?', label: 'This list', run: () => open({ kind: 'help' }) },
      ...(acts() ? [{ keys: 'b', label: 'Send a bot to a meeting', run: () => open({ kind: 'start' }) }] : []),
      { keys: 't', label: 'Next theme', run: nextTheme },
      ...goes.map(({ keys, name, path }) => ({ keys, label: name, group: 'Go to', run: () => go(path) })),
    ],
    [me, lab],
  );
  useCommands(
    [
      ...(acts() ? [{ id: 'start', label: 'Send a bot to a meeting', hint: 'b', icon: 'bot', words: 'start new join', run: () => open({ kind: 'start' }) }] : []),
      ...goes.map(({ keys, name, path, icon }) => ({ id: `go:${path}`, label: `Go to ${name.toLowerCase()}`, hint: keys, icon, run: () => go(path) })),
      { id: 'theme', label: 'Next theme: system, light, dark', hint: 't', icon: 'auto', words: 'colour color mode', run: nextTheme },
      { id: 'keys', label: 'Show keyboard shortcuts', hint: '?', icon: 'keyboard', words: 'help', run: () => open({ kind: 'help' }) },
      ...(me?.role === 'user' ? CRM : []),
      { id: 'out', label: 'Sign out', icon: 'leave', words: 'log out exit', run: signOut },
    ],
    [me, lab],
  );
}

// The switch between the system's theme, light and dark.

/** Set up by /theme.js before the first paint. @type {{read: () => string, next: () => string}} */
const chooser = /** @type {any} */ (window).convokeTheme;
const theme = new Cell(chooser.read());

const nextTheme = () => theme.set(chooser.next());

/** @type {Record<string, string>} */
const NAMES = { auto: 'as the system', light: 'light', dark: 'dark' };

export function ThemeButton() {
  const current = useCell(theme);
  return html`
    <button class="button ghost square" title=${`Theme: ${NAMES[current]} (t)`} aria-label=${`Theme: ${NAMES[current]}. Change`} onClick=${nextTheme}>
      <${Icon} name=${current} />
    </button>
  `;
}
