// @ts-check
// The dialog before a recording is deleted: it cannot be had back.
import { html } from '../view.js';
import { api } from '../api.js';
import { closeOverlay } from '../overlays.js';
import { go } from '../router.js';
import { toast } from '../toasts.js';
import { Dialog } from './dialog.js';
import { useSending } from './form.js';
import { ProblemNote } from './problem.js';

/** @param {{id: string, name: string}} props */
export function DeleteRecording({ id, name }) {
  const { sending, problem, onSubmit } = useSending(async () => {
    await api.deleteRecording(id);
    closeOverlay();
    toast(`The recording of ${name} is deleted.`);
    go('/recordings');
  });
  return html`
    <${Dialog} title="Delete this recording?" onClose=${closeOverlay}>
      <form onSubmit=${onSubmit}>
        <p>The sound, the words and the note of <strong>${name}</strong> are deleted here for good. What the CRM has, it keeps.</p>
        ${problem && html`<${ProblemNote} problem=${problem} />`}
        <footer class="dialog-foot">
          <button type="button" class="button" onClick=${closeOverlay} autofocus>Keep it</button>
          <button type="submit" class="button danger" disabled=${sending}>${sending ? 'Deleting…' : 'Delete it'}</button>
        </footer>
      </form>
    <//>
  `;
}
