// @ts-check
// The console's plain English for recordings and the steps of the work on them.
import { plain } from './words.js';

/** @typedef {import('./types.js').Recording} Recording */
/** @typedef {import('./types.js').Step} Step */

/** @type {Record<string, string>} */
export const RECORDINGS = {
  in_progress: 'The platform still records, or makes the file.',
  ready: 'It can be fetched; the work on it is about to begin.',
  processing: 'It is being worked on.',
  done: 'All the work on it is done.',
  failed: 'A step failed and is not tried again by itself.',
  cancelled: 'The platform cancelled it.',
  empty: 'Nothing was recorded.',
  given_up: 'It was waited for too long.',
  unmatched: 'Nobody knows which meeting it belongs to.',
};

/** @type {Record<string, {name: string, means: string}>} */
export const STEPS = {
  download: { name: 'Download', means: 'The sound, from the platform into our store.' },
  transcribe: { name: 'Transcribe', means: 'The sound becomes words.' },
  prepare: { name: 'Prepare', means: 'People and words become a note.' },
  transform: { name: 'Transform', means: 'The note is put into the CRM’s words.' },
  push: { name: 'Push', means: 'The CRM is told.' },
};

/** @param {Step} step */
export const stepName = ({ name }) => STEPS[name]?.name ?? plain(name);

/** The steps as one sentence for whoever does not see them. @param {Step[]} steps */
export const pipelineWords = (steps) => steps.map((step) => `${stepName(step)} ${plain(step.state)}`).join(', ');

/** Whether a person may have it done again, where it stopped. @param {Recording} recording */
export const retriable = ({ status, meeting_id }) => meeting_id != null && (status === 'failed' || status === 'given_up');

/** Whether a person may have a step, and all that rest on it, done anew. @param {Recording} recording */
export const redoable = ({ status, meeting_id }) => meeting_id != null && (status === 'failed' || status === 'given_up' || status === 'done');

/** "1.4 MB". @param {number} bytes */
export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1000 ** power;
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${units[power - 1]}`;
}
