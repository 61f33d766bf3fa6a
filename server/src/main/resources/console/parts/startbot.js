// @ts-check
// The dialog that sends a bot into a meeting. Paste a link and it fills itself in.
import { html, useState } from '../view.js';
import { readMeetingLink } from '../meetinglink.js';
import { closeOverlay } from '../overlays.js';
import { go } from '../router.js';
import { startBot } from '../store.js';
import { toast } from '../toasts.js';
import { Choice, Field, useSending } from './form.js';
import { PlatformTag } from './chip.js';
import { Dialog } from './dialog.js';
import { ProblemNote } from './problem.js';

const PLATFORMS = ['daily', 'google_meet', 'zoom', 'teams'];
const FIELDS = ['native_meeting_id', 'meeting_url', 'bot_name', 'language', 'passcode'];

export function StartBot() {
  const [form, setForm] = useState({
    platform: 'daily',
    native_meeting_id: '',
    meeting_url: '',
    bot_name: '',
    language: '',
    passcode: '',
  });
  const change = (/** @type {Record<string, string>} */ changes) => setForm((/** @type {any} */ was) => ({ ...was, ...changes }));
  const { sending, problem, onSubmit } = useSending(async () => {
    const body = Object.fromEntries(Object.entries(form).map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
    const row = await startBot(body);
    closeOverlay();
    toast(`A bot is on its way to ${form.native_meeting_id.trim()}.`);
    go(`/meetings/${row.id}`);
  });
  const onMeeting = (/** @type {string} */ text) => {
    const found = readMeetingLink(text);
    if (found) change({ platform: found.platform, native_meeting_id: found.id, meeting_url: found.url });
    else change({ native_meeting_id: text });
  };
  /** @param {'bot_name'|'language'|'passcode'|'meeting_url'} name @param {string} label @param {string} hint */
  const field = (name, label, hint = '') => html`
    <${Field} label=${label} name=${name} value=${form[name]} hint=${hint} problem=${problem}
      onValue=${(/** @type {string} */ value) => change({ [name]: value })} />
  `;
  return html`
    <${Dialog} title="Send a bot to a meeting" onClose=${closeOverlay}>
      <form onSubmit=${onSubmit}>
        <${Field} label="Meeting" name="native_meeting_id" value=${form.native_meeting_id} problem=${problem} onValue=${onMeeting}
          hint="The id of the meeting, or paste its link: platform and id are read from it."
          more=${{ autofocus: true, required: true, maxLength: 2048, placeholder: 'design-review or https://…' }} />
        <${Choice} label="Platform" name="platform" value=${form.platform}
          options=${PLATFORMS.map((key) => [key, html`<${PlatformTag} platform=${key} />`])}
          onValue=${(/** @type {string} */ platform) => change({ platform })} />
        ${field('bot_name', 'Name of the bot', 'How people in the room see it.')}
        <details class="more" open=${!!form.meeting_url || undefined}>
          <summary>More: link, language, passcode</summary>
          ${field('meeting_url', 'Link')}
          <div class="pair">${field('language', 'Language', 'Such as en or de.')} ${field('passcode', 'Passcode')}</div>
        </details>
        ${problem && html`<${ProblemNote} problem=${problem} known=${FIELDS} />`}
        <footer class="dialog-foot">
          <button type="button" class="button" onClick=${closeOverlay}>Cancel</button>
          <button type="submit" class="button primary" disabled=${sending}>${sending ? 'Sending…' : 'Send the bot'}</button>
        </footer>
      </form>
    <//>
  `;
}
