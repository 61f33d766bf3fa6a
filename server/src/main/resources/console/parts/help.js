// @ts-check
// The list of shortcuts that work right now.
import { html } from '../view.js';
import { MOD, bound } from '../keys.js';
import { closeOverlay } from '../overlays.js';
import { Dialog } from './dialog.js';

/** @param {{keys: string}} props */
export const Keys = ({ keys }) => html`
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
