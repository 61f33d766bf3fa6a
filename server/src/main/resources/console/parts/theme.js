// @ts-check
// The switch between the system's theme, light and dark.
import { html } from '../view.js';
import { Cell, useCell } from '../cell.js';
import { Icon } from './icon.js';

/** Set up by /theme.js before the first paint. @type {{read: () => string, next: () => string}} */
const chooser = /** @type {any} */ (window).convokeTheme;
const theme = new Cell(chooser.read());

export const nextTheme = () => theme.set(chooser.next());

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
