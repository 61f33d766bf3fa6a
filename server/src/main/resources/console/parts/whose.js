// @ts-check
// A recording that may belong to several meetings: which ones, and the button that says it is this one.
import { html, useEffect, useMemo, useState } from '../view.js';
import { api } from '../api.js';
import { useCell } from '../cell.js';
import { Resource } from '../resource.js';
import { link } from '../router.js';
import { who } from '../session.js';
import { title } from '../status.js';
import { toast } from '../toasts.js';
import { Field, useSending } from './form.js';
import { ProblemNote } from './problem.js';
import { Skeleton } from './empty.js';
import { Time } from './time.js';

/** @typedef {import('../types.js').Recording} Recording */
/** @typedef {import('../types.js').Meeting} Meeting */

/** @param {{recording: Recording, shelf: import('../shelf.js').Shelf}} props */
export function Whose({ recording, shelf }) {
  const admin = useCell(who)?.role === 'admin';
  const [chosen, choose] = useState(0);
  const [given, setGiven] = useState('');
  const ids = recording.candidates.join(',');
  // A candidate of somebody else's is none of the reader's business, and the API says so.
  const candidates = useMemo(() => new Resource(() => found(recording.candidates)), [ids]);
  useEffect(() => void candidates.load(), [candidates]);
  const { value } = useCell(candidates.cell);
  const { sending, problem, onSubmit } = useSending(async () => {
    const meeting = chosen || Number(given);
    shelf.put(await api.matchRecording(recording.recording_id, meeting));
    toast(`It belongs to meeting ${meeting}; the work on it begins.`);
  });
  const ready = chosen > 0 || /^[1-9]\d{0,14}$/.test(given.trim());
  return html`
    <section class="card whose" aria-labelledby="h-whose">
      <h2 id="h-whose">Whose is it?</h2>
      <p class="whose-why">It was recorded in the room <code>${recording.room_name}</code>, ${where(recording.candidates.length)} Say which one it is, and the work on it begins.</p>
      <form onSubmit=${onSubmit}>
        ${value === null && html`<${Skeleton} rows=${2} />`}
        ${value !== null && value.length > 0 && html`
          <fieldset>
            <legend class="hidden">Meetings that it may belong to</legend>
            ${value.map((meeting) => html`<${Candidate} key=${meeting.id} meeting=${meeting} chosen=${meeting.id === chosen} onChosen=${() => { choose(meeting.id); setGiven(''); }} />`)}
          </fieldset>`}
        ${value !== null && value.length === 0 && !admin && html`<p class="faint">No meeting of yours is in question any more.</p>`}
        ${admin && html`<${Field} label="Another meeting" name="meeting_id" value=${given} problem=${problem} hint="As an administrator you may give it to any meeting of the same platform." onValue=${(/** @type {string} */ text) => { setGiven(text); choose(0); }} more=${{ inputmode: 'numeric' }} />`}
        ${problem && html`<${ProblemNote} problem=${problem} known=${['meeting_id']} />`}
        <footer><button type="submit" class="button primary" disabled=${sending || !ready}>${sending ? 'Saying so…' : 'It is this one'}</button></footer>
      </form>
    </section>
  `;
}

/** @param {number} candidates */
const where = (candidates) =>
  candidates === 0 ? 'where no meeting of ours is known to have been at that time.' : candidates === 1 ? 'where one meeting may have been at that time.' : 'where more than one meeting was at that time.';

/** @param {{meeting: Meeting, chosen: boolean, onChosen: () => void}} props */
const Candidate = ({ meeting, chosen, onChosen }) => html`
  <label class="candidate">
    <input type="radio" name="meeting" value=${meeting.id} checked=${chosen} onChange=${onChosen} />
    <span><b>${title(meeting)}</b> <span class="sub"><a href=${link(`/meetings/${meeting.id}`)}>Meeting ${meeting.id}</a>, from <${Time} at=${meeting.start_time ?? meeting.created_at} />${meeting.end_time && html` to <${Time} at=${meeting.end_time} />`}</span></span>
  </label>
`;

/** @param {number[]} ids @returns {Promise<Meeting[]>} */
async function found(ids) {
  const asked = await Promise.allSettled(ids.map((id) => api.meeting(id)));
  return asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}
