// @ts-check
// What stands where there is nothing: an open circle of seats, a sentence, and what to do about it.
import { html } from '../view.js';
import { Mark } from './icon.js';
import { ProblemNote } from './problem.js';

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
    <button class="button" onClick=${onRetry}>Try again</button>
  </div>
`;

/** Grey lines in the shape of what will come. @param {{rows?: number}} props */
export const Skeleton = ({ rows = 6 }) => html`
  <div class="skeleton" aria-busy="true">
    <span class="hidden">Loading</span>
    ${Array.from({ length: rows }, (_, i) => html`<div class="bone bone-${i % 3}" aria-hidden="true"></div>`)}
  </div>
`;
