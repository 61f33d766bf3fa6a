// @ts-check
// A problem, told so that the reader knows what to do: what happened, which field, what to quote to support.
import { html } from '../view.js';
import { Icon } from './icon.js';

/** @param {{problem: import('../problem.js').Problem, known?: string[]}} props fields in `known` show their own messages */
export function ProblemNote({ problem, known = [] }) {
  const errors = problem.errors.filter(({ field }) => !known.includes(field));
  if (problem.errors.length > 0 && errors.length === 0) return null;
  return html`
    <div class="problem" role="alert">
      <${Icon} name="alert" />
      <div>
        <strong>${problem.title}</strong>
        ${problem.detail && problem.detail !== problem.title && html`<p>${problem.detail}</p>`}
        ${errors.length > 0 && html`<ul>${errors.map(({ field, message }) => html`<li><code>${field}</code> ${message}</li>`)}</ul>`}
        ${problem.retryAfter > 0 && html`<p>Try again in ${problem.retryAfter} s.</p>`}
        <${Reference} problem=${problem} />
      </div>
    </div>
  `;
}

/** @param {{problem: import('../problem.js').Problem}} props */
function Reference({ problem: { status, code, traceId } }) {
  const parts = [status > 0 && `HTTP ${status}`, code, traceId && `trace ${traceId}`].filter(Boolean);
  return parts.length > 0 ? html`<p class="reference">${parts.join(' · ')}</p>` : null;
}
