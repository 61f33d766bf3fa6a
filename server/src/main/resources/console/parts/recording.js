// @ts-check
// A recording as one row: how it stands, how far the work on it is, and what to do about it.
import { html } from '../view.js';
import { api } from '../api.js';
import { useRow } from '../cell.js';
import { asProblem } from '../problem.js';
import { RECORDINGS, pipelineWords, retriable, stepName } from '../recordingwords.js';
import { link } from '../router.js';
import { carried } from '../session.js';
import { moving } from '../shelf.js';
import { title } from '../status.js';
import { meetings } from '../store.js';
import { stopwatch } from '../time.js';
import { toast } from '../toasts.js';
import { plain } from '../words.js';
import { Icon } from './icon.js';
import { useStaleSince } from './link.js';
import { Time } from './time.js';

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
export const Pipeline = ({ steps }) => html`
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
 * @param {import('../shelf.js').Shelf} props.shelf
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
        ${recording.status === 'unmatched' && html`<a class="button small" href=${href}>Say whose</a>`}
        ${retriable(recording) && html`<${Again} recording=${recording} shelf=${shelf} name=${name} />`}
      </span>
    </li>
  `;
}

/** Has the work go on where it stopped. @param {{recording: Recording, shelf: import('../shelf.js').Shelf, name: string}} props */
const Again = ({ recording, shelf, name }) => html`
  <button class="button small quiet" aria-label=${`Try again: the recording of ${name}`} onClick=${() => void tryAgain(recording, shelf)}><${Icon} name="refresh" size="14" /> Try again</button>
`;

/**
 * Asks for the work to be done again, from a step on or where it stopped; what comes of it is said.
 * @param {Recording} recording @param {import('../shelf.js').Shelf} shelf @param {Step} [from]
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
