// @ts-check
// One meeting as a row of the list; on a phone the same cells form a card.
import { html, useEffect, useRef } from '../view.js';
import { useCell, useRow } from '../cell.js';
import { open } from '../keys.js';
import { go, link, refine } from '../router.js';
import { carried } from '../session.js';
import { lasted, terminal, title, tracked } from '../status.js';
import { asked, meetings } from '../store.js';
import { stopwatch } from '../time.js';
import { BotChip, Heads, PlatformTag, RoomChip, Time, useKnownNow } from './live.js';
import { Icon } from './icon.js';

/** @param {{id: number, index: number, chosen: boolean, admin: boolean, live: boolean}} props `live`: of a list of those that are not over */
export function MeetingRow({ id, index, chosen, admin, live }) {
  const row = useRow(meetings, id);
  const stopAsked = useCell(asked).has(id);
  const ref = useRef(/** @type {HTMLElement|null} */ (null));
  useFlash(ref, row ? `${row.status} ${row.num_clients}` : '');
  if (!row) return null;
  const over = terminal(row.status);
  const steerable = !over && !tracked(row);
  const href = link(`/meetings/${id}`);
  const onClick = (/** @type {MouseEvent} */ event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.closest('a, button, sync-status') || getSelection()?.toString()) return;
    if (event.metaKey || event.ctrlKey) window.open(href);
    else go(`/meetings/${id}`);
  };
  const name = title(row);
  const sub = name === row.platform_specific_id ? `#${id}` : `${row.platform_specific_id} · #${id}`;
  return html`
    <div class="row" role="row" aria-rowindex=${index + 2} data-row=${id} data-chosen=${chosen || undefined} data-gone=${(live && over) || undefined} ref=${ref} onClick=${onClick}>
      <span role="cell" class="cell-room"><${RoomChip} meeting=${row} /></span>
      <span role="cell" class="cell-name">
        <a href=${href}>${name}</a>
        <span class="sub">
          ${sub}${admin && html` · <button class="texty" onClick=${() => refine({ user: String(row.user_id) })} title="Only this user's meetings">user ${row.user_id}</button>`}
        </span>
      </span>
      <span role="cell" class="cell-platform"><${PlatformTag} platform=${row.platform} /></span>
      <span role="cell" class="cell-people">${over ? html`<span class="faint">–</span>` : html`<${Heads} count=${row.num_clients} />`}</span>
      <span role="cell" class="cell-bot"><${BotChip} meeting=${row} asked=${stopAsked} /></span>
      <span role="cell" class="cell-sync"><sync-status meeting-id=${id} headers=${carried} interval="30" /></span>
      <span role="cell" class="cell-began"><${Time} at=${row.start_time ?? row.created_at} /></span>
      <span role="cell" class="cell-lasted num"><${Lasted} meeting=${row} /></span>
      <span role="cell" class="cell-act">
        ${steerable && html`
          <button data-acts class="button small quiet" title="Ask the bot to leave (x)" aria-label=${`Stop the bot in ${name}`} onClick=${() => open({ kind: 'stop', id })}>
            <${Icon} name="stop" size="14" /> Stop
          </button>
        `}
      </span>
    </div>
  `;
}

/** @param {{meeting: import('../types.js').Meeting}} props */
export function Lasted({ meeting }) {
  const over = terminal(meeting.status);
  return over ? html`<${Length} ms=${lasted(meeting, 0)} />` : html`<${Running} meeting=${meeting} />`;
}

/** @param {{meeting: import('../types.js').Meeting}} props */
function Running({ meeting }) {
  return html`<${Length} ms=${lasted(meeting, useKnownNow())} />`;
}

/** @param {{ms: number}} props */
const Length = ({ ms }) => (Number.isFinite(ms) && ms >= 0 ? stopwatch(ms) : html`<span class="faint">–</span>`);

/** A brief light on what has just changed. @param {{current: HTMLElement|null}} ref @param {string} value */
export function useFlash(ref, value) {
  const before = useRef(value);
  useEffect(() => {
    if (before.current === value) return;
    const first = before.current === '';
    before.current = value;
    if (first || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    ref.current?.animate([{ backgroundColor: 'var(--flash)' }, { backgroundColor: 'transparent' }], { duration: 1400, easing: 'ease-out' });
  }, [value]);
}
