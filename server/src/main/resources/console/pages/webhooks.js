// @ts-check
// Webhook endpoints: addresses, deliveries, and why one is paused.
import { html } from '../view.js';
import { api } from '../api.js';
import { useCell } from '../cell.js';
import { ask } from '../parts/form.js';
import { About, Chip, Head, Ledger, Tabs, about, tell, useList, useLooked } from '../parts/listpage.js';
import { Time } from '../parts/live.js';
import { go, link, place } from '../router.js';

const GROUP = 'Webhooks';

/** @param {any} props */
const State = ({ of: { state } }) => html`<${Chip} tone=${state === 'active' ? 'done' : 'failed'} moves>${state}<//>`;

export function Webhooks() {
  const list = useList(api.webhooks, []);
  const create = () => ask({ title: 'Send events to an address', button: 'Create it',
    text: 'Each message is signed with a secret that is shown once, and tried for 72 hours.',
    fields: [{ name: 'url', label: 'Address', more: { required: true, type: 'url', placeholder: 'https://…' } },
      { name: 'types', label: 'Types', hint: 'Such as meeting.status_changed recording.status_changed; empty for all.' }],
    act: async ({ url, types }) => {
      const made = await api.createWebhook({ url, types: types.split(/[\s,]+/).filter(Boolean) });
      void list.load();
      return made;
    } });
  return html`
    <div class="page">
      <${Head} title=${GROUP} actions=${[{ label: 'New endpoint', manages: true, keys: 'n', icon: 'plus', kind: 'primary', run: create }]}>Addresses that hear what happens.<//>
      <${Ledger} list=${list} name=${GROUP} kind="ledger ledger-webhooks" nothing=${['No endpoints yet', 'An endpoint is an address of yours that hears, signed and in order, what happens here.']} row=${row} />
    </div>`;
}

/** @param {any} endpoint */
const row = (endpoint) => html`
  <li key=${endpoint.id}>
    <${State} of=${endpoint} />
    <span class="ledger-name"><a href=${link(`/webhooks/${endpoint.id}`)}>${endpoint.url}</a><span class="sub">${endpoint.reason ?? (endpoint.types.join(', ') || 'all types')}</span></span>
    <span>${endpoint.user_id ? `user ${endpoint.user_id}` : 'all users'}</span>
    <span>since <${Time} at=${endpoint.created_at} /></span>
  </li>`;

/** @param {{params: string[]}} props */
export function OneWebhook({ params: [id] }) {
  const held = useLooked(() => api.webhook(id), [id]);
  return html`<${About} held=${held} what="endpoint">${(/** @type {any} */ endpoint) => html`<${Deliveries} endpoint=${endpoint} load=${held.load} />`}<//>`;
}

/** @param {any} props */
function Deliveries({ endpoint, load }) {
  const { id, url, state, reason, types } = endpoint;
  const show = useCell(place).query.get('show') ?? '';
  const list = useList((page) => api.deliveries(id, { ...page, state: show }), [id, show]);
  const send = (/** @type {string} */ what, /** @type {string} */ said) => api.tellWebhook(id, what).then(load).then(list.load).then(() => said);
  const remove = () => ask({ title: 'Delete this endpoint?', text: 'What waits for it is deleted too, and is not sent.', button: 'Delete it', danger: true, final: true,
    act: async () => {
      await api.deleteWebhook(id);
      go('/webhooks');
      return 'The endpoint is deleted.';
    } });
  const paused = state !== 'active';
  const actions = [
    paused
      ? { label: 'Set it going', keys: 'r', icon: 'refresh', kind: 'primary', run: () => send('resume', 'It goes on; what waited is sent first.') }
      : { label: 'Send a test', keys: 's', run: () => send('test', 'A test is on its way.') },
    { label: 'Delete', manages: true, kind: 'danger', run: remove },
  ];
  const row = (/** @type {any} */ { id, state, type, subject, attempts, last_status, last_error, delivered_at, last_tried_at, next_try_at, created_at }) => html`
    <li key=${id}>
      <${Chip} tone=${state === 'delivered' ? 'done' : last_error ? 'failed' : 'processing'} moves=${state === 'pending'}>${state === 'pending' && last_error ? 'waits' : state}<//>
      <span class="ledger-name"><b>${type}</b><span class="sub">${about({ subject })}</span></span>
      <span>${last_error ?? (last_status ? `HTTP ${last_status}` : 'not tried yet')}${attempts > 0 && html`<span class="sub num">${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}</span>`}</span>
      <span>${next_try_at && state === 'pending' ? html`again <${Time} at=${next_try_at} as="relative" />` : html`<${Time} at=${delivered_at ?? last_tried_at ?? created_at} />`}</span>
      <span>${state === 'delivered' && html`<button data-acts class="button small" onClick=${() => tell(() => send(`deliveries/${id}/resend`, 'It is sent again, after what waits.'))}>Send again</button>`}</span>
    </li>`;
  return html`
    <${Head} title=${url} group=${GROUP} up="/webhooks" actions=${actions}><${State} of=${endpoint} /><span>${types.join(', ') || 'all types'}</span><//>
    ${paused && html`<p class="note note-bad"><b>Paused:</b> ${reason ?? 'it did not answer'}. Nothing is lost: what waits and what comes meanwhile is sent, in order, when it is set going.</p>`}
    <div class="filters"><${Tabs} group=${GROUP} options=${[['', 'All'], ['pending', 'Waiting'], ['delivered', 'Delivered']]} /></div>
    <${Ledger} list=${list} name="Deliveries" kind="ledger ledger-deliveries" nothing=${['Nothing here', 'What is sent to this address appears here, with what it answered.']} row=${row} />`;
}
