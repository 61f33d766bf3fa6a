// @ts-check
// A modal dialog on the browser's own <dialog>: focus stays inside, Escape closes, focus returns. A browser may
// close it without asking (a second Escape, the back gesture), so `close` counts as much as `cancel`.
import { html, useId, useLayoutEffect, useRef } from '../view.js';
import { Icon } from './icon.js';

/**
 * @param {object} props
 * @param {string} props.title
 * @param {() => void} props.onClose
 * @param {any} props.children
 * @param {string} [props.kind] a class for its size and place
 */
export function Dialog({ title, onClose, children, kind = '' }) {
  const ref = useRef(/** @type {HTMLDialogElement|null} */ (null));
  const id = useId();
  useLayoutEffect(() => {
    const before = /** @type {HTMLElement|null} */ (document.activeElement);
    ref.current?.showModal();
    return () => before?.focus?.({ preventScroll: true });
  }, []);
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
