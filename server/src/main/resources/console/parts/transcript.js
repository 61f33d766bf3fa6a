// @ts-check
// What was said, as it comes; the newest stays in sight unless the reader scrolls up.
import { html, useLayoutEffect, useMemo, useRef } from '../view.js';
import { hueOf, lanesOf } from '../people.js';
import { clock, stopwatch } from '../time.js';

const MOST = 400;

/** @param {{transcript: import('../types.js').Transcript, sessions?: import('../types.js').Session[], onSeek?: (second: number) => void, heard?: number}} props `heard` is the second that sounds now */
export function Transcript({ transcript: { segments, partial }, sessions = [], onSeek, heard = NaN }) {
  const hues = useMemo(() => new Map(lanesOf(sessions).map(({ name, hue }) => [name, hue])), [sessions]);
  const box = useRef(/** @type {HTMLElement|null} */ (null));
  const follows = useRef(true);
  useLayoutEffect(() => {
    if (box.current && follows.current) box.current.scrollTop = box.current.scrollHeight;
  }, [segments]);
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = /** @type {HTMLElement} */ (box.current);
    follows.current = scrollHeight - scrollTop - clientHeight < 30;
  };
  const shown = segments.slice(-MOST);
  return html`
    <div class="transcript" ref=${box} onScroll=${onScroll} tabindex="0" role="log" aria-live="off" aria-label="Transcript">
      ${segments.length > MOST && html`<p class="faint">The first ${segments.length - MOST} segments are not shown here.</p>`}
      ${shown.map((segment, i) => {
        const again = shown[i - 1]?.speaker === segment.speaker && i > 0;
        return html`
          <p class="said" data-again=${again || undefined} aria-current=${(segment.start <= heard && heard < segment.end) || undefined}>
            ${onSeek
              ? html`<button class="said-at num" title="Hear it" onClick=${() => onSeek(Number(segment.start))}>${moment(segment.start)}</button>`
              : html`<span class="said-at num">${moment(segment.start)}</span>`}
            <span>${!again && html`<b class="hue${hues.get(segment.speaker ?? '') ?? hueOf(segment.speaker ?? '')}">${segment.speaker ?? 'Somebody'}</b> `}${segment.text}</span>
          </p>
        `;
      })}
      ${partial && html`<p class="said-more"><span class="dots" aria-hidden="true"><i></i><i></i><i></i></span> more is coming</p>`}
    </div>
  `;
}

/** Seconds from the beginning, or a time of day. @param {number|string} start */
const moment = (start) => (typeof start === 'number' ? stopwatch(start * 1000) : clock(Date.parse(start)));
