// @ts-check
// The current page. Pages are under /console because /meetings and its siblings belong to the API; the
// server answers every unknown path that accepts HTML with index.html, so each page has a link of its own.
import { Cell } from './cell.js';

const BASE = '/console';

/** @typedef {{path: string, query: URLSearchParams}} Place */

/** @returns {Place} */
function read() {
  const { pathname, search } = location;
  const path = pathname.startsWith(BASE) ? pathname.slice(BASE.length) || '/' : pathname;
  return { path: path.replace(/\/+$/, '') || '/', query: new URLSearchParams(search) };
}

/** @type {Cell<Place>} */
export const place = new Cell(read());

/** The address of a page, for an href. @param {string} path */
export const link = (path) => BASE + path;

/** Goes to a page. @param {string} path @param {{replace?: boolean}} [how] */
export function go(path, { replace = false } = {}) {
  const target = link(path);
  if (target !== location.pathname + location.search) {
    if (replace) history.replaceState(null, '', target);
    else history.pushState(null, '', target);
  }
  place.set(read());
  if (!replace) scrollTo(0, 0);
}

/** Changes the query of this page without a step in the history. @param {Record<string, string|null>} changes */
export function refine(changes) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  go(place.value.path + (text ? `?${text}` : ''), { replace: true });
}

/** Makes ordinary links of the console walk through the router. */
export function followLinks() {
  addEventListener('popstate', () => place.set(read()));
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const anchor = /** @type {HTMLElement} */ (event.target).closest?.('a[href]');
    const href = anchor?.getAttribute('href') ?? '';
    if (!href.startsWith(`${BASE}/`) || anchor?.hasAttribute('target')) return;
    event.preventDefault();
    go(href.slice(BASE.length));
  });
}
