// @ts-check
// The summary of a meeting: its statements, each with links to the segments that it is taken from.
import { html } from '../view.js';
import { api } from '../api.js';
import { meetingOf } from '../apply.js';
import { useCommands } from '../keys.js';
import { Shown, useShown } from '../query.js';
import { link } from '../router.js';
import { stopwatch } from '../time.js';
import { tell } from './listpage.js';

/** @type {Record<string, string>} */
const STATUSES = { waiting: 'It is being written.', running: 'It is being written.', empty: 'Nothing was said that could be summarized.', deleted: 'It was deleted with a recording.' };

/** Nothing without a summary. @param {{id: number}} props */
export function Summary({ id }) {
  const shown = useShown(
    () => new Shown(`summary ${id}`, () => api.summary(id), { hears: (events) => events.some((event) => event.type.startsWith('summary.') && meetingOf(event) === id) }),
    [id],
  );
  const write = () =>
    tell(async () => {
      await api.summarize(id);
      await shown.load();
      return 'The summary is being written.';
    });
  useCommands([{ id: 'summarize', label: 'Summarize this meeting', icon: 'pen', words: 'summary again', run: write }], [shown]);
  const { value } = shown.cell.value;
  if (!value || value.status === 'none') return null;
  const { status, text, citations, rejected, error, summarizer } = value;
  const busy = status === 'waiting' || status === 'running';
  return html`
    <section class="card" aria-labelledby="h-summary">
      <div class="card-head">
        <h2 id="h-summary">Summary</h2>
        <button class="button small" disabled=${busy} onClick=${write}>Write it again</button>
      </div>
      ${STATUSES[status] && html`<p class="faint" role="status">${STATUSES[status]}</p>`}
      ${error && html`<p class="step-error">${error}</p>`}
      <div class="summary">${text?.split('\n\n').map((/** @type {string} */ statement) => html`<p>${cited(statement, citations, id)}</p>`)}</div>
      ${text && html`<p class="faint">Written by ${summarizer}, which may be wrong; the times lead to what was said.${rejected > 0 && ` It cited ${rejected} ${rejected === 1 ? 'line' : 'lines'} that ${rejected === 1 ? 'does' : 'do'} not exist.`}</p>`}
    </section>
  `;
}

/** Marks as links to segments. @param {string} statement @param {any[]} citations @param {number} id */
const cited = (statement, citations, id) =>
  statement.split(/\[(\d+)\]/).map((part, i) => {
    const citation = i % 2 ? citations.find(({ mark }) => mark === Number(part)) : null;
    if (!citation) return i % 2 ? '' : part;
    const at = stopwatch(citation.start * 1000);
    return html`<a class="num" href=${link(`/meetings/${id}?segment=${citation.segment_id}`)} aria-label=${`What was said at ${at}`}>${at}</a> `;
  });
