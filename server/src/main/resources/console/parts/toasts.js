// @ts-check
// The corner where toasts appear.
import { html } from '../view.js';
import { useCell } from '../cell.js';
import { dismiss, toasts } from '../toasts.js';
import { Icon } from './icon.js';
import { ProblemNote } from './problem.js';

export function Toasts() {
  const all = useCell(toasts);
  return html`
    <div class="toasts" role=${all.length > 0 ? 'region' : undefined} aria-label=${all.length > 0 ? 'Notices' : undefined}>
      ${all.map(
        ({ id, text, problem }) => html`
          <div class="toast ${problem ? 'toast-bad' : ''}" key=${id}>
            ${!problem && html`<${Icon} name="check" />`}
            <div class="toast-text">${text}${problem && html`<${ProblemNote} problem=${problem} />`}</div>
            <button class="button ghost square small" aria-label="Dismiss" onClick=${() => dismiss(id)}><${Icon} name="close" size="14" /></button>
          </div>
        `,
      )}
    </div>
  `;
}
