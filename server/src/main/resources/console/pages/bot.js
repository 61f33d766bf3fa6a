// @ts-check
// One bot: its state, commands with their acknowledgements, transitions, last output.
import { html, useEffect } from '../view.js';
import { api } from '../api.js';
import { useCell, useRow } from '../cell.js';
import { open, useCommands, useKeys } from '../keys.js';
import { oneBot } from '../fleet.js';
import { ask } from '../parts/form.js';
import { BotCard } from '../parts/bot.js';
import { PlatformTag, Time, useKnownNow, useStaleSince } from '../parts/live.js';
import { Empty, Part } from '../parts/problem.js';
import { Icon } from '../parts/icon.js';
import { Timeline } from '../parts/timeline.js';
import { go, link } from '../router.js';
import { useShown } from '../query.js';
import { terminal, title } from '../status.js';
import { asked, meetings } from '../store.js';
import { millis, span } from '../time.js';
import { plain } from '../text.js';

/** @param {{params: string[]}} props */
export function OneBot({ params }) {
  const id = Number(params[0]);
  const shown = useShown(() => oneBot(id), [id]);
  const row = useRow(meetings, id);
  const { value, problem } = shown.cell.value;
  const stale = useStaleSince() > 0;
  const stopAsked = useCell(asked).has(id);
  const name = row ? title(row) : `meeting ${id}`;
  const lives = !!value && !terminal(value.bot.status);
  const stop = () => lives && open({ kind: 'stop', id });
  const kill = () =>
    lives &&
    ask({
      title: 'End the bot by force?',
      text: `Its launcher ends the bot in ${name} now: a moment to let go, then for good. What it had not sent yet is lost.`,
      button: 'End it',
      danger: true,
      act: () => api.stopBot(id, true).then(() => 'Its launcher was told to end the bot.'),
    });
  useEffect(() => {
    document.title = `Bot in ${name} · Convoke`;
  }, [name]);
  useKeys(
    [
      { keys: 'u', label: 'Up to the list', group: 'Bot', run: () => go('/bots') },
      { keys: 'o', label: 'Open its meeting', group: 'Bot', run: () => go(`/meetings/${id}`) },
      { keys: 'x', label: 'Ask it to leave', group: 'Bot', run: stop },
      { keys: 'e', label: 'Change how it works', group: 'Bot', run: () => lives && open({ kind: 'configure', id }) },
      { keys: 'K', label: 'End it by force', group: 'Bot', run: kill },
    ],
    [],
  );
  useCommands(lives ? [{ id: 'kill', label: `End the bot in ${name} by force`, hint: 'K', icon: 'close', words: 'kill terminate', run: kill }] : [], [lives, name]);
  if (problem?.status === 404) {
    return html`<${Empty} page title="There is no such bot"><p>It does not exist, or belongs to another user.</p><a class="button" href=${link('/bots')}>To the bots</a><//>`;
  }
  return html`
    <div class="page">
      <a class="up" href=${link('/bots')}><${Icon} name="back" size="14" /> Bots</a>
      <header class="page-head">
        <div>
          <h1>Bot in ${name}</h1>
          <p class="meta">${row && html`<${PlatformTag} platform=${row.platform} />`}<a href=${link(`/meetings/${id}`)}>Meeting ${id}</a></p>
        </div>
        ${lives && html`
          <div class="actions" data-stale=${stale || undefined}>
            <button data-acts class="button" onClick=${stop}><${Icon} name="stop" /> Ask to leave</button>
            <button data-acts class="button danger" onClick=${kill}>End by force</button>
          </div>`}
      </header>
      <${Part} resource=${shown} rows=${10} title="The bot could not be loaded" view=${(/** @type {any} */ { bot, events, more, commands, words }) => html`
        <div class="columns">
          <section class="card" aria-labelledby="h-life"><h2 id="h-life">Its life</h2><${Timeline} events=${events} more=${more} whole /></section>
          <div class="stack">
            <section class="card" aria-labelledby="h-stand"><h2 id="h-stand">Where it stands</h2>${row && html`<${BotCard} bot=${bot} meeting=${row} stale=${stale && lives} asked=${stopAsked} />`}</section>
            <section class="card" aria-labelledby="h-told">
              <h2 id="h-told">What it was told</h2>
              ${commands.length === 0 && html`<p class="faint nothing">Nothing yet.</p>`}
              <ul class="told">${commands.map((/** @type {any} */ command) => html`<${Told} key=${command.id} command=${command} lives=${lives} />`)}</ul>
            </section>
            ${words.map((/** @type {any} */ { seq, at, data }) => html`
              <section class="card" key=${seq} aria-label="Its last words">
                <h2>Its last words <span class="faint"><${Time} at=${at} as="exact" /></span></h2>
                <pre class="payload" tabindex="0">${(data?.lines ?? []).join('\n') || plain(data?.reason)}</pre>
              </section>`)}
          </div>
        </div>`} />
    </div>
  `;
}

/** @param {{command: import('../fleet.js').Command, lives: boolean}} props */
function Told({ command: { action, actor, sent, heard, delivered }, lives }) {
  const now = useKnownNow();
  const took = millis(heard) - millis(sent);
  return html`
    <li data-heard=${!!heard || undefined}>
      <b>${plain(action)}</b> <span class="faint">${actor && `by ${actor.replace(':', ' ')}`}</span>
      <span><${Time} at=${sent} as="exact" /> · ${heard ? `${delivered ? 'delivered' : 'heard'} after ${took < 1000 ? `${took} ms` : span(took)}` : lives ? html`<span class="trouble">not heard for ${span(now - millis(sent))}</span>` : 'never heard'}</span>
    </li>
  `;
}
