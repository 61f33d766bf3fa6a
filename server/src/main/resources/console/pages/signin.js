// @ts-check
// Sign-in: a key or token, which the server exchanges for a cookie.
import { html, useEffect, useState } from '../view.js';
import { useCell } from '../cell.js';
import { api } from '../api.js';
import { signIn } from '../auth.js';
import { Choice, Field, useSending } from '../parts/form.js';
import { ThemeButton } from '../parts/frame.js';
import { Mark } from '../parts/icon.js';
import { ProblemNote } from '../parts/problem.js';
import { Problem } from '../problem.js';
import { farewell } from '../session.js';

/** By its name in the API: label and scope. @type {[string, string, string][]} */
const KINDS = [
  ['api_key', 'API key', 'Shows your own meetings.'],
  ['admin_key', 'Admin key', 'Shows the meetings of all users.'],
  ['jwt', 'JWT', 'Its subject is your user id.'],
];

const LOOKS_LIKE_JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export function SignIn() {
  const why = useCell(farewell);
  const [kind, setKind] = useState('api_key');
  const [secret, setSecret] = useState('');
  const [, label, hint] = KINDS.find(([key]) => key === kind) ?? KINDS[0];
  const [oidc, setOidc] = useState(/** @type {string|null} */ (null));
  useEffect(() => {
    document.title = 'Sign in · Convoke';
    api.methods().then((it) => setOidc(it.oidc), () => {});
  }, []);
  const { sending, problem, onSubmit } = useSending(async () => {
    try {
      await signIn({ [kind]: secret.trim() });
    } catch (thrown) {
      if (thrown instanceof Problem && thrown.status === 401) {
        const detail = 'Check that it is complete, of the kind chosen above, and not withdrawn.';
        throw new Problem({ status: thrown.status, title: 'This key is not accepted', detail, trace_id: thrown.traceId });
      }
      throw thrown;
    }
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
        <${Field} label=${label} name="secret" type="password" value=${secret} onValue=${onSecret}
          hint=${hint} more=${{ required: true, autofocus: true, autocomplete: 'current-password' }} />
        ${problem && html`<${ProblemNote} problem=${problem} />`}
        <button class="button primary wide" type="submit" disabled=${sending || !secret.trim()}>${sending ? 'Checking…' : 'Sign in'}</button>
        ${oidc && html`<a class="button wide" href="/session/oidc">Sign in with ${oidc}</a>`}
        <p class="door-note">You stay signed in for twelve hours at most. <code>./convoke demo</code> prints a key to try.</p>
      </form>
    </main>
  `;
}
