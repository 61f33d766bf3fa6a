// @ts-check
// The state of the event stream, as every part of the console asks for it and as the reader sees it.
import { html, useEffect, useState } from '../view.js';
import { useCell } from '../cell.js';
import { now } from '../now.js';
import { revalidate, stream } from '../store.js';
import { isStale } from '../stream.js';
import { exact, span, utc } from '../time.js';
import { Icon } from './icon.js';

/** Since when what is shown may be out of date; 0 while it is fresh. */
export function useStaleSince() {
  const link = useCell(stream.link);
  return isStale(link) ? link.lostAt : 0;
}

/** The time that counting things count to: now, or the moment the stream was lost. */
export function useKnownNow() {
  const at = useCell(now);
  const stale = useStaleSince();
  return stale > 0 ? Math.min(stale, at) : at;
}

/** For dialogs: that what they act upon may be another by now. */
export function StaleNote() {
  const since = useStaleSince();
  return since > 0
    ? html`<p class="field-hint">Live updates stopped at ${exact(since)}: the state shown may be old. The request is safe either way.</p>`
    : null;
}

/** One line in the frame: is this live? */
export function LinkState() {
  const link = useCell(stream.link);
  const received = useCell(stream.received);
  const live = link.phase === 'live';
  const text = live ? 'Live' : link.phase === 'connecting' && !link.lostAt ? 'Connecting' : 'Disconnected';
  return html`
    <div class="linkstate" data-phase=${live ? 'live' : link.lostAt ? 'down' : 'connecting'}
      title=${live ? `Connected since ${utc(link.since)}; ${received} events` : 'No live updates right now'}>
      <span class="pulse" key=${live ? received : 'off'} aria-hidden="true"></span>
      <span>${text}</span>
    </div>
  `;
}

/** What to know and do while the stream is away; shown after a moment, so a blink goes unmentioned. */
export function StaleBanner() {
  const link = useCell(stream.link);
  const at = useCell(now);
  const lost = link.lostAt;
  const [shown, show] = useState(false);
  useEffect(() => {
    if (!lost) return show(false);
    const timer = setTimeout(() => show(true), 1200);
    return () => clearTimeout(timer);
  }, [lost > 0]);
  if (!shown || !lost) return null;
  const wait = link.phase === 'down' ? Math.max(0, link.retryAt - at) : 0;
  return html`
    <div class="stale" role="status">
      <${Icon} name="unplugged" />
      <p>
        <strong>Live updates are interrupted.</strong> What you see is from
        ${' '}<time title=${utc(lost)}>${exact(lost)}</time> and may have changed since.
        <span class="stale-wait" aria-hidden="true"> ${wait > 900 ? `Trying again in ${span(wait)}.` : 'Trying again now.'}</span>
      </p>
      <button class="button small" onClick=${() => stream.connectNow()}>Try now</button>
      <button class="button small" onClick=${revalidate}>Refresh once</button>
    </div>
  `;
}
