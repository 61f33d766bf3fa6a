// @ts-check
// The attached simulator: its script, injected faults and invariants.
import { html, useEffect, useId, useRef, useState } from '../view.js';
import { announce } from '../announce.js';
import { api } from '../api.js';
import { Time, useKnownNow, useStaleSince } from '../parts/live.js';
import { Head, useLooked } from '../parts/listpage.js';
import { Empty, Part } from '../parts/problem.js';
import { asProblem } from '../problem.js';
import { attached } from '../simulator.js';
import { millis, span } from '../time.js';
import { plain } from '../text.js';

/** @typedef {import('../simulator.js').Fault} Fault */
/** @typedef {import('../simulator.js').Invariant} Invariant */

const LOOK_MS = 2000;
/** A fault is sent when the slider has rested for so long. */
const REST_MS = 400;
/** The default duration of a fault that has one. */
const SPAN_S = 5;

export function Simulator() {
  const held = useLooked(api.simulator, [], LOOK_MS);
  const judged = useLooked(api.invariants, [], LOOK_MS);
  // Released sliders show the simulator's value again.
  const [round, next] = useState(0);
  useEffect(() => {
    if (held.value) attached.set(true);
  }, [!held.value]);
  const calm = async () => {
    next(round + 1);
    await api.clearFaults();
    await held.load();
    return 'Every fault is off.';
  };
  if (held.problem?.status === 404) return html`<${Empty} page title="No simulator is attached"><p>A server whose <code>CONVOKE_SIM_URL</code> names one shows here what goes wrong in it.</p><//>`;
  const { value } = held;
  return html`
    <div class="page">
      <${Head} title="Simulator" actions=${[{ label: 'All faults off', keys: '0', icon: 'stop', run: calm }]}>
        ${value && html`
          <span>scenario <b>${value.scenario}</b></span><span>seed <b class="num">${value.seed}</b></span><span>speed <b class="num">${value.speed}×</b></span>
          <span>people <b class="num">${value.counts.people}</b></span><span>rooms <b class="num">${value.counts.rooms}</b></span><span>meetings to come <b class="num">${value.counts.upcoming}</b></span>`}
      <//>
      <div class="columns overview">
        <section class="card" aria-labelledby="h-invariants">
          <h2 id="h-invariants">What must be so</h2>
          <${Part} resource=${judged} title="The comparison could not be loaded" view=${(/** @type {any} */ { invariants }) => html`<${Invariants} invariants=${invariants} lost=${judged.phase === 'failed'} />`} />
        </section>
        <section class="card" aria-labelledby="h-faults">
          <h2 id="h-faults">What goes wrong</h2>
          <${Part} resource=${held} title="The simulator could not be loaded" view=${(/** @type {any} */ { faults }) => html`
            <ul class="faults" key=${round}>${faults.map((/** @type {Fault} */ fault) => html`<${Slider} key=${fault.kind} fault=${fault} load=${held.load} />`)}</ul>`} />
        </section>
      </div>
    </div>`;
}

/** @type {Record<Invariant['standing'], string>} */
const LIKE = { holds: 'done', settling: 'starting', violated: 'failed' };

/** @param {{invariants: Invariant[], lost: boolean}} props */
function Invariants({ invariants, lost }) {
  const now = useKnownNow();
  const old = useStaleSince() > 0 || lost;
  const broken = invariants.filter(({ standing }) => standing === 'violated').map(({ claim }) => claim).join(' ');
  const before = useRef(broken);
  useEffect(() => {
    if (broken !== before.current) announce(broken ? `Violated: ${broken}` : 'Everything that must be so is so again.');
    before.current = broken;
  }, [broken]);
  return html`
    <ul class="parts invariants">
      ${invariants.map(({ name, claim, standing, checked, allowed_ms, since, differing, examples }) => html`
        <li key=${name} data-standing=${old ? undefined : standing}>
          <span>${claim}
            <span class="sub">${differing === 0
              ? `${checked} looked at`
              : html`${examples.join('; ')}${differing > examples.length && ` and ${differing - examples.length} more`}, since <${Time} at=${since} as="exact" />; ${span(allowed_ms)} are allowed`}</span>
          </span>
          <span class="chip chip-${LIKE[standing]}" data-stale=${old || undefined}>${old && 'was '}${standing === 'violated' && !old ? `late ${span(Math.max(1000, now - millis(since) - allowed_ms))}` : standing}</span>
        </li>`)}
    </ul>`;
}

/** One fault: a change is sent after a pause, with its result beside it. @param {{fault: Fault, load: () => Promise<unknown>}} props */
function Slider({ fault, load }) {
  const { kind, effect, lasting, on, strikes } = fault;
  const id = useId();
  const rest = useRef(0);
  const [draft, setDraft] = useState(/** @type {{probability: number, amount_s: number}|null} */ (null));
  // What is being typed, which may be on its way to a number: "0.".
  const [text, setText] = useState(/** @type {string|null} */ (null));
  const [said, say] = useState('');
  useEffect(() => () => clearTimeout(rest.current), []);
  const { probability, amount_s } = draft ?? fault;
  const percent = Math.round(probability * 100);
  const send = async (/** @type {any} */ wanted) => {
    say('sent …');
    try {
      await api.setFaults({ [kind]: { probability: wanted.probability, ...(lasting ? { amount_s: wanted.amount_s } : {}), ...(on ? { on } : {}) } });
      await load();
      say('accepted');
    } catch (thrown) {
      const { title, detail } = asProblem(thrown);
      say(`refused: ${detail || title}`);
    }
    setDraft((/** @type {any} */ held) => (held === wanted ? null : held));
  };
  const change = (/** @type {any} */ changes) => {
    const wanted = { probability, amount_s, ...changes };
    if (lasting && wanted.amount_s === 0 && changes.probability) wanted.amount_s = SPAN_S;
    setDraft(wanted);
    say('');
    clearTimeout(rest.current);
    rest.current = setTimeout(() => void send(wanted), REST_MS);
  };
  const onSpan = (/** @type {any} */ { target }) => {
    setText(target.value);
    if (target.value !== '' && target.validity.valid) change({ amount_s: Number(target.value) });
  };
  return html`
    <li data-on=${probability > 0 || undefined}>
      <label for=${id}>${plain(kind)}</label>
      <input id=${id} type="range" min="0" max="100" step="5" value=${percent} aria-valuetext=${`${percent} %`} aria-describedby=${`${id}-what`}
        onInput=${(/** @type {any} */ { target }) => change({ probability: Number(target.value) / 100 })} />
      <output class="num" for=${id}>${percent} %</output>
      <p class="sub" id=${`${id}-what`}>${effect}${on && `, only where it says ${on}`}${strikes > 0 && html`, <span class="num">struck ${strikes}×</span>`}</p>
      ${lasting && html`
        <label class="fault-span">span <input type="number" min="0" max="600" step="any" value=${text ?? String(amount_s)} aria-label=${`Largest span of ${plain(kind)} in seconds`}
          onInput=${onSpan} onBlur=${() => setText(null)} /> s</label>`}
      <span class="fault-said ${said.startsWith('refused') ? 'trouble' : 'faint'}" role="status">${said}</span>
    </li>`;
}
