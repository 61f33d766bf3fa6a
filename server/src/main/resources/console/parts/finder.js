// @ts-check
// Navigation: links to all pages, the shortcuts, the palette.
import { html, useEffect, useMemo, useState } from '../view.js';
import { api } from '../api.js';
import { useCell } from '../cell.js';
import { MOD, bound, closeOverlay, commands, score } from '../keys.js';
import { grouped, isAt } from '../pages.js';
import { go, link, place } from '../router.js';
import { attached } from '../simulator.js';
import { haystack, roomState, title } from '../status.js';
import { meetings } from '../store.js';
import { PLATFORMS, ROOMS } from '../text.js';
import { Dialog, useModal } from './form.js';
import { Icon } from './icon.js';

/** Under their headings: at the side of a desk's screen, in a dialog on a phone. @param {{path: string}} props */
export function PageLinks({ path }) {
  useCell(attached);
  return grouped().map(
    ([name, pages]) => html`
      <div class="nav-group" role="group" aria-label=${name}>
        <h2 aria-hidden="true">${name}</h2>
        ${pages.map(
          (page) => html`
            <a href=${link(page.path)} aria-current=${path === page.path ? 'page' : undefined} class=${isAt(page, path) ? 'here' : ''}>
              <${Icon} name=${page.icon} /><span>${page.name}</span>
            </a>
          `,
        )}
      </div>
    `,
  );
}

export function PagesDialog() {
  const { path } = useCell(place);
  return html`
    <${Dialog} title="Pages" kind="pages" onClose=${closeOverlay}>
      <nav aria-label="Pages" onClick=${(/** @type {any} */ event) => event.target.closest('a') && setTimeout(closeOverlay, 0)}><${PageLinks} path=${path} /></nav>
    <//>
  `;
}

// The list of shortcuts that work right now.

/** @param {{keys: string}} props */
const Keys = ({ keys }) => html`
  <span class="keys">${keys.split(/[ +]/).map((key) => html`<kbd>${key === 'Mod' ? MOD : key}</kbd>`)}</span>
`;

export function Help() {
  /** @type {Map<string, import('../keys.js').Binding[]>} */
  const groups = new Map();
  for (const binding of bound()) {
    const name = binding.group ?? 'Everywhere';
    groups.set(name, [...(groups.get(name) ?? []), binding]);
  }
  return html`
    <${Dialog} title="Keyboard" kind="wide" onClose=${closeOverlay}>
      <div class="help">
        ${[...groups].map(
          ([name, list]) => html`
            <section>
              <h3>${name}</h3>
              <dl>${list.map(({ keys, label }) => html`<div><dt>${label}</dt><dd><${Keys} keys=${keys} /></dd></div>`)}</dl>
            </section>
          `,
        )}
      </div>
    <//>
  `;
}

// The command palette: everything that can be done and every meeting that is known, found by typing.

/** @typedef {import('../keys.js').Command} Command */

const MOST = 12;
const PAUSE_MS = 250;

/** @param {string} query @returns {Command[]} */
function meetingCommands(query) {
  /** @type {{rank: number, command: Command}[]} */
  const found = [];
  for (const row of meetings.rows.values()) {
    const rank = score(haystack(row), query);
    if (rank === 0) continue;
    const state = roomState(row);
    const command = {
      id: `meeting:${row.id}`,
      label: title(row),
      hint: `${ROOMS[state]} · ${PLATFORMS[row.platform] ?? row.platform} · #${row.id}`,
      icon: 'people',
      run: () => go(`/meetings/${row.id}`),
    };
    found.push({ rank: rank + (state === 'ended' ? 0 : 1), command });
  }
  found.sort((a, b) => b.rank - a.rank);
  const commands = found.slice(0, MOST).map(({ command }) => command);
  const id = /^#?(\d+)$/.exec(query.trim())?.[1];
  if (id && !meetings.get(Number(id))) {
    commands.push({ id: `go:${id}`, label: `Open meeting ${id}`, icon: 'arrow', run: () => go(`/meetings/${id}`) });
  }
  return commands;
}

/** What was said in meetings, asked for once typing pauses. @param {string} query @returns {Command[]} */
function useSaid(query) {
  const words = query.trim();
  const [{ of, hits }, setHits] = useState({ of: '', hits: /** @type {Command[]} */ ([]) });
  useEffect(() => {
    if (words.length < 3) return;
    const timer = setTimeout(async () => {
      // Words that cannot be searched find nothing.
      const { items } = await api.search({ q: words, limit: 5 }).catch(() => ({ items: [] }));
      const found = items.map((/** @type {any} */ { meeting_id, segment_id, speaker, text }) => ({
        id: `said:${segment_id}`,
        label: text,
        hint: `${speaker ?? 'Unknown'} · #${meeting_id}`,
        icon: 'search',
        run: () => go(`/meetings/${meeting_id}?segment=${segment_id}`),
      }));
      setHits({ of: words, hits: found });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [words]);
  if (words.length < 3) return [];
  const all = { id: 'said', label: `Search what was said: “${words}”`, icon: 'search', run: () => go(`/search?q=${encodeURIComponent(words)}`) };
  return [...(of === words ? hits : []), all];
}

export function Palette() {
  const offered = useCell(commands);
  const [query, setQuery] = useState('');
  const [chosen, choose] = useState(0);
  const dialog = useModal();
  const said = useSaid(query);
  const known = useMemo(() => {
    const ranked = offered
      .map((command) => ({ command, rank: score(`${command.label} ${command.words ?? ''}`, query) }))
      .filter(({ rank }) => rank > 0)
      .sort((a, b) => b.rank - a.rank)
      .map(({ command }) => command);
    return [...ranked, ...meetingCommands(query)];
  }, [offered, query]);
  const found = [...known, ...said];

  useEffect(() => {
    dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen, found.length]);

  const pick = (/** @type {Command|undefined} */ command) => {
    if (!command) return;
    closeOverlay();
    // The dialog gives focus back first; a command that opens the next one must come after.
    setTimeout(command.run, 0);
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      choose((chosen + step + found.length) % Math.max(1, found.length));
    } else if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault();
      pick(found[chosen]);
    }
  };
  const onInput = (/** @type {any} */ event) => {
    setQuery(event.target.value);
    choose(0);
  };

  return html`
    <dialog ref=${dialog} class="dialog palette" aria-label="Command palette" onCancel=${(/** @type {Event} */ event) => {
      event.preventDefault();
      closeOverlay();
    }} onClose=${closeOverlay} onMouseDown=${(/** @type {MouseEvent} */ event) => event.target === dialog.current && closeOverlay()}>
      <div class="dialog-body">
        <div class="palette-field">
          <${Icon} name="search" />
          <input type="text" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list"
            aria-label="Command or meeting" aria-activedescendant=${found[chosen] ? `palette-${chosen}` : undefined}
            placeholder="What would you like to do, which meeting, or what was said?" autocomplete="off" spellcheck=${false}
            value=${query} onInput=${onInput} onKeyDown=${onKey} autofocus />
          <kbd>esc</kbd>
        </div>
        <ul id="palette-list" role="listbox" aria-label="Results">
          ${found.map(
            (command, i) => html`
              <li id=${`palette-${i}`} key=${command.id} role="option" aria-selected=${i === chosen}
                onMouseMove=${() => chosen !== i && choose(i)} onClick=${() => pick(command)}>
                <${Icon} name=${command.icon ?? 'arrow'} />
                <span class="palette-label">${command.label}</span>
                ${command.hint && html`<span class="palette-hint">${command.hint}</span>`}
              </li>
            `,
          )}
        </ul>
        ${found.length === 0 && html`<p class="palette-none">Nothing is called that. A number opens the meeting with that id.</p>`}
      </div>
    </dialog>
  `;
}
