// @ts-check
// For the operator: users, how many bots each may have, and their keys.
import { html } from '../view.js';
import { api } from '../api.js';
import { ask } from '../parts/form.js';
import { About, Chip, Head, Ledger, useList, useLooked } from '../parts/listpage.js';
import { Time } from '../parts/live.js';
import { go, link } from '../router.js';

const GROUP = 'Users';

/** @param {any} user */
const limit = ({ max_concurrent_bots: most }) => (most === null ? 'no limit' : most === 1 ? '1 bot' : `${most} bots`);

/** What is asked of a user. @param {any} user */
const fields = ({ email = '', name = '', max_concurrent_bots: most = 1 }) => [
  { name: 'email', label: 'Email', value: email, more: { required: true, type: 'email' } },
  { name: 'name', label: 'Name', value: name ?? '' },
  { name: 'most', label: 'Bots at once', value: String(most ?? ''), hint: 'Empty for as many as they like.', more: { inputMode: 'numeric', pattern: '\\d{0,6}' } },
];

/** @param {any} values */
const bodyOf = ({ email, name, most }) => ({ email, name: name || null, max_concurrent_bots: most === '' ? null : Number(most) });

export function Users() {
  const list = useList(api.users, [], 10_000);
  const create = () => ask({ title: 'A new user', button: 'Create', fields: fields({}),
    act: async (values) => {
      const { id } = await api.createUser(bodyOf(values));
      go(`/users/${id}`);
      return 'Now they need a key.';
    } });
  return html`
    <div class="page">
      <${Head} title=${GROUP} actions=${[{ label: 'New user', manages: true, keys: 'n', icon: 'plus', kind: 'primary', run: create }]}>Who may use Convoke, and with how many bots.<//>
      <${Ledger} list=${list} name=${GROUP} kind="ledger ledger-users" nothing=${['There is no user yet', 'Each user has keys of their own, and sees what is theirs.']} row=${(/** @type {any} */ user) => html`
        <li key=${user.id}>
          <span class="num">${user.id}</span>
          <span class="ledger-name"><a href=${link(`/users/${user.id}`)}>${user.email}</a><span class="sub">${user.name}</span></span>
          <span>${limit(user)}</span>
          <span>since <${Time} at=${user.created_at} /></span>
        </li>`} />
    </div>`;
}

/** @param {{params: string[]}} props */
export function OneUser({ params: [id] }) {
  const held = useLooked(() => api.user(id), [id], 10_000);
  return html`<${About} held=${held} what="user">${(/** @type {any} */ user) => html`<${Keys} user=${user} load=${held.load} />`}<//>`;
}

/** @param {any} props */
function Keys({ user, load }) {
  const { id, email } = user;
  const list = useList((page) => api.tokens(id, page), [id], 10_000);
  const change = () => ask({ title: `Change ${email}`, button: 'Change', fields: fields(user), act: (values) => api.changeUser(id, bodyOf(values)).then(load).then(() => 'Changed.') });
  const create = () => ask({ title: 'A new key', button: 'Create', fields: [{ name: 'name', label: 'What it is for' }],
    act: async ({ name }) => {
      const { token } = await api.createToken(id, name ? { name } : {});
      void list.load();
      return { secret: token };
    } });
  const revoke = (/** @type {any} */ key) => ask({ title: 'Revoke this key?', text: 'Its users lose access within three seconds. This cannot be undone.', button: 'Revoke it', danger: true, final: true, act: () => api.revokeToken(key.id).then(list.load).then(() => 'The key is revoked.') });
  return html`
    <${Head} title=${email} group=${GROUP} up="/users" actions=${[{ label: 'Change', manages: true, keys: 'e', run: change }, { label: 'New key', manages: true, keys: 'n', icon: 'plus', kind: 'primary', run: create }]}>
      <span>user ${id}</span>${user.name && html`<span>${user.name}</span>`}<span>${user.disabled ? 'disabled' : limit(user)}</span><a href=${link(`/meetings?show=all&user=${id}`)}>their meetings</a>
    <//>
    <${Ledger} list=${list} name="Keys" kind="ledger ledger-users" nothing=${['No key yet', 'A key is what a program of theirs shows at every request.']} row=${(/** @type {any} */ key) => html`
      <li key=${key.id}>
        <${Chip} tone=${key.revoked_at ? 'empty' : 'done'}>${key.revoked_at ? 'revoked' : 'good'}<//>
        <span class="ledger-name"><b>${key.name ?? 'No name'}</b><span class="sub">key ${key.id}, made <${Time} at=${key.created_at} />, ${key.scopes.join(' ')}${key.last_used_at && html`, used <${Time} at=${key.last_used_at} />`}</span></span>
        <span>${key.revoked_at && html`<${Time} at=${key.revoked_at} />`}</span>
        <span>${!key.revoked_at && html`<button data-manages class="button small danger" onClick=${() => revoke(key)}>Revoke</button>`}</span>
      </li>`} />`;
}
