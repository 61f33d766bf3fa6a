// @ts-check
// A dialog that asks for a few words, or for a yes, and then does it. A secret that comes of it is shown this once.
import { html, useState } from '../view.js';
import { closeOverlay, open } from '../overlays.js';
import { toast } from '../toasts.js';
import { Dialog } from './dialog.js';
import { Field, useSending } from './form.js';
import { ProblemNote } from './problem.js';

/**
 * @typedef {object} Question
 * @property {string} title
 * @property {any} [text]
 * @property {string} button
 * @property {boolean} [danger]
 * @property {any[]} [fields] what a Field takes
 * @property {(values: any) => Promise<any>} act answers what to say, or a secret to show
 */

/** @param {Question} question */
export const ask = (question) => open({ kind: 'ask', question });

/** @param {Question} props */
export function Ask({ title, text, button, danger, fields = [], act }) {
  const [values, setValues] = useState(Object.fromEntries(fields.map(({ name, value = '' }) => [name, value])));
  const [secret, setSecret] = useState('');
  const { sending, problem, onSubmit } = useSending(async () => {
    const said = await act(values);
    if (said.secret) return setSecret(said.secret);
    closeOverlay();
    toast(said);
  });
  if (secret) {
    return html`
      <${Dialog} key="made" title="Copy it now" onClose=${closeOverlay}>
        <form onSubmit=${closeOverlay}>
          <${Field} label="The secret" name="secret" value=${secret} hint="It is shown this once and cannot be had again."
            more=${{ readonly: true, autofocus: true, onFocus: (/** @type {any} */ event) => event.target.select() }} />
          <footer class="dialog-foot">
            <button type="button" class="button" onClick=${() => navigator.clipboard?.writeText(secret).then(() => toast('Copied.'))}>Copy</button>
            <button type="button" class="button primary" onClick=${closeOverlay}>I have it</button>
          </footer>
        </form>
      <//>`;
  }
  return html`
    <${Dialog} title=${title} onClose=${closeOverlay}>
      <form onSubmit=${onSubmit}>
        ${text && html`<p>${text}</p>`}
        ${fields.map((field, i) => html`
          <${Field} ...${field} value=${values[field.name]} problem=${problem} more=${{ autofocus: i === 0, ...field.more }}
            onValue=${(/** @type {string} */ value) => setValues({ ...values, [field.name]: value })} />`)}
        ${problem && html`<${ProblemNote} problem=${problem} known=${fields.map(({ name }) => name)} />`}
        <footer class="dialog-foot">
          <button type="button" class="button" onClick=${closeOverlay} autofocus=${fields.length === 0}>Cancel</button>
          <button class="button ${danger ? 'danger' : 'primary'}" disabled=${sending}>${sending ? 'One moment…' : button}</button>
        </footer>
      </form>
    <//>`;
}
