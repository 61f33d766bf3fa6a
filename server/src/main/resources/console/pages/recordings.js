// @ts-check
// All recordings: their progress, those that wait for an assignment, and retries.
import { html, useState } from '../view.js';
import { useCell } from '../cell.js';
import { useCommands, useKeys } from '../keys.js';
import { Empty, Part } from '../parts/problem.js';
import { Head, Tabs } from '../parts/listpage.js';
import { RecordingRow, tryAgain } from '../parts/recording.js';
import { retriable } from '../text.js';
import { go, place } from '../router.js';
import { shelfOfAll } from '../recordings.js';
import { useShown } from '../query.js';

/** @type {[string, string][]} */
const SHOWS = [
  ['', 'All'],
  ['processing', 'In work'],
  ['unmatched', 'Unmatched'],
  ['failed', 'Failed'],
  ['done', 'Done'],
];

/** @type {Record<string, [string, string]>} */
const NOTHING = {
  '': ['Nothing was recorded yet', 'When a meeting that you follow is recorded, its recording appears here, becomes words, and reaches the CRM.'],
  processing: ['No recording is in progress', 'Recordings that are being fetched, transcribed or brought to the CRM appear here.'],
  unmatched: ['Every recording has its meeting', 'A recording without a known meeting waits here for its assignment.'],
  failed: ['No recording has failed', 'What could not be done, however often it was tried, appears here with the reason.'],
  done: ['No recording is done yet', 'Recordings whose work is done are kept here.'],
};

export function Recordings() {
  const { query } = useCell(place);
  const asked = query.get('show') ?? '';
  const show = asked in NOTHING ? asked : '';
  const shelf = useShown(() => shelfOfAll(show), [show]);
  const rows = shelf.cell.value.value?.items ?? [];
  const [cursor, setCursor] = useState('');
  const at = rows.findIndex(({ recording_id }) => recording_id === cursor);
  const chosen = at < 0 ? null : rows[at];
  const move = (/** @type {number} */ step) => {
    const next = rows[Math.min(rows.length - 1, Math.max(0, at + step))];
    if (!next) return;
    setCursor(next.recording_id);
    const anchor = /** @type {HTMLElement|null} */ (document.querySelector(`[data-recording="${next.recording_id}"] .recording-name > a`));
    anchor?.focus();
  };
  useKeys(
    [
      { keys: 'j', label: 'Next recording', group: 'Recordings', run: () => move(1) },
      { keys: 'k', label: 'Previous recording', group: 'Recordings', run: () => move(-1) },
      { keys: 'Enter', label: 'Open the recording', group: 'Recordings', run: () => chosen && go(`/recordings/${chosen.recording_id}`) },
      { keys: 'r', label: 'Try it again', group: 'Recordings', run: () => chosen && retriable(chosen) && void tryAgain(chosen, shelf) },
    ],
    [rows, cursor, shelf],
  );
  useCommands(
    SHOWS.map(([key, name], i) => ({ id: `recordings:${key}`, label: `Show recordings: ${name.toLowerCase()}`, hint: String(i + 1), icon: 'tape', run: () => go(key ? `/recordings?show=${key}` : '/recordings') })),
    [],
  );
  return html`
    <div class="page">
      <${Head} title="Recordings">From the file to words to the CRM, step by step.<//>
      <div class="filters" role="search" aria-label="Filter the recordings">
        <${Tabs} options=${SHOWS} group="Recordings" />
      </div>
      <${Part} resource=${shelf} rows=${8} title="The recordings could not be loaded" view=${(/** @type {any} */ { more, busy }) => html`
        ${rows.length === 0 ? html`<${Empty} title=${NOTHING[show][0]}><p>${NOTHING[show][1]}</p><//>` : html`
        <div class="shelf-head" aria-hidden="true">${['State', 'Recording', 'Work', 'Recorded', 'Length', 'CRM', ''].map((name) => html`<span>${name}</span>`)}</div>
        <ul class="shelf" aria-label="Recordings">
          ${rows.map((recording) => html`<${RecordingRow} key=${recording.recording_id} recording=${recording} shelf=${shelf} chosen=${recording.recording_id === cursor} />`)}
        </ul>`}
        ${more && html`<div class="more-rows"><button class="button" disabled=${busy} onClick=${() => shelf.more()}>Load older recordings</button></div>`}`} />
    </div>
  `;
}
