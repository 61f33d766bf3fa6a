// @ts-check
// Forms that send a request: one at a time, problems beside the fields they are about.
import { html, useId, useState } from '../view.js';
import { asProblem } from '../problem.js';

/**
 * @param {() => Promise<void>} send
 */
export function useSending(send) {
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState(/** @type {import('../problem.js').Problem|null} */ (null));
  const onSubmit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (sending) return;
    setSending(true);
    setProblem(null);
    try {
      await send();
    } catch (thrown) {
      setProblem(asProblem(thrown));
    } finally {
      setSending(false);
    }
  };
  return { sending, problem, onSubmit };
}

/**
 * @param {object} props
 * @param {string} props.label
 * @param {string} props.name the field's name in the API, by which problems find it
 * @param {string} props.value
 * @param {(value: string) => void} props.onValue
 * @param {import('../problem.js').Problem|null} [props.problem]
 * @param {string} [props.hint]
 * @param {string} [props.type]
 * @param {Record<string, unknown>} [props.more] further attributes of the input
 */
export function Field({ label, name, value, onValue, problem = null, hint = '', type = 'text', more = {} }) {
  const id = useId();
  const wrong = problem?.errors.filter(({ field }) => field === name).map(({ message }) => message).join('; ');
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <input id=${id} name=${name} type=${type} value=${value} autocomplete="off" spellcheck=${false}
        aria-invalid=${wrong ? 'true' : undefined} aria-describedby=${wrong || hint ? `${id}-note` : undefined}
        onInput=${(/** @type {any} */ event) => onValue(event.target.value)} ...${more} />
      ${(wrong || hint) && html`<p id=${`${id}-note`} class=${wrong ? 'field-wrong' : 'field-hint'}>${wrong ? `${label} ${wrong}` : hint}</p>`}
    </div>
  `;
}

/**
 * A choice of few, as joined buttons; radio buttons underneath.
 * @param {object} props
 * @param {string} props.label
 * @param {string} props.name
 * @param {[string, any][]} props.options value and what is shown
 * @param {string} props.value
 * @param {(value: string) => void} props.onValue
 * @param {boolean} [props.quiet] hides the label from view
 */
export function Choice({ label, name, options, value, onValue, quiet = false }) {
  return html`
    <fieldset class="choice">
      <legend class=${quiet ? 'hidden' : ''}>${label}</legend>
      <div class="choice-row">
        ${options.map(
          ([key, shown]) => html`
            <label class="choice-item">
              <input type="radio" name=${name} value=${key} checked=${key === value} onChange=${() => onValue(key)} />
              <span>${shown}</span>
            </label>
          `,
        )}
      </div>
    </fieldset>
  `;
}
