// @ts-check
// Placeholders: problem, skeleton, empty state.
import { html } from '../view.js';
import { useCell } from '../cell.js';
import { Icon, Mark } from './icon.js';

/**
 * A problem with what the user needs: what happened, which field, what to quote to support.
 *
 * @param {{problem: import('../problem.js').Problem, known?: string[]}} props fields in `known` show their own messages
 */
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

// The empty state: a circle of seats, a sentence, an action.

/** @param {{title: string, children?: any, small?: boolean, page?: boolean}} props `page`: it is all there is, so its title heads the page */
export const Empty = ({ title, children, small = false, page = false }) => html`
  <div class="empty ${small ? 'empty-small' : ''}">
    ${!small && html`<${Mark} size="56" />`}
    ${page ? html`<h1 class="empty-title">${title}</h1>` : html`<p class="empty-title">${title}</p>`}
    ${children}
  </div>
`;

/** @param {{problem: import('../problem.js').Problem, onRetry: () => void, title?: string, page?: boolean}} props */
export const Failed = ({ problem, onRetry, title, page = false }) => html`
  <div class="failed">
    ${title && (page ? html`<h1 class="empty-title">${title}</h1>` : html`<p class="empty-title">${title}</p>`)}
    <${ProblemNote} problem=${problem} />
    <button type="button" class="button" onClick=${onRetry}>Try again</button>
  </div>
`;

/** Grey lines in the shape of the content. @param {{rows?: number}} props */
export const Skeleton = ({ rows = 6 }) => html`
  <div class="skeleton" aria-busy="true">
    <span class="hidden">Loading</span>
    ${Array.from({ length: rows }, (_, i) => html`<div class="bone bone-${i % 3}" aria-hidden="true"></div>`)}
  </div>
`;

// A fetched part of a page: skeleton, problem, or content.

/**
 * @param {object} props
 * @param {{cell: import('../cell.js').Cell<any>, load: () => unknown}} props.resource
 * @param {(value: any) => any} props.view
 * @param {string} [props.title] what could not be loaded
 * @param {number} [props.rows]
 */
export function Part({ resource, view, title, rows = 3 }) {
  const { phase, value, problem } = useCell(resource.cell);
  if (value === null && phase === 'failed' && problem) return html`<${Failed} title=${title} problem=${problem} onRetry=${() => resource.load()} />`;
  if (value === null) return html`<${Skeleton} rows=${rows} />`;
  return html`${phase === 'failed' && problem && html`<${ProblemNote} problem=${problem} />`}${view(value)}`;
}
