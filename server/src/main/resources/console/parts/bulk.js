// @ts-check
// Something done to many: first a dry run that names each of them, then the work with its progress and what came of it.
import { html, useEffect, useState } from '../view.js';
import { closeOverlay } from '../overlays.js';
import { asProblem } from '../problem.js';
import { Dialog } from './dialog.js';
import { Skeleton } from './empty.js';
import { StaleNote } from './link.js';
import { ProblemNote } from './problem.js';

/** @typedef {{id: string|number, label: string, note: string, able: boolean}} Item */
/** @typedef {{id: string|number, note: string, good: boolean}} Fate */
/**
 * @typedef {object} Bulk
 * @property {string} title
 * @property {string} text
 * @property {(count: number) => string} act what the button says
 * @property {() => Promise<{items: Item[], more: boolean}>} dry what would be done
 * @property {(ids: any[]) => Promise<Fate[]>} run does it to a few
 * @property {number} [size] how many of them at once
 */

/** @param {Bulk} props */
export function BulkDialog({ title, text, act, dry, run, size = 4 }) {
  const [plan, setPlan] = useState(/** @type {{items: Item[], more: boolean}|null} */ (null));
  const [without, setWithout] = useState(/** @type {ReadonlySet<any>} */ (new Set()));
  const [fates, setFates] = useState(/** @type {Fate[]|null} */ (null));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [stop] = useState({ asked: false });
  useEffect(() => {
    dry().then(setPlan, (thrown) => setProblem(asProblem(thrown)));
    return () => void (stop.asked = true);
  }, []);
  const chosen = plan?.items.filter(({ id, able }) => able && !without.has(id)) ?? [];
  const toggle = (/** @type {any} */ id) => setWithout((/** @type {ReadonlySet<any>} */ was) => new Set(was.has(id) ? [...was].filter((each) => each !== id) : [...was, id]));
  const go = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    /** @type {Fate[]} */
    let done = [];
    setFates(done);
    try {
      for (let i = 0; i < chosen.length && !stop.asked; i += size) {
        done = [...done, ...(await run(chosen.slice(i, i + size).map(({ id }) => id)))];
        setFates(done);
      }
    } catch (thrown) {
      setProblem(asProblem(thrown));
    }
    setBusy(false);
  };
  const bad = fates?.filter(({ good }) => !good).length ?? 0;
  const said = new Map(fates?.map((fate) => [fate.id, fate]));
  return html`
    <${Dialog} title=${title} kind="wide" onClose=${closeOverlay}>
      <form class="bulk" onSubmit=${go}>
        <p>${text}</p>
        <${StaleNote} />
        ${!plan && !problem && html`<${Skeleton} rows=${4} />`}
        ${plan && html`
          <p class="bulk-sum" role="status">
            ${fates
              ? html`<b class="num">${fates.length}</b> of ${chosen.length}${bad > 0 && html`, <span class="trouble">${bad} not done</span>`}${!busy && fates.length < chosen.length && ', ended before the rest'}`
              : html`Dry run: <b class="num">${chosen.length}</b> of ${plan.items.length}${plan.more ? '; more fit, and are for another time' : ''}.`}
          </p>
          ${fates && html`<progress max=${chosen.length} value=${fates.length} aria-label=${title}></progress>`}
          <ul class="bulk-list" tabindex="0" aria-label="Which">
            ${plan.items.map(({ id, label, note, able }) => html`
              <li key=${id}>
                <label>
                  <input type="checkbox" checked=${able && !without.has(id)} disabled=${!able || !!fates} onChange=${() => toggle(id)} />
                  <span class="bulk-label">${label}</span>
                  <span class=${said.get(id)?.good === false ? 'trouble' : 'faint'}>${said.get(id)?.note ?? note}</span>
                </label>
              </li>`)}
          </ul>`}
        ${problem && html`<${ProblemNote} problem=${problem} />`}
        <footer class="dialog-foot">
          <button type="button" class="button" onClick=${closeOverlay}>${busy ? 'End here' : fates ? 'Close' : 'Cancel'}</button>
          ${(!fates || busy) && html`<button type="submit" class="button danger" disabled=${busy || chosen.length === 0}>${busy ? 'Asking…' : act(chosen.length)}</button>`}
        </footer>
      </form>
    <//>
  `;
}
