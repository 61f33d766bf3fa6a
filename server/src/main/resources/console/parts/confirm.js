// @ts-check
// One question before something is done that cannot be taken back.
import { html } from '../view.js';
import { closeOverlay } from '../overlays.js';
import { Dialog } from './dialog.js';
import { useSending } from './form.js';
import { StaleNote } from './link.js';
import { ProblemNote } from './problem.js';

/** @typedef {{title: string, text: any, act: string, run: () => Promise<unknown>, danger?: boolean}} Asked */

/** @param {Asked} props */
export function Confirm({ title, text, act, run, danger = false }) {
  const { sending, problem, onSubmit } = useSending(async () => {
    await run();
    closeOverlay();
  });
  return html`
    <${Dialog} title=${title} onClose=${closeOverlay}>
      <form onSubmit=${onSubmit}>
        <p>${text}</p>
        <${StaleNote} />
        ${problem && html`<${ProblemNote} problem=${problem} />`}
        <footer class="dialog-foot">
          <button type="button" class="button" onClick=${closeOverlay}>Cancel</button>
          <button type="submit" class="button ${danger ? 'danger' : 'primary'}" disabled=${sending} autofocus>${sending ? 'Asking…' : act}</button>
        </footer>
      </form>
    <//>
  `;
}
