// @ts-check
// The work on a recording, step by step: how each stands, since when, how often it was tried, what it came to.
import { html } from '../view.js';
import { STEPS, redoable, retriable, stepName } from '../recordingwords.js';
import { millis, span } from '../time.js';
import { plain } from '../words.js';
import { useKnownNow, useStaleSince } from './link.js';
import { tryAgain } from './recording.js';
import { Time } from './time.js';

/** @typedef {import('../types.js').Recording} Recording */
/** @typedef {import('../types.js').Step} Step */

/** @param {{recording: Recording, shelf: import('../shelf.js').Shelf}} props */
export const Steps = ({ recording, shelf }) => html`
  <ol class="steps">
    ${recording.steps.map((step) => html`<${Row} key=${step.name} step=${step} recording=${recording} shelf=${shelf} />`)}
  </ol>
`;

/** @param {{step: Step, recording: Recording, shelf: import('../shelf.js').Shelf}} props */
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
        ${stopped && html`<button class="button small" onClick=${() => void tryAgain(recording, shelf)}>Try again</button>`}
        ${anew && html`<button class="button small ghost" title="This step and all that rest on it" aria-label=${`Do anew from ${stepName(step)} on`} onClick=${() => void tryAgain(recording, shelf, step)}>Do anew</button>`}
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

/** How far it is; while that is unknown, nothing is claimed. @param {{step: Step}} props */
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
