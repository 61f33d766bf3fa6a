// @ts-check
// The door: a key or a token, proved against the server before it is kept.
import { html, useEffect, useState } from '../view.js';
import { api } from '../api.js';
import { useCell } from '../cell.js';
import { Choice, Field, useSending } from '../parts/form.js';
import { Mark } from '../parts/icon.js';
import { ProblemNote } from '../parts/problem.js';
import { ThemeButton } from '../parts/theme.js';
import { Problem } from '../problem.js';
import { farewell, signIn } from '../session.js';

/** @type {[string, string][]} */
const KINDS = [
  ['user', 'API key'],
  ['admin', 'Admin key'],
  ['jwt', 'JWT'],
];

/** @type {Record<string, string>} */
const HINTS = {
  user: 'Shows your own meetings. An administrator hands out keys.',
  admin: 'Shows the meetings of all users.',
  jwt: 'A token of your identity provider; its subject is your user id.',
};

const LOOKS_LIKE_JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export function SignIn() {
  const why = useCell(farewell);
  const [kind, setKind] = useState('user');
  const [secret, setSecret] = useState('');
  useEffect(() => {
    document.title = 'Sign in · Convoke';
  }, []);
  const { sending, problem, onSubmit } = useSending(async () => {
    const given = { kind: /** @type {import('../session.js').Kind} */ (kind), secret: secret.trim() };
    try {
      await api.prove(given);
    } catch (thrown) {
      if (thrown instanceof Problem && (thrown.status === 401 || thrown.status === 403)) {
        const detail = 'Check that it is complete and of the kind chosen above; it may also have been withdrawn.';
        throw new Problem({ status: thrown.status, title: 'This key is not accepted', detail, trace_id: thrown.traceId });
      }
      throw thrown;
    }
    signIn(given);
  });
  const onSecret = (/** @type {string} */ text) => {
    setSecret(text);
    if (LOOKS_LIKE_JWT.test(text.trim())) setKind('jwt');
  };
  return html`
    <main class="door">
      <div class="door-theme"><${ThemeButton} /></div>
      <form class="door-card" onSubmit=${onSubmit}>
        <div class="door-head"><${Mark} size="44" /><h1>Convoke</h1><p>The control plane for online meetings</p></div>
        ${why && !problem && html`<p class="door-why" role="status">${why}</p>`}
        <${Choice} label="Sign in with" name="kind" options=${KINDS} value=${kind} onValue=${setKind} />
        <${Field} label=${KINDS.find(([key]) => key === kind)?.[1] ?? 'Key'} name="secret" type="password" value=${secret} onValue=${onSecret}
          hint=${HINTS[kind]} more=${{ required: true, autofocus: true, autocomplete: 'current-password' }} />
        ${problem && html`<${ProblemNote} problem=${problem} />`}
        <button class="button primary wide" type="submit" disabled=${sending || !secret.trim()}>${sending ? 'Checking…' : 'Sign in'}</button>
        <p class="door-note">The key stays in this browser tab and is forgotten when you close it. <code>./convoke demo</code> prints one to try.</p>
      </form>
    </main>
  `;
}
