// @ts-check
// Workflows: running and failed ones with their progress; and one with its history as a diagram and as text.
import { html, useMemo } from '../view.js';
import { api } from '../api.js';
import { useCell } from '../cell.js';
import { ask } from '../parts/form.js';
import { Picture, told } from '../parts/history.js';
import { About, Chip, Head, Ledger, Narrow, Tabs, Took, useList, useLooked } from '../parts/listpage.js';
import { Time, useKnownNow, useStaleSince } from '../parts/live.js';
import { Line } from '../parts/timeline.js';
import { Problem } from '../problem.js';
import { link, place } from '../router.js';
import { millis } from '../time.js';

const GROUP = 'Workflows';
const SHOWN = 300;

/** @type {Record<string, [string, string]>} */
const NOTHING = {
  '': ['No workflow was started yet', 'What follows a meeting, a recording or a webhook is carried to its end by one, whatever crashes.'],
  running: ['No workflow is under way', 'Those that work, sleep or wait for something appear here.'],
  failed: ['No workflow has failed', 'Those that gave up appear here with the reason, and can be begun again.'],
  completed: ['No workflow is done yet', 'Those that ended well are kept here for a while.'],
};

/** @type {Record<string, string>} */
const TONES = { running: 'processing', completed: 'done', failed: 'failed' };

/** The progress of a workflow, if it is structured data. @param {string|null} progress */
function structured(progress) {
  try {
    const said = JSON.parse(progress ?? '');
    return typeof said === 'object' ? said : null;
  } catch {
    return null;
  }
}

/** @param {any} props */
const State = ({ of: { status } }) => html`<${Chip} tone=${TONES[status]} moves=${status === 'running'}>${status}<//>`;

/** @param {any} props */
const To = ({ id, children = id }) => html`<a href=${link(`/workflows/${encodeURIComponent(id)}`)}>${children}</a>`;

/** @param {any} props */
const Its = ({ of: { meeting_id: id } }) => id && html`<a href=${link(`/meetings/${id}`)}>Meeting ${id}</a>`;

export function Workflows() {
  const { query } = useCell(place);
  const name = query.get('name') ?? '';
  const status = query.get('show') ?? '';
  const list = useList((page) => api.workflows({ ...page, status, name }), [status, name]);
  return html`
    <div class="page">
      <${Head} title=${GROUP}>What goes on for minutes or weeks, and survives crashes.<//>
      <div class="filters">
        <${Tabs} group=${GROUP} options=${[['', 'All'], ['running', 'Running'], ['failed', 'Failed'], ['completed', 'Completed']]} />
        <${Narrow} name="name" label="Called" keys="/" group=${GROUP} hint="post-meeting" />
      </div>
      <${Ledger} list=${list} name=${GROUP} kind="ledger ledger-workflows" nothing=${name ? [`No workflow is called ${name}`, 'The whole name is looked for.'] : (NOTHING[status] ?? NOTHING[''])} row=${row} />
    </div>`;
}

/** @param {any} workflow */
const row = (workflow) => html`
  <li key=${workflow.id}>
    <${State} of=${workflow} />
    <span class="ledger-name"><${To} id=${workflow.id} /><span class="sub">${workflow.error ?? (structured(workflow.progress) ? workflow.name : workflow.progress ?? workflow.name)}</span></span>
    <span><${Its} of=${workflow} /></span>
    <span>began <${Time} at=${workflow.created_at} /></span>
    <span>${workflow.completed_at ? 'took' : 'for'} <${Took} from=${workflow.created_at} to=${workflow.completed_at} /></span>
  </li>`;

/** @param {{params: string[]}} props */
export function OneWorkflow({ params }) {
  const id = decodeURIComponent(params[0]);
  const held = useLooked(() => api.workflow(id), [id], 2000);
  return html`<${About} held=${held} what="workflow">${(/** @type {any} */ story) => html`<${Told} story=${story} load=${held.load} />`}<//>`;
}

/** The actions possible in its state. @param {any} workflow @param {() => any} load */
function actionsOf({ id, status }, load) {
  const send = (/** @type {string} */ what, /** @type {any} */ body, /** @type {string} */ said) => api.tellWorkflow(id, what, body).then(load).then(() => said);
  const retry = () => send('retry', undefined, 'It begins again.');
  const cancel = () => ask({ title: 'Ask it to end?', button: 'Ask it to end', danger: true,
    text: 'It is told where it waits, and may clean up first. It then counts as failed, and can be begun again.',
    fields: [{ name: 'reason', label: 'Reason', hint: 'Stands in its history.' }],
    act: ({ reason }) => send('cancel', reason ? { reason } : {}, 'It was asked to end.') });
  const signal = () => ask({ title: 'Tell it that something happened', button: 'Tell it',
    fields: [{ name: 'name', label: 'Event', hint: 'The name that it waits for.', more: { required: true } }, { name: 'data', label: 'Data', hint: 'JSON, or nothing.' }],
    act: async ({ name, data }) => send(`events/${encodeURIComponent(name)}`, parsed(data), `It was told ${name}.`) });
  if (status === 'failed') return [{ label: 'Begin again', keys: 'r', icon: 'refresh', kind: 'primary', run: retry }];
  return status === 'running' ? [{ label: 'Tell it something', keys: 'e', run: signal }, { label: 'Cancel', keys: 'x', kind: 'danger', run: cancel }] : [];
}

/** @param {string} text */
function parsed(text) {
  try {
    return text.trim() ? JSON.parse(text) : {};
  } catch {
    throw new Problem({ status: 0, title: 'The data cannot be read', errors: [{ field: 'data', message: 'is not JSON' }] });
  }
}

/** @param {any} props */
function Told({ story, load }) {
  const { workflow, children, truncated } = story;
  const live = workflow.status === 'running';
  const stale = useStaleSince() > 0;
  const now = useKnownNow();
  const until = live ? now : millis(workflow.completed_at);
  const { lanes, said } = useMemo(() => told(story, until), [story, until]);
  const card = (/** @type {string} */ name, /** @type {any} */ shown) => html`<section class="card" aria-label=${name}><h2>${name}</h2>${shown}</section>`;
  const data = (/** @type {string} */ name, /** @type {any} */ value) => value !== null && card(name, html`<pre class="data" tabindex="0">${JSON.stringify(value, null, 2)}</pre>`);
  return html`
    <${Head} title=${workflow.id} group=${GROUP} up="/workflows" actions=${actionsOf(workflow, load)}>
      <${State} of=${workflow} /><span>${workflow.name}</span><${Its} of=${workflow} />
      ${workflow.parent && html`<${To} id=${workflow.parent}>part of ${workflow.parent}<//>`}
      <span>began <${Time} at=${workflow.created_at} /></span>
      <span>${live ? 'for' : 'took'} <${Took} from=${workflow.created_at} to=${workflow.completed_at} /></span>
      ${workflow.execution_id > 1 && html`<span>execution ${workflow.execution_id}</span>`}
    <//>
    ${workflow.error ? html`<p class="note note-bad"><b>Failed:</b> ${workflow.error}</p>` : workflow.progress && !structured(workflow.progress) && html`<p class="note"><b>It says:</b> ${workflow.progress}</p>`}
    ${card('What happened when', html`<${Picture} lanes=${lanes} until=${until} live=${live} stale=${stale} />`)}
    <div class="columns">
      ${card('History, latest first', html`
        <ol class="timeline">${said.slice(-SHOWN).reverse().map((each) => html`<${Line} key=${`${each.raw.execution_id} ${each.raw.event_id}`} at=${each.at} said=${each} raw=${each.raw} />`)}</ol>
        ${(truncated || said.length > SHOWN) && html`<p class="faint">There is more of it; the API has the latest 10,000 events.</p>`}`)}
      <div class="stack">
        ${data('What it says', structured(workflow.progress))}
        ${data('What it came to', workflow.output)}
        ${children.length > 0 && card('Workflows that it started', html`<ul>${children.slice(0, SHOWN).map((/** @type {string} */ id) => html`<li><${To} id=${id} /></li>`)}</ul>`)}
      </div>
    </div>`;
}
