// @ts-check
// The dialogs that speak to a running bot: leave, and change how it works.
import { html } from '../view.js';
import { api } from '../api.js';
import { useRow } from '../cell.js';
import { title } from '../status.js';
import { meetings, stopBot } from '../store.js';
import { Ask } from './ask.js';

/** @param {{id: number}} props */
export function StopBot({ id }) {
  const row = useRow(meetings, id);
  const name = row ? title(row) : `meeting ${id}`;
  return html`<${Ask} title="Ask the bot to leave?" button="Ask it to leave" danger=${true} act=${() => stopBot(id).then(() => `The bot was asked to leave ${name}.`)}
    text=${html`The bot leaves <strong>${name}</strong> and its recording ends there. People in the room stay.`} />`;
}

const FIELDS = [
  { name: 'language', label: 'Language', hint: 'Such as en or de.' },
  { name: 'task', label: 'Task', hint: 'Such as transcribe or translate.' },
  { name: 'bot_name', label: 'Name of the bot' },
];

/** @param {{id: number}} props */
export function ConfigureBot({ id }) {
  const act = async (/** @type {Record<string, string>} */ values) => {
    const changes = Object.fromEntries(Object.entries(values).filter(([, value]) => value));
    if (Object.keys(changes).length === 0) return 'Nothing was changed.';
    await api.configureBot(id, changes);
    return 'The bot was told. It confirms by itself.';
  };
  return html`<${Ask} title="Change how the bot works" text="Fields left empty stay as they are." button="Tell the bot" fields=${FIELDS} act=${act} />`;
}
