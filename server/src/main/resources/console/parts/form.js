// @ts-check
// Dialogs and their forms: one for a single action, one for bulk actions.

// A modal dialog on the browser's own <dialog>: focus stays inside, Escape closes, focus returns. A browser may
// close it without asking (a second Escape, the back gesture), so `close` counts as much as `cancel`.
import { html, useEffect, useId, useLayoutEffect, useRef, useState } from '../view.js';
import { forget } from '../api.js';
import { closeOverlay, open } from '../keys.js';
import { asProblem } from '../problem.js';
import { toast } from '../announce.js';
import { ProblemNote, Skeleton } from './problem.js';
import { Icon } from './icon.js';
import { copy } from './listpage.js';
import { StaleNote } from './live.js';

/** A dialog that is modal while it is shown; then the focus returns. */
export function useModal() {
  const ref = useRef(/** @type {HTMLDialogElement|null} */ (null));
  useLayoutEffect(() => {
    const before = /** @type {HTMLElement|null} */ (document.activeElement);
    ref.current?.showModal();
    return () => {
      // As long as it is modal, nothing behind it takes the focus.
      ref.current?.remove();
      before?.focus?.({ preventScroll: true });
    };
  }, []);
  return ref;
}

/**
 * @param {object} props
 * @param {string} props.title
 * @param {() => void} props.onClose
 * @param {any} props.children
 * @param {string} [props.kind] a class for its size and place
 */
export function Dialog({ title, onClose, children, kind = '' }) {
  const ref = useModal();
  const id = useId();
  const outside = (/** @type {MouseEvent} */ event) => event.target === ref.current && onClose();
  return html`
    <dialog ref=${ref} class="dialog ${kind}" aria-labelledby=${id} onCancel=${(/** @type {Event} */ event) => {
      event.preventDefault();
      onClose();
    }} onClose=${onClose} onMouseDown=${outside}>
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id=${id}>${title}</h2>
          <button type="button" class="button ghost square" aria-label="Close" onClick=${onClose}><${Icon} name="close" /></button>
        </header>
        ${children}
      </div>
    </dialog>
  `;
}

// Forms that send a request: one at a time, problems beside the fields they are about.

/**
 * @param {() => Promise<void>} send
 */
export function useSending(send) {
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState(/** @type {import('../problem.js').Problem|null} */ (null));
  useEffect(() => forget, []);
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
 * @param {string} [props.type] of the input; long: of several lines
 * @param {Record<string, unknown>} [props.more] further attributes of the input
 */
export function Field({ label, name, value, onValue, problem = null, hint = '', type = 'text', more = {} }) {
  const id = useId();
  const wrong = problem?.errors.filter(({ field }) => field === name).map(({ message }) => message).join('; ');
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <${type === 'long' ? 'textarea' : 'input'} id=${id} name=${name} type=${type === 'long' ? undefined : type} value=${value} autocomplete="off" spellcheck=${type === 'long'}
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
 */
export function Choice({ label, name, options, value, onValue }) {
  return html`
    <fieldset class="choice">
      <legend>${label}</legend>
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

// A dialog for a short input or a confirmation that runs an action. A secret in the result is shown once.

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
            <button type="button" class="button" onClick=${(/** @type {any} */ { target }) => copy(secret, target.parentNode, 'Copied.')}>Copy</button>
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

// A bulk action: first a dry run that lists the targets, then the run with progress and results.

/** @typedef {{id: string|number, label: string, note: string, able: boolean}} Item */
/** @typedef {{id: string|number, note: string, good: boolean}} Fate */
/**
 * @typedef {object} Bulk
 * @property {string} title
 * @property {string} text
 * @property {(count: number) => string} act what the button says
 * @property {() => Promise<{items: Item[], more: boolean}>} dry what would be done
 * @property {(ids: any[]) => Promise<Fate[]>} run does it to a few
 * @property {number} [size] how many of them at once
 */

/** @param {Bulk} props */
export function BulkDialog({ title, text, act, dry, run, size = 4 }) {
  const [plan, setPlan] = useState(/** @type {{items: Item[], more: boolean}|null} */ (null));
  const [without, setWithout] = useState(/** @type {ReadonlySet<any>} */ (new Set()));
  const [fates, setFates] = useState(/** @type {Fate[]|null} */ (null));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [stop] = useState({ asked: false });
  useEffect(() => {
    dry().then(setPlan, (thrown) => setProblem(asProblem(thrown)));
    return () => void (stop.asked = true);
  }, []);
  const chosen = plan?.items.filter(({ id, able }) => able && !without.has(id)) ?? [];
  const toggle = (/** @type {any} */ id) => setWithout((/** @type {ReadonlySet<any>} */ was) => new Set(was.has(id) ? [...was].filter((each) => each !== id) : [...was, id]));
  const go = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    /** @type {Fate[]} */
    let done = [];
    setFates(done);
    try {
      for (let i = 0; i < chosen.length && !stop.asked; i += size) {
        done = [...done, ...(await run(chosen.slice(i, i + size).map(({ id }) => id)))];
        setFates(done);
      }
    } catch (thrown) {
      setProblem(asProblem(thrown));
    }
    setBusy(false);
  };
  const bad = fates?.filter(({ good }) => !good).length ?? 0;
  const said = new Map(fates?.map((fate) => [fate.id, fate]));
  return html`
    <${Dialog} title=${title} kind="wide" onClose=${closeOverlay}>
      <form class="bulk" onSubmit=${go}>
        <p>${text}</p>
        <${StaleNote} />
        ${!plan && !problem && html`<${Skeleton} rows=${4} />`}
        ${plan && html`
          <p class="bulk-sum" role="status">
            ${fates
              ? html`<b class="num">${fates.length}</b> of ${chosen.length}${bad > 0 && html`, <span class="trouble">${bad} not done</span>`}${!busy && fates.length < chosen.length && ', ended before the rest'}`
              : html`Dry run: <b class="num">${chosen.length}</b> of ${plan.items.length}${plan.more ? '; more fit, and are for another time' : ''}.`}
          </p>
          ${fates && html`<progress max=${chosen.length} value=${fates.length} aria-label=${title}></progress>`}
          <ul class="bulk-list" tabindex="0" aria-label="Which">
            ${plan.items.map(({ id, label, note, able }) => html`
              <li key=${id}>
                <label>
                  <input type="checkbox" checked=${able && !without.has(id)} disabled=${!able || !!fates} onChange=${() => toggle(id)} />
                  <span class="bulk-label">${label}</span>
                  <span class=${said.get(id)?.good === false ? 'trouble' : 'faint'}>${said.get(id)?.note ?? note}</span>
                </label>
              </li>`)}
          </ul>`}
        ${problem && html`<${ProblemNote} problem=${problem} />`}
        <footer class="dialog-foot">
          <button type="button" class="button" onClick=${closeOverlay}>${busy ? 'End here' : fates ? 'Close' : 'Cancel'}</button>
          ${(!fates || busy) && html`<button type="submit" class="button danger" disabled=${busy || chosen.length === 0}>${busy ? 'Asking…' : act(chosen.length)}</button>`}
        </footer>
      </form>
    <//>
  `;
}
