// @ts-check
// The dialogs that speak to a running bot: leave, and change how it works.
import { html, useState } from '../view.js';
import { api } from '../api.js';
import { useRow } from '../cell.js';
import { closeOverlay } from '../overlays.js';
import { title } from '../status.js';
import { meetings, stopBot } from '../store.js';
import { toast } from '../toasts.js';
import { Dialog } from './dialog.js';
import { Field, useSending } from './form.js';
import { StaleNote } from './link.js';
import { ProblemNote } from './problem.js';

/** @param {{id: number}} props */
export function StopBot({ id }) {
  const row = useRow(meetings, id);
  const name = row ? title(row) : `meeting ${id}`;
  const { sending, problem, onSubmit } = useSending(async () => {
    await stopBot(id);
    closeOverlay();
    toast(`The bot was asked to leave ${name}.`);
  });
  return html`
    <${Dialog} title="Ask the bot to leave?" onClose=${closeOverlay}>
      <form onSubmit=${onSubmit}>
        <p>The bot leaves <strong>${name}</strong> and its recording ends there. People in the room stay.</p>
        <${StaleNote} />
        ${problem && html`<${ProblemNote} problem=${problem} />`}
        <footer class="dialog-foot">
          <button type="button" class="button" onClick=${closeOverlay}>Keep it there</button>
          <button type="submit" class="button danger" disabled=${sending} autofocus>${sending ? 'Asking…' : 'Ask it to leave'}</button>
        </footer>
      </form>
    <//>
  `;
}

/** @param {{id: number}} props */
export function ConfigureBot({ id }) {
  const [form, setForm] = useState({ bot_name: '', language: '', task: '' });
  const { sending, problem, onSubmit } = useSending(async () => {
    const changes = Object.fromEntries(Object.entries(form).map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
    await api.configureBot(id, changes);
    closeOverlay();
    toast('The bot was told. It confirms by itself.');
  });
  /** @param {'bot_name'|'language'|'task'} name @param {string} label @param {string} hint @param {boolean} [first] */
  const field = (name, label, hint, first = false) => html`
    <${Field} label=${label} name=${name} value=${form[name]} hint=${hint} problem=${problem} more=${{ autofocus: first }}
      onValue=${(/** @type {string} */ value) => setForm((/** @type {any} */ was) => ({ ...was, [name]: value }))} />
  `;
  const empty = Object.values(form).every((value) => !value.trim());
  return html`
    <${Dialog} title="Change how the bot works" onClose=${closeOverlay}>
      <form onSubmit=${onSubmit}>
        <p class="field-hint">Fields left empty stay as they are.</p>
        ${field('language', 'Language', 'Such as en or de.', true)}
        ${field('task', 'Task', 'Such as transcribe or translate.')}
        ${field('bot_name', 'Name of the bot', '')}
        <${StaleNote} />
        ${problem && html`<${ProblemNote} problem=${problem} known=${['bot_name', 'language', 'task']} />`}
        <footer class="dialog-foot">
          <button type="button" class="button" onClick=${closeOverlay}>Cancel</button>
          <button type="submit" class="button primary" disabled=${sending || empty}>${sending ? 'Sending…' : 'Tell the bot'}</button>
        </footer>
      </form>
    <//>
  `;
}
