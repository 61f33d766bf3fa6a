// @ts-check
// A recording as one row: status, progress, actions.
import { html, useEffect, useMemo, useState } from '../view.js';
import { toast } from '../announce.js';
import { api } from '../api.js';
import { Resource, useCell, useRow } from '../cell.js';
import { asProblem, passes } from '../problem.js';
import { link } from '../router.js';
import { carried, who } from '../session.js';
import { moving } from '../recordings.js';
import { title } from '../status.js';
import { meetings } from '../store.js';
import { millis, span, stopwatch } from '../time.js';
import { RECORDINGS, STEPS, pipelineWords, plain, redoable, retriable, stepName } from '../text.js';
import { Field, useSending } from './form.js';
import { Time, useKnownNow, useStaleSince } from './live.js';
import { Icon } from './icon.js';
import { Part, ProblemNote } from './problem.js';

/** @typedef {import('../types.js').Recording} Recording */
/** @typedef {import('../types.js').Step} Step */

/** @param {{recording: Recording}} props */
export function RecordingChip({ recording }) {
  const { status } = recording;
  const stale = useStaleSince() > 0 && (moving(recording) || status === 'in_progress');
  const word = stale ? `was ${plain(status)}` : plain(status);
  return html`<span class="chip chip-${status}" data-stale=${stale || undefined} title=${RECORDINGS[status] ?? ''}>${word}</span>`;
}

/** The steps as five small marks, each state with a shape of its own. @param {{steps: Step[]}} props */
const Pipeline = ({ steps }) => html`
  <span class="pipeline" role="img" aria-label=${pipelineWords(steps)}>
    ${steps.map((step) => html`<span class="pipe pipe-${step.state}" title=${`${stepName(step)}: ${plain(step.state)}${step.error ? `. ${step.error}` : ''}`}></span>`)}
  </span>
`;

/** The name of what was recorded: the meeting's, as far as it is known here. @param {Recording} recording */
export function useRecordingName(recording) {
  const row = useRow(meetings, recording.meeting_id ?? 0);
  return row ? title(row) : recording.room_name || `Recording ${recording.recording_id.slice(0, 8)}`;
}

/** @param {{recording: Recording}} props */
export const Length = ({ recording: { duration_s } }) => (duration_s == null ? html`<span class="faint">–</span>` : stopwatch(duration_s * 1000));

/**
 * @param {object} props
 * @param {Recording} props.recording
 * @param {import('../recordings.js').Shelf} props.shelf
 * @param {boolean} [props.chosen]
 * @param {boolean} [props.within] it stands on its meeting's own page
 */
export function RecordingRow({ recording, shelf, chosen = false, within = false }) {
  const name = useRecordingName(recording);
  const { recording_id: id, meeting_id: meeting, candidates, steps } = recording;
  const broken = steps.find(({ state }) => state === 'failed');
  const trouble = broken ? `${stepName(broken)}: ${broken.error ?? 'failed'}` : recording.status === 'failed' || recording.status === 'given_up' ? plain(recording.reason) : '';
  const href = link(`/recordings/${id}`);
  return html`
    <li class="recording" data-recording=${id} data-chosen=${chosen || undefined} data-within=${within || undefined}>
      <span class="recording-state"><${RecordingChip} recording=${recording} /></span>
      <span class="recording-name">
        <a href=${href}>${within ? html`<${Time} at=${recording.start_time ?? recording.created_at} />` : name}</a>
        <span class="sub">
          ${trouble
            ? html`<span class="trouble" title=${trouble}>${trouble}</span>`
            : recording.status === 'unmatched'
              ? html`${candidates.length === 1 ? 'one meeting' : `${candidates.length} meetings`} it may belong to`
              : meeting != null && !within
                ? html`<a href=${link(`/meetings/${meeting}`)}>Meeting ${meeting}</a>`
                : html`${recording.kind || 'recording'}`}
        </span>
      </span>
      <span class="recording-pipe"><${Pipeline} steps=${steps} /></span>
      ${!within && html`<span class="recording-at"><${Time} at=${recording.start_time ?? recording.created_at} /></span>`}
      <span class="recording-length num"><${Length} recording=${recording} /></span>
      ${!within && html`<span class="recording-sync">${meeting != null && html`<sync-status meeting-id=${meeting} headers=${carried} interval="30" />`}</span>`}
      <span class="recording-act">
        ${recording.status === 'unmatched' && html`<a data-acts class="button small" href=${href}>Say whose</a>`}
        ${retriable(recording) && html`<${Again} recording=${recording} shelf=${shelf} name=${name} />`}
      </span>
    </li>
  `;
}

/** Retries from the failed step. @param {{recording: Recording, shelf: import('../recordings.js').Shelf, name: string}} props */
const Again = ({ recording, shelf, name }) => html`
  <button data-acts class="button small quiet" aria-label=${`Try again: the recording of ${name}`} onClick=${() => void tryAgain(recording, shelf)}><${Icon} name="refresh" size="14" /> Try again</button>
`;

/**
 * Requests a retry, from a step or from where it stopped, and shows the result.
 * @param {Recording} recording @param {import('../recordings.js').Shelf} shelf @param {Step} [from]
 */
export async function tryAgain(recording, shelf, from) {
  try {
    shelf.put(await api.retryRecording(recording.recording_id, from?.name));
    toast(from ? `Done anew from “${stepName(from)}” on.` : 'The work goes on where it stopped.');
  } catch (thrown) {
    toast('It could not be tried again', asProblem(thrown));
    void shelf.load();
  }
}

// The steps of a recording: state, since when, attempts, result.

/** @param {{recording: Recording, shelf: import('../recordings.js').Shelf}} props */
export const Steps = ({ recording, shelf }) => html`
  <ol class="steps">
    ${recording.steps.map((step) => html`<${Row} key=${step.name} step=${step} recording=${recording} shelf=${shelf} />`)}
  </ol>
`;

/** @param {{step: Step, recording: Recording, shelf: import('../recordings.js').Shelf}} props */
function Row({ step, recording, shelf }) {
  const stopped = step.state === 'failed' && retriable(recording);
  const anew = !stopped && step.state !== 'pending' && step.state !== 'running' && redoable(recording);
  return html`
    <li class="step" data-step=${step.name} data-state=${step.state}>
      <span class="step-mark" aria-hidden="true"></span>
      <div class="step-body">
        <p class="step-head"><b>${stepName(step)}</b> <span class="step-state">${plain(step.state)}</span> <${When} step=${step} /></p>
        <p class="step-note">${step.state === 'pending' ? STEPS[step.name]?.means : (step.detail ?? STEPS[step.name]?.means)}</p>
        ${step.state === 'running' && html`<${Progress} step=${step} />`}
        ${step.error && html`<p class="step-error">${step.state === 'running' ? `The last try: ${step.error}` : step.error}</p>`}
      </div>
      <div class="step-side">
        ${step.attempts > 1 && html`<span class="step-tries num">${step.attempts} attempts</span>`}
        ${stopped && html`<button data-acts class="button small" onClick=${() => void tryAgain(recording, shelf)}>Try again</button>`}
        ${anew && html`<button data-acts class="button small ghost" title="This step and all that rest on it" aria-label=${`Do anew from ${stepName(step)} on`} onClick=${() => void tryAgain(recording, shelf, step)}>Do anew</button>`}
      </div>
    </li>
  `;
}

/** @param {{step: Step}} props */
function When({ step }) {
  const at = useKnownNow();
  const began = millis(step.started_at);
  if (step.state === 'running') return html`<span class="step-when num">for ${span(at - began)}</span>`;
  if (!step.ended_at) return null;
  const took = millis(step.ended_at) - began;
  return html`<span class="step-when"><${Time} at=${step.ended_at} as="relative" />${step.state === 'done' && took >= 0 && html`, took <span class="num">${took < 1000 ? 'under a second' : span(took)}</span>`}</span>`;
}

/** The progress, if known. @param {{step: Step}} props */
function Progress({ step: { progress } }) {
  const stale = useStaleSince() > 0;
  const share = Math.round(progress * 100);
  if (stale || share === 0) return null;
  return html`
    <div class="step-progress" role="progressbar" aria-valuemin="0" aria-valuemax="100" aria-valuenow=${share} aria-label="Progress">
      <svg height="4" width="100%" aria-hidden="true"><rect class="turn-all" width="100%" height="4" rx="2" /><rect class="turn-left" width=${`${share}%`} height="4" rx="2" /></svg>
      <span class="num">${share} %</span>
    </div>
  `;
}

// The candidate meetings of a recording, each with a button to assign it.

/** @typedef {import('../types.js').Meeting} Meeting */

/** @param {{recording: Recording, shelf: import('../recordings.js').Shelf}} props */
export function Whose({ recording, shelf }) {
  const admin = useCell(who)?.role === 'admin';
  const [chosen, choose] = useState(0);
  const [given, setGiven] = useState('');
  const ids = recording.candidates.join(',');
  // The API refuses a candidate of another user.
  const candidates = useMemo(() => new Resource(() => found(recording.candidates)), [ids]);
  useEffect(() => void candidates.load(), [candidates]);
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
        <${Part} resource=${candidates} rows=${2} title="The meetings could not be loaded" view=${(/** @type {Meeting[]} */ value) => value.length > 0 ? html`
          <fieldset>
            <legend class="hidden">Meetings that it may belong to</legend>
            ${value.map((meeting) => html`<${Candidate} key=${meeting.id} meeting=${meeting} chosen=${meeting.id === chosen} onChosen=${() => { choose(meeting.id); setGiven(''); }} />`)}
          </fieldset>` : !admin && html`<p class="faint">No meeting of yours is in question any more.</p>`} />
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

/** Those that the user may read. @param {number[]} ids @returns {Promise<Meeting[]>} */
async function found(ids) {
  const asked = await Promise.allSettled(ids.map((id) => api.meeting(id)));
  for (const each of asked) if (each.status === 'rejected' && passes(each.reason)) throw each.reason;
  return asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}
