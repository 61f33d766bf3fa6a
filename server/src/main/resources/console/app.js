// @ts-check
// Entry point: reads the session, binds the keyboard, shows the page of this address.
import { html, render, useEffect, useErrorBoundary } from './view.js';
import { useCell } from './cell.js';
import { arrive, knock, silence } from './auth.js';
import { listen } from './keys.js';
import { PAGES } from './pages.js';
import { Missing } from './pages/missing.js';
import { SignIn } from './pages/signin.js';
import { Frame } from './parts/frame.js';
import { asProblem } from './problem.js';
import { followLinks, place } from './router.js';
import { who } from './session.js';
import { reset, stream } from './store.js';
import { Failed } from './parts/problem.js';

function App() {
  const here = useCell(who);
  useEffect(() => {
    if (!here) return;
    stream.start();
    return reset;
  }, [here]);
  if (here === undefined) return html`<${Silent} />`;
  return here ? html`<${Frame}><${Page} /><//>` : html`<${SignIn} />`;
}

/** Empty while the first request runs; on failure, the problem. */
function Silent() {
  const problem = useCell(silence);
  if (!problem) return null;
  return html`<main class="door"><div class="door-card"><${Failed} page title="Convoke does not answer" problem=${problem} onRetry=${knock} /></div></main>`;
}

function Page() {
  const { path } = useCell(place);
  for (const page of PAGES) {
    const found = page.match.exec(path);
    if (found) return html`<${Guard} key=${path}><${page.view} params=${found.slice(1)} /><//>`;
  }
  return html`<${Missing} />`;
}

/** One broken page must not take the frame with it. @param {{children: any}} props */
function Guard({ children }) {
  const [thrown, again] = useErrorBoundary((error) => console.error(error));
  if (!thrown) return children;
  return html`<${Failed} page title="This page could not be shown" problem=${asProblem(thrown)} onRetry=${again} />`;
}

void arrive();
addEventListener('hashchange', arrive);
followLinks();
listen();
render(html`<${App} />`, /** @type {HTMLElement} */ (document.getElementById('app')));
