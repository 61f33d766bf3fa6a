// @ts-check
// Page not found.
import { html, useEffect } from '../view.js';
import { Empty } from '../parts/problem.js';
import { link } from '../router.js';

export function Missing() {
  useEffect(() => {
    document.title = 'No such page · Convoke';
  }, []);
  return html`
    <${Empty} page title="There is no page at this address">
      <p>The link may be mistyped, or from another version of Convoke.</p>
      <a class="button" href=${link('/meetings')}>To the meetings</a>
    <//>
  `;
}
