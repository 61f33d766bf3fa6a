// @ts-check
// Corrections of a transcript by people: of a segment, of a speaker's name, and their history.
import { html } from '../view.js';
import { api } from '../api.js';
import { meetingOf } from '../apply.js';
import { closeOverlay } from '../keys.js';
import { PagedList, useShown } from '../query.js';
import { plain } from '../text.js';
import { Dialog, ask } from './form.js';
import { Time } from './live.js';
import { Part } from './problem.js';

/** @param {number} meeting @param {import('../types.js').Segment} segment */
export const correct = (meeting, { id, text, speaker }) =>
  ask({
    title: 'Correct this segment',
    button: 'Save',
    fields: [
      { label: 'Text', name: 'text', value: text, type: 'long' },
      { label: 'Speaker', name: 'speaker', value: speaker ?? '', hint: 'In this segment alone. Empty: unknown.' },
    ],
    act: async (next) => {
      const change = { ...(next.text !== text && { text: next.text }), ...(next.speaker !== (speaker ?? '') && { speaker: next.speaker || null }) };
      if (Object.keys(change).length > 0) await api.correctSegment(meeting, id, change);
      return 'The segment is corrected.';
    },
  });

/** @param {number} meeting @param {string} from */
export const rename = (meeting, from) =>
  ask({
    title: `Rename ${from}`,
    text: 'In all segments of this meeting, also in those that follow. The name of another speaker makes both one.',
    button: 'Rename',
    fields: [{ label: 'Name', name: 'to', value: from }],
    act: async ({ to }) => {
      const { segments } = await api.renameSpeaker(meeting, { from, to });
      return `${segments} ${segments === 1 ? 'segment is' : 'segments are'} by ${to} now.`;
    },
  });

/** What people changed, newest first. @param {{id: number}} props */
export function Changes({ id }) {
  const list = useShown(
    () =>
      new PagedList(`changes ${id}`, (query) => api.changes(id, query), { hears: (events) => events.some((event) => event.type.startsWith('transcript.') && meetingOf(event) === id) }),
    [id],
  );
  return html`
    <${Dialog} title="Corrections" kind="wide" onClose=${closeOverlay}>
      <${Part} resource=${list} view=${(/** @type {any} */ { items, more, busy }) => html`
        ${items.length === 0 && html`<p class="faint">This transcript has no corrections.</p>`}
        <ol class="changes">
          ${items.map((/** @type {any} */ { id: key, at, actor, segment_id, field, before, after }) => html`
            <li key=${key}>
              <span class="sub"><${Time} at=${at} /> ${plain(actor).replace(':', ' ')}, ${segment_id === null ? 'speaker, in all segments' : field}</span>
              <del>${before ?? 'Unknown'}</del> <ins>${after ?? 'Unknown'}</ins>
            </li>`)}
        </ol>
        ${more && html`<button class="button small" disabled=${busy} onClick=${() => list.more()}>Show older ones</button>`}`} />
    <//>
  `;
}
