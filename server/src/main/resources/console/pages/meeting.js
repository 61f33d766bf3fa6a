// @ts-check
// One meeting: participants, bot, timeline, transcript.
import { html, useEffect, useMemo, useState } from '../view.js';
import { useCell, useRow } from '../cell.js';
import { open, useCommands, useKeys } from '../keys.js';
import { BotCard } from '../parts/bot.js';
import { PlatformTag, RoomChip, Time, useKnownNow, useStaleSince } from '../parts/live.js';
import { Empty, Failed, Part, ProblemNote, Skeleton } from '../parts/problem.js';
import { Icon } from '../parts/icon.js';
import { Lanes } from '../parts/lanes.js';
import { Lasted } from '../parts/meetingrow.js';
import { Evidence, Past, Present, Timeline } from '../parts/timeline.js';
import { RecordingRow } from '../parts/recording.js';
import { Captions, Egress } from '../parts/room.js';
import { Summary } from '../parts/summary.js';
import { Transcript } from '../parts/transcript.js';
import { Words } from '../meeting.js';
import { go, link, place } from '../router.js';
import { carried } from '../session.js';
import { shelfOfMeeting } from '../recordings.js';
import { useShown } from '../query.js';
import { terminal, title, tracked } from '../status.js';
import { asked, close, meetings, openRoom, revalidate } from '../store.js';

/** @param {{params: string[]}} props */
export function Meeting({ params }) {
  const id = Number(params[0]);
  const room = useMemo(() => openRoom(id), [id]);
  useEffect(() => () => close(room), [room]);
  const { phase, problem } = useCell(room.row.cell);
  const row = useRow(meetings, id);
  useEffect(() => {
    document.title = `${row ? title(row) : `Meeting ${id}`} · Convoke`;
  }, [row && title(row), id]);
  useKeys([{ keys: 'u', label: 'Up to the list', group: 'Meeting', run: () => go('/meetings') }], []);

  if (phase === 'failed' && problem?.status === 404) {
    return html`<${Empty} page title="There is no meeting ${id}">
      <p>It does not exist, or belongs to another user.</p>
      <a class="button" href=${link('/meetings')}>To the meetings</a>
    <//>`;
  }
  if (!row && phase === 'failed' && problem) {
    return html`<${Failed} page title=${`Meeting ${id} could not be loaded`} problem=${problem} onRetry=${revalidate} />`;
  }
  if (!row) return html`<div class="page"><${Skeleton} rows=${10} /></div>`;
  return html`<${Dossier} room=${room} row=${row} />`;
}

/** @param {{room: import('../meeting.js').Room, row: import('../types.js').Meeting}} props */
function Dossier({ room, row }) {
  const stale = useStaleSince() > 0;
  const over = terminal(row.status);
  const bot = !tracked(row);
  const people = useCell(room.presence.cell).value?.items;
  const words = useShown(() => new Words(row.id), [row.id]);
  const [count, rewind] = useState(/** @type {number|null} */ (null));
  return html`
    <div class="page">
      <${Head} row=${row} steerable=${bot && !over} stale=${stale} />
      <${People} room=${room} row=${row} over=${over} stale=${stale} withBot=${bot} count=${count} segments=${words.cell.value.value?.segments} />
      <div class="columns ${bot ? '' : 'columns-even'}">
        <section class="card" aria-labelledby="h-timeline">
          <h2 id="h-timeline">Timeline</h2>
          <${Part} resource=${room.timeline} view=${(/** @type {any} */ held) => html`
            <${Past} events=${held.events} more=${held.older !== null} count=${count} onMove=${rewind} followed=${!bot} />
            <${Timeline} events=${count === null ? held.events : held.events.slice(0, count)} onOlder=${held.older !== null && (() => room.older())} />`} />
        </section>
        <div class="stack">
          ${bot && html`<${BotSection} room=${room} row=${row} stale=${stale && !over} />`}
          ${row.platform === 'janus' && html`<${Egress} id=${row.id} />`}
          <${Recorded} id=${row.id} />
          <${Summary} id=${row.id} />
          <${Said} id=${row.id} words=${words} people=${people} over=${over} />
        </div>
      </div>
    </div>
  `;
}

const FORMATS = ['vtt', 'srt', 'txt', 'md'];

/** @param {{id: number, words: Words, people: any, over: boolean}} props */
function Said({ id, words, people, over }) {
  const show = Number(useCell(place).query.get('segment'));
  return html`
    <section class="card" aria-labelledby="h-transcript">
      <h2 id="h-transcript">Transcript</h2>
      <${Part} resource=${words} view=${(/** @type {any} */ held) =>
        held.segments.length > 0 ? html`<${Transcript} transcript=${held} sessions=${people} meeting=${id} show=${show} /><p class="faint">Download as ${FORMATS.map((format, i) => html`${i > 0 && ', '}<a href=${`/transcripts/${id}?format=${format}`} download>${format.toUpperCase()}</a>`)}</p>` : html`<p class="faint nothing">Nothing has been transcribed${over ? '.' : ' yet.'}</p>`} />
    </section>
  `;
}

/** @param {{row: import('../types.js').Meeting, steerable: boolean, stale: boolean}} props */
function Head({ row, steerable, stale }) {
  const name = title(row);
  const stop = () => steerable && open({ kind: 'stop', id: row.id });
  const configure = () => steerable && open({ kind: 'configure', id: row.id });
  useKeys(
    [
      { keys: 'x', label: 'Ask the bot to leave', group: 'Meeting', run: stop },
      { keys: 'e', label: 'Change how the bot works', group: 'Meeting', run: configure },
    ],
    [steerable, row.id],
  );
  useCommands(
    steerable
      ? [
          { id: 'stop', label: `Ask the bot to leave ${name}`, hint: 'x', icon: 'stop', words: 'stop end', run: stop },
          { id: 'configure', label: 'Change how the bot works', hint: 'e', icon: 'sliders', words: 'reconfigure language task', run: configure },
        ]
      : [],
    [steerable, row.id, name],
  );
  const why = stale ? 'Its state is unknown right now; the request is safe all the same' : undefined;
  return html`
    <a class="up" href=${link('/meetings')}><${Icon} name="back" size="14" /> Meetings</a>
    <header class="page-head">
      <div>
        <h1>${name}</h1>
        <p class="meta">
          <${RoomChip} meeting=${row} /> <${PlatformTag} platform=${row.platform} />
          ${name !== row.platform_specific_id && html`<code>${row.platform_specific_id}</code>`}
          <span class="faint">#${row.id}</span>
          <span>began <${Time} at=${row.start_time ?? row.created_at} /></span>
          ${row.end_time && html`<span>ended <${Time} at=${row.end_time} /></span>`}
          <span class="num" title="How long"><${Lasted} meeting=${row} /></span>
          <sync-status meeting-id=${row.id} headers=${carried} interval=${stale ? 5 : 30} />
        </p>
      </div>
      ${steerable && html`
        <div class="actions" data-stale=${stale || undefined}>
          <button data-acts class="button" onClick=${configure} title=${why}><${Icon} name="sliders" /> Change</button>
          <button data-acts class="button danger" onClick=${stop} title=${why}><${Icon} name="stop" /> Stop bot</button>
        </div>`}
    </header>
  `;
}

/** @param {{room: import('../meeting.js').Room, row: import('../types.js').Meeting, over: boolean, stale: boolean, withBot: boolean, count: number|null, segments?: import('../types.js').Segment[]}} props */
function People({ room, row, over, stale, withBot, count, segments }) {
  const { value: presence } = useCell(room.presence.cell);
  return html`
    <section class="card" aria-labelledby="h-people">
      <div class="card-head">
        <h2 id="h-people">${over ? 'People' : 'In the room'} ${!over && presence && html`<span class="count" data-stale=${stale || undefined}>${row.num_clients}</span>`}</h2>
        ${presence && !over && html`<${Evidence} presence=${presence} stale=${stale} />`}
      </div>
      <${Part} resource=${room.presence} view=${(/** @type {any} */ held) => html`<${PeopleBody} room=${room} row=${row} presence=${held} over=${over} stale=${stale && !over} withBot=${withBot} count=${count} segments=${segments} />`} />
      ${!over && html`<${Captions} segments=${segments} sessions=${presence?.items} />`}
    </section>
  `;
}

/** @param {any} props */
function PeopleBody({ room, row, presence, over, stale, withBot, count, segments }) {
  const events = useCell(room.timeline.cell).value?.events ?? [];
  const at = useKnownNow();
  const until = over ? Date.parse(row.end_time ?? row.updated_at) : at;
  const began = Date.parse(row.start_time ?? row.created_at);
  const empty = presence.items.length === 0;
  return html`
    <${Present} presence=${presence} stale=${stale} over=${over} />
    ${empty && over && html`<p class="faint nothing">No participants were seen in this room.</p>`}
    ${(!empty || segments?.length > 0 || (withBot && events.length > 0)) &&
    html`<${Lanes} sessions=${presence.items} events=${events} from=${began} until=${until} live=${!over} stale=${stale} withBot=${withBot} then=${count === null ? null : Date.parse(events[Math.max(0, count - 1)]?.at)} segments=${segments} />`}
  `;
}

/** The recordings of this meeting, if any. @param {{id: number}} props */
function Recorded({ id }) {
  const shelf = useShown(() => shelfOfMeeting(id), [id]);
  const { phase, value, problem } = shelf.cell.value;
  const failed = phase === 'failed' && problem;
  if (!failed && (value === null || value.items.length === 0)) return null;
  return html`
    <section class="card" aria-labelledby="h-recordings">
      <h2 id="h-recordings">${value?.items.length === 1 ? 'Recording' : 'Recordings'}</h2>
      ${failed && (value === null ? html`<${Failed} problem=${problem} onRetry=${() => shelf.load()} />` : html`<${ProblemNote} problem=${problem} />`)}
      <ul class="shelf shelf-within">
        ${value?.items.map((recording) => html`<${RecordingRow} key=${recording.recording_id} recording=${recording} shelf=${shelf} within />`)}
      </ul>
    </section>
  `;
}

/** @param {any} props */
function BotSection({ room, row, stale }) {
  const stopAsked = useCell(asked).has(row.id);
  return html`
    <section class="card" aria-labelledby="h-bot">
      <h2 id="h-bot">Bot</h2>
      <${Part} resource=${room.bot} view=${(/** @type {any} */ held) => html`<${BotCard} bot=${held} meeting=${row} stale=${stale} asked=${stopAsked} />`} />
    </section>
  `;
}
