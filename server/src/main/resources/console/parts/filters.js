// @ts-check
// The bar that narrows the list of meetings. Everything it says is in the address, so a view can be shared.
import { html } from '../view.js';
import { refine } from '../router.js';
import { PLATFORMS } from '../words.js';
import { PlatformTag } from './chip.js';
import { Icon } from './icon.js';

/** @type {[import('../list.js').Filter['show'], string][]} */
const SHOWS = [
  ['live', 'Live'],
  ['ended', 'Ended'],
  ['all', 'All'],
];

/**
 * @param {object} props
 * @param {import('../list.js').Filter} props.filter
 * @param {string} props.search
 * @param {any} props.field a ref to the search field
 * @param {boolean} props.admin
 */
export function Filters({ filter, search, field, admin }) {
  const onKey = (/** @type {any} */ event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    refine({ q: null });
    event.target.blur();
  };
  return html`
    <div class="filters" role="search" aria-label="Filter the meetings">
      <div class="tabs" role="group" aria-label="Which meetings">
        ${SHOWS.map(
          ([show, name]) => html`
            <button aria-pressed=${filter.show === show} onClick=${() => refine({ show: show === 'live' ? null : show })}>${name}</button>
          `,
        )}
      </div>
      <div class="pills" role="group" aria-label="Platform">
        ${Object.keys(PLATFORMS).map(
          (platform) => html`
            <button aria-pressed=${filter.platform === platform} onClick=${() => refine({ platform: filter.platform === platform ? null : platform })}>
              <${PlatformTag} platform=${platform} />
            </button>
          `,
        )}
      </div>
      ${admin && filter.user && html`
        <button class="pill-user" onClick=${() => refine({ user: null })} aria-label=${`Only user ${filter.user}. Show all users`}>user ${filter.user} <${Icon} name="close" size="13" /></button>
      `}
      <label class="search">
        <${Icon} name="search" />
        <span class="hidden">Search the meetings</span>
        <input ref=${field} type="search" placeholder="Search" value=${search} autocomplete="off" spellcheck=${false}
          onInput=${(/** @type {any} */ event) => refine({ q: event.target.value })} onKeyDown=${onKey} />
        <kbd>/</kbd>
      </label>
    </div>
  `;
}
