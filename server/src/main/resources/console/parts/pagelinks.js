// @ts-check
// The links to all pages, under their headings: at the side of a desk's screen, in a dialog on a phone.
import { html } from '../view.js';
import { useCell } from '../cell.js';
import { closeOverlay } from '../overlays.js';
import { grouped, isAt } from '../pages.js';
import { link, place } from '../router.js';
import { Dialog } from './dialog.js';
import { Icon } from './icon.js';

/** @param {{path: string}} props */
export const PageLinks = ({ path }) =>
  grouped().map(
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

export function PagesDialog() {
  const { path } = useCell(place);
  return html`
    <${Dialog} title="Pages" kind="pages" onClose=${closeOverlay}>
      <nav aria-label="Pages" onClick=${(/** @type {any} */ event) => event.target.closest('a') && setTimeout(closeOverlay, 0)}><${PageLinks} path=${path} /></nav>
    <//>
  `;
}
