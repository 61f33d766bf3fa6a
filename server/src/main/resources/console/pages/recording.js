// @ts-check
// One recording: its meeting, its steps, its transcript.
import { html, useEffect, useRef, useState } from '../view.js';
import { api } from '../api.js';
import { useCommands, useKeys } from '../keys.js';
import { ask } from '../parts/form.js';
import { Empty, Failed, Part, ProblemNote, Skeleton } from '../parts/problem.js';
import { Icon } from '../parts/icon.js';
import { Length, RecordingChip, Steps, Whose, tryAgain, useRecordingName } from '../parts/recording.js';
import { Time } from '../parts/live.js';
import { useLooked } from '../parts/listpage.js';
import { Waveform } from '../parts/waveform.js';
import { Transcript } from '../parts/transcript.js';
import { Words } from '../meeting.js';
import { Fact } from '../parts/bot.js';
import { RECORDINGS, plain, retriable, size } from '../text.js';
import { go, link } from '../router.js';
import { carried } from '../session.js';
import { shelfOfOne } from '../recordings.js';
import { useShown } from '../query.js';

/** @typedef {import('../types.js').Recording} Recording */

/** @param {{params: string[]}} props */
export function OneRecording({ params }) {
  const id = params[0];
  const shelf = useShown(() => shelfOfOne(id), [id]);
  const { phase, value, problem } = shelf.cell.value;
  useKeys([{ keys: 'u', label: 'Up to the list', group: 'Recording', run: () => go('/recordings') }], []);
  if (phase === 'failed' && problem?.status === 404) {
    return html`<${Empty} page title="There is no such recording">
      <p>It may have been deleted, or belong to another user.</p>
      <a class="button" href=${link('/recordings')}>To the recordings</a>
    <//>`;
  }
  if (value === null && phase === 'failed' && problem) {
    return html`<${Failed} page title="The recording could not be loaded" problem=${problem} onRetry=${() => shelf.load()} />`;
  }
  if (value === null) return html`<div class="page"><${Skeleton} rows=${10} /></div>`;
  return html`<${Dossier} recording=${value.items[0]} shelf=${shelf} problem=${phase === 'failed' ? problem : null} />`;
}

/** @param {{recording: Recording, shelf: import('../recordings.js').Shelf, problem: import('../problem.js').Problem|null}} props */
function Dossier({ recording, shelf, problem }) {
  const begun = recording.run > 0;
  return html`
    <div class="page">
      <${Head} recording=${recording} shelf=${shelf} />
      ${problem && html`<${ProblemNote} problem=${problem} />`}
      ${recording.status === 'unmatched' && html`<${Whose} recording=${recording} shelf=${shelf} />`}
      <div class="columns columns-recording">
        <section class="card" aria-labelledby="h-work">
          <h2 id="h-work">Work</h2>
          ${!begun && html`<p class="steps-why">${waiting(recording)}</p>`}
          <${Steps} recording=${recording} shelf=${shelf} />
          <${Facts} recording=${recording} />
        </section>
        <section class="card" aria-labelledby="h-words">
          <h2 id="h-words">Transcript</h2>
          <${Heard} key=${recording.recording_id} recording=${recording} />
        </section>
      </div>
    </div>
  `;
}

/** Why processing has not begun. @param {Recording} recording */
function waiting({ status, owner, deadline }) {
  if (!owner) return RECORDINGS[status] ?? '';
  return html`${RECORDINGS[status]} ${deadline && html`It is given up on <${Time} at=${deadline} />.`}`;
}

/** @param {{recording: Recording, shelf: import('../recordings.js').Shelf}} props */
function Head({ recording, shelf }) {
  const name = useRecordingName(recording);
  const again = retriable(recording);
  const meeting = recording.meeting_id;
  const retry = () => again && void tryAgain(recording, shelf);
  const forget = () =>
    ask({
      title: 'Delete this recording?',
      text: html`The sound, the words and the note of <strong>${name}</strong> are deleted here for good. What the CRM has, it keeps.`,
      button: 'Delete it',
      danger: true,
      final: true,
      act: async () => {
        await api.deleteRecording(recording.recording_id);
        go('/recordings');
        return `The recording of ${name} is deleted.`;
      },
    });
  useEffect(() => {
    document.title = `Recording of ${name} · Convoke`;
  }, [name]);
  useKeys(
    [
      { keys: 'r', label: 'Try it again', group: 'Recording', run: retry },
      { keys: 'o', label: 'Open its meeting', group: 'Recording', run: () => meeting != null && go(`/meetings/${meeting}`) },
    ],
    [again, meeting],
  );
  useCommands(
    [
      ...(again ? [{ id: 'again', label: `Try the recording of ${name} again`, hint: 'r', icon: 'refresh', words: 'retry', run: retry }] : []),
      { id: 'forget', label: 'Delete this recording', icon: 'close', words: 'remove forget', run: forget },
    ],
    [again, recording.recording_id, name],
  );
  return html`
    <a class="up" href=${link('/recordings')}><${Icon} name="back" size="14" /> Recordings</a>
    <header class="page-head">
      <div>
        <h1>${name}</h1>
        <p class="meta">
          <${RecordingChip} recording=${recording} />
          ${meeting != null && html`<a href=${link(`/meetings/${meeting}`)}>Meeting ${meeting}</a>`}
          <span>recorded <${Time} at=${recording.start_time ?? recording.created_at} /></span>
          <span class="num" title="How long"><${Length} recording=${recording} /></span>
          ${meeting != null && html`<sync-status meeting-id=${meeting} headers=${carried} interval="30" />`}
        </p>
      </div>
      <div class="actions">
        <button data-acts class="button danger" onClick=${forget}>Delete</button>
        ${again && html`<button data-acts class="button primary" onClick=${retry}><${Icon} name="refresh" /> Try again</button>`}
      </div>
    </header>
  `;
}

/** The audio player and the transcript, whose lines seek in the audio. @param {{recording: Recording}} props */
function Heard({ recording }) {
  const player = useRef(/** @type {any} */ (null));
  const [at, setAt] = useState(NaN);
  const seek = (/** @type {number} */ second) => {
    player.current.currentTime = second;
    void player.current.play();
  };
  const { audio, recording_id } = recording;
  const done = recording.steps.find(({ name }) => name === 'transcribe')?.state === 'done';
  // Recordings that an earlier release has transcribed have none.
  const { value: wave, at: looked } = useLooked(() => (done ? api.waveform(recording_id).catch(() => null) : Promise.resolve(null)), [recording_id, done], 0);
  return html`
    ${audio && looked > 0 && html`<${wave?.video ? 'video' : 'audio'} ref=${player} controls preload="metadata" src=${`/recordings/${recording_id}/audio`} aria-label="The recording" onTimeUpdate=${() => setAt(player.current.currentTime)} />`}
    ${recording.meeting_id == null ? html`<p class="faint nothing">Its words are heard once it is known whose it is.</p>` : html`<${Said} recording=${recording} seek=${audio && seek} at=${at} wave=${wave} />`}`;
}

/** The segments of this recording; they arrive during the transcription. @param {{recording: Recording, seek: any, at: number, wave: any}} props */
function Said({ recording, seek, at, wave }) {
  const { meeting_id: meeting, recording_id: id } = recording;
  const state = recording.steps.find(({ name }) => name === 'transcribe')?.state;
  const words = useShown(() => new Words(meeting ?? 0, `recording:${id}`), [meeting, id]);
  const hears = state === 'running';
  return html`<${Part} resource=${words} view=${(/** @type {any} */ held) =>
    held.segments.length > 0
      ? html`${wave && html`<${Waveform} wave=${wave} segments=${held.segments} onSeek=${seek} heard=${at} />`}<${Transcript} transcript=${{ ...held, partial: hears }} onSeek=${seek} heard=${at} meeting=${meeting} />`
      : html`<p class="faint nothing">${hears ? 'It is being listened to; no words yet.' : state === 'done' ? 'Nothing was said, or nothing was understood.' : state === 'skipped' ? 'No transcriber is configured.' : 'Nothing has been transcribed yet.'}</p>`} />`;
}

/** @param {{recording: Recording}} props */
function Facts({ recording }) {
  const { audio } = recording;
  return html`
    <dl class="facts">
      <${Fact} name="Sound">${audio ? html`<span title=${`SHA-256 ${audio.sha256}`}>${size(audio.size)}</span>` : 'not here'}<//>
      <${Fact} name="First told by">${plain(recording.found_by)}<//>
      <${Fact} name="Kind">${recording.kind || '–'}<//>
      <${Fact} name="Run">${recording.run || '–'}<//>
      <${Fact} name="Room"><code>${recording.room_name || '–'}</code><//>
      <${Fact} name="Recording"><code title=${recording.recording_id}>${recording.recording_id}</code><//>
    </dl>
  `;
}
