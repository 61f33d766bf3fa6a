// @ts-check
// A fetched part of a page: its bones, its trouble, or itself.
import { html } from '../view.js';
import { useCell } from '../cell.js';
import { Failed, Skeleton } from './empty.js';
import { ProblemNote } from './problem.js';

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
