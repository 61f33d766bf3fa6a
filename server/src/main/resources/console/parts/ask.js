// @ts-check
// A dialog that asks for a few words, or for a yes, and then does it. A secret that comes of it is shown this once.
import { html, useState } from '../view.js';
import { closeOverlay, open } from '../overlays.js';
import { toast } from '../toasts.js';
import { Dialog } from './dialog.js';
import { Field, useSending } from './form.js';
import { StaleNote } from './link.js';
import { ProblemNote } from './problem.js';

/**
 * @typedef {object} Question
 * @property {string} title
 * @property {any} [text]
 * @property {string} button
 * @property {boolean} [danger]
 * @property {boolean} [final] it cannot be taken back, so Enter alone does not do it
 * @property {any[]} [fields] what a Field takes
 * @property {(values: any) => Promise<any>} act answers what to say, or a secret to show
 */

/** @param {Question} question */
export const ask = (question) => open({ kind: 'ask', question });

/** @param {Question} props */
export function Ask({ title, text, button, danger, final = false, fields = [], act }) {
  const [values, setValues] = useState(Object.fromEntries(fields.map(({ name, value = '' }) => [name, value])));
  const [secret, setSecret] = useState('');
  const { sending, problem, onSubmit } = useSending(async () => {
    const said = await act(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim()])));
    if (said?.secret) return setSecret(said.secret);
    closeOverlay();
    if (said) toast(said);
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
  const asks = fields.length > 0;
  return html`
    <${Dialog} title=${title} onClose=${closeOverlay}>
      <form onSubmit=${onSubmit}>
        ${text && html`<p>${text}</p>`}
        ${fields.map((field, i) => html`
          <${Field} ...${field} value=${values[field.name]} problem=${problem} more=${{ autofocus: i === 0, ...field.more }}
            onValue=${(/** @type {string} */ value) => setValues({ ...values, [field.name]: value })} />`)}
        <${StaleNote} />
        ${problem && html`<${ProblemNote} problem=${problem} known=${fields.map(({ name }) => name)} />`}
        <footer class="dialog-foot">
          <button type="button" class="button" onClick=${closeOverlay} autofocus=${final && !asks}>Cancel</button>
          <button type="submit" class="button ${danger ? 'danger' : 'primary'}" disabled=${sending} autofocus=${!final && !asks}>${sending ? 'One moment…' : button}</button>
        </footer>
      </form>
    <//>`;
}
