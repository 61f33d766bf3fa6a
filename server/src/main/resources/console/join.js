// The page behind a link to a room: microphone, chat, who is here, leave. It knows the link's token; the server adds the
// room, its PIN and the secrets of Janus to what is said here.

const token = location.hash.slice(1);
const TYPE = { 'Content-Type': 'application/json', 'X-Join-Token': token };
const LOST = 'The connection to the room was lost.';
/** Of Janus, about a person who has left. */
const NO_SUCH_FEED = 428;
/** @param {string} id @returns {any} */
const part = (id) => document.getElementById(id);
const say = (/** @type {string} */ text) => (part('status').textContent = text);

/** @type {Map<string, {name: string, speaks: boolean}>} */
const people = new Map();
/** The line of each of them, which is changed in place: a button keeps the focus, and a press that has begun. @type {Map<string, HTMLElement>} */
const lines = new Map();
/** @type {Map<string, (event: any) => void>} */
const waiting = new Map();
/** @type {Set<string>} */
const heard = new Set();
let session = '';
let beat = 0;
let me = '';
let role = 'guest';
let privateId = 0;
/** @type {MediaStream|null} */
let media = null;
/** @type {RTCPeerConnection|null} */
let sending = null;
/** @type {RTCPeerConnection|null} */
let hearing = null;
/** @type {RTCDataChannel|null} */
let chat = null;
let speaker = 0;
let listener = 0;
let turn = Promise.resolve();
/** Disabled from an attempt to enter until all is over. */
const join = part('enter').querySelector('button');

/** @param {string} path @param {object} message */
async function post(path, message) {
  const at = session;
  const response = await fetch(`/join${path}`, { method: 'POST', headers: TYPE, body: JSON.stringify(message) });
  if (response.status === 204) return null;
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.detail ?? answer.title);
  if (answer.janus === 'error') throw new Error(answer.error.reason);
  if (session !== at) throw new Error(LOST);
  return answer;
}

const fresh = () => crypto.randomUUID();

/** Sends a request to the plugin and waits for its event. @param {number} handle @param {object} body @param {object} [jsep] */
async function ask(handle, body, jsep) {
  const at = session;
  const transaction = fresh();
  const event = new Promise((resolve) => waiting.set(transaction, resolve));
  await post(`/janus/${session}/${handle}`, { janus: 'message', transaction, body, ...(jsep && { jsep }) });
  const answer = await event;
  if (session !== at) throw new Error(LOST);
  const { data } = answer.plugindata;
  if (data.error) throw Object.assign(new Error(data.error), { code: data.error_code });
  return { data, jsep: answer.jsep };
}

async function attach() {
  return (await post(`/janus/${session}`, { janus: 'attach', transaction: fresh() })).data.id;
}

/** @param {RTCPeerConnection} connection */
async function described(connection) {
  if (connection.iceGatheringState !== 'complete') {
    await new Promise((resolve) => {
      connection.onicegatheringstatechange = () => connection.iceGatheringState === 'complete' && resolve(null);
      setTimeout(resolve, 2000);
    });
  }
  const { type, sdp } = /** @type {RTCSessionDescription} */ (connection.localDescription);
  return { type, sdp };
}

async function poll() {
  const at = session;
  while (session === at) {
    try {
      const response = await fetch(`/join/janus/${at}`, { headers: TYPE });
      if (!response.ok) throw new Error('no events');
      const events = await response.json();
      if (session !== at) return;
      if (events.janus === 'error') return ended(LOST);
      if (events.some((/** @type {any} */ event) => event.janus === 'timeout')) return ended(LOST);
      for (const event of events) if (session === at) heardOf(event);
    } catch {
      if (session === at) await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

/** Takes a step after those before it, unless the session that it is of has ended. @param {() => Promise<void>} step */
function inTurn(step) {
  const at = session;
  turn = turn.then(async () => {
    try {
      if (session === at) await step();
    } catch (error) {
      if (session === at) failed(error);
    }
  });
}

/** @param {any} event */
function heardOf(event) {
  waiting.get(event.transaction)?.(event);
  waiting.delete(event.transaction);
  const data = event.plugindata?.data;
  if (!data || data.error) return;
  if (event.sender === speaker) changed(data);
  else if (event.jsep && data.videoroom === 'updated') inTurn(() => answer(event.jsep));
}

/** @param {any} data */
function changed(data) {
  for (const one of [...(data.publishers ?? []), ...(data.attendees ?? []), ...(data.joining ? [data.joining] : [])]) {
    people.set(one.id, { name: one.display ?? one.id, speaks: false });
  }
  const gone = data.leaving ?? data.kicked;
  if (gone === me || gone === 'ok') return ended(data.reason === 'kicked' ? 'A host removed you.' : 'You left.');
  if (gone) people.delete(gone);
  if (gone ?? data.unpublished) heard.delete(gone ?? data.unpublished);
  if (data.videoroom === 'destroyed') return ended('The room was closed.');
  const person = people.get(data.id);
  if (person && data.videoroom.endsWith('talking')) person.speaks = data.videoroom === 'talking';
  const feeds = (data.publishers ?? []).map((/** @type {any} */ one) => one.id).filter((/** @type {string} */ id) => !heard.has(id));
  if (feeds.length) {
    for (const id of feeds) heard.add(id);
    inTurn(() => hear(feeds));
  }
  show();
}

/** Hears those who are still there. Janus refuses all for one who has just left: then each is asked for alone. @param {string[]} feeds */
async function hear(feeds) {
  const there = feeds.filter((feed) => heard.has(feed));
  try {
    if (there.length) await subscribe(there.map((feed) => ({ feed })));
  } catch (/** @type {any} */ error) {
    if (error.code !== NO_SUCH_FEED) throw error;
    if (there.length > 1) for (const feed of there) inTurn(() => hear([feed]));
  }
}

/** @param {{feed: string}[]} streams */
async function subscribe(streams) {
  if (listener) {
    const { jsep } = await ask(listener, { request: 'subscribe', streams });
    if (jsep) await answer(jsep);
    return;
  }
  const handle = await attach();
  const { jsep } = await ask(handle, { request: 'join', ptype: 'subscriber', private_id: privateId, streams });
  hearing = new RTCPeerConnection();
  hearing.ontrack = ({ track }) => {
    const sound = document.createElement('audio');
    sound.autoplay = true;
    sound.srcObject = new MediaStream([track]);
    track.onended = () => sound.remove();
    document.body.append(sound);
  };
  // Janus sends data only to a subscriber that has opened a channel itself. The label is the publisher's id in the room.
  hearing.createDataChannel('chat');
  hearing.ondatachannel = ({ channel }) => {
    channel.onmessage = ({ data }) => read(channel.label, data);
  };
  listener = handle;
  await answer(jsep);
}

/** @param {RTCSessionDescriptionInit} offer */
async function answer(offer) {
  const connection = /** @type {RTCPeerConnection} */ (hearing);
  await connection.setRemoteDescription(offer);
  await connection.setLocalDescription(await connection.createAnswer());
  await ask(listener, { request: 'start' }, await described(connection));
}

/** A message is {"type": "chat", "text": "..."}. @param {string} from @param {unknown} data */
function read(from, data) {
  try {
    const message = JSON.parse(String(data));
    if (message.type === 'chat' && typeof message.text === 'string') wrote(people.get(from)?.name ?? from, message.text);
  } catch {
    // Not JSON: data of another kind of client.
  }
}

/** @param {string} name @param {string} text */
function wrote(name, text) {
  const line = document.createElement('p');
  const author = document.createElement('b');
  author.textContent = `${name}: `;
  line.append(author, text.slice(0, 4096));
  const all = part('chat');
  all.append(line);
  while (all.childElementCount > 500) all.firstElementChild.remove();
  all.scrollTop = all.scrollHeight;
}

function show() {
  for (const [id, line] of lines) {
    if (people.has(id)) continue;
    if (line.contains(document.activeElement)) part('mute').focus();
    line.remove();
    lines.delete(id);
  }
  for (const [id, { name, speaks }] of people) {
    const text = name + (id === me ? ' (you)' : '') + (speaks ? ' – speaking' : '');
    const said = /** @type {HTMLElement} */ ((lines.get(id) ?? added(id, name)).firstElementChild);
    if (said.textContent !== text) said.textContent = text;
  }
}

/** @param {string} id @param {string} name */
function added(id, name) {
  const line = document.createElement('li');
  line.append(document.createElement('span'));
  if (role === 'host' && id !== me) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Remove';
    button.setAttribute('aria-label', `Remove ${name}`);
    button.onclick = () => post('/remove', { id }).catch(failed);
    line.append(button);
  }
  lines.set(id, line);
  part('people').append(line);
  return line;
}

/** @param {string} name */
async function enter(name) {
  say('Asking for your microphone …');
  const microphone = await navigator.mediaDevices.getUserMedia({ audio: true });
  media = microphone;
  try {
    await meet(name, microphone);
  } catch (error) {
    // It may have ended meanwhile, and the next attempt may have begun.
    if (media === microphone) throw error;
  }
}

/** @param {string} name @param {MediaStream} microphone */
async function meet(name, microphone) {
  say('Joining …');
  session = (await post('/janus', { janus: 'create', transaction: fresh() })).data.id;
  // A session ends without requests, and one that waits for events is none.
  beat = setInterval(() => post(`/janus/${session}`, { janus: 'keepalive', transaction: fresh() }).catch(() => {}), 5000);
  poll();
  speaker = await attach();
  const { data } = await ask(speaker, { request: 'join', ptype: 'publisher', display: name });
  me = data.id;
  privateId = data.private_id;
  people.set(me, { name, speaks: false });
  const connection = new RTCPeerConnection();
  sending = connection;
  for (const track of microphone.getTracks()) connection.addTrack(track, microphone);
  chat = connection.createDataChannel('chat');
  connection.onconnectionstatechange = () => {
    if (connection.connectionState === 'failed') ended(LOST);
  };
  await connection.setLocalDescription(await connection.createOffer());
  const { jsep } = await ask(speaker, { request: 'publish', audio: true, video: false }, await described(connection));
  await connection.setRemoteDescription(jsep);
  part('mute').setAttribute('aria-pressed', 'false');
  part('mute').onclick = () => {
    const mute = part('mute').getAttribute('aria-pressed') !== 'true';
    for (const track of microphone.getAudioTracks()) track.enabled = !mute;
    part('mute').setAttribute('aria-pressed', String(mute));
    say(mute ? 'You are muted.' : 'You can be heard.');
  };
  part('enter').hidden = true;
  part('inside').hidden = false;
  part('mute').focus();
  say('You are in the room.');
  show();
}

/** @param {string} text */
function ended(text) {
  if (session) {
    const at = session;
    session = '';
    clearInterval(beat);
    fetch(`/join/janus/${at}`, { method: 'POST', headers: TYPE, keepalive: true, body: JSON.stringify({ janus: 'destroy', transaction: fresh() }) }).catch(() => {});
  }
  for (const track of media?.getTracks() ?? []) track.stop();
  sending?.close();
  hearing?.close();
  media = sending = hearing = chat = null;
  speaker = listener = 0;
  turn = Promise.resolve();
  me = '';
  waiting.clear();
  heard.clear();
  people.clear();
  show();
  part('chat').replaceChildren();
  part('inside').hidden = true;
  part('enter').hidden = false;
  join.disabled = false;
  join.focus();
  say(text);
}

/** @param {unknown} error */
const failed = (error) => say(error instanceof Error ? error.message : String(error));

part('enter').onsubmit = (/** @type {SubmitEvent} */ event) => {
  event.preventDefault();
  if (join.disabled) return;
  join.disabled = true;
  enter(part('name').value.trim()).catch((error) => {
    ended(error.name === 'NotAllowedError' ? 'The browser may not use the microphone.' : error.message);
  });
};
part('write').onsubmit = (/** @type {SubmitEvent} */ event) => {
  event.preventDefault();
  const text = part('text').value.trim();
  if (!text) return;
  if (chat?.readyState !== 'open') return say('The chat is not connected.');
  chat.send(JSON.stringify({ type: 'chat', text }));
  wrote(people.get(me)?.name ?? 'You', text);
  part('text').value = '';
};
part('leave').onclick = () => ended('You left.');
addEventListener('pagehide', () => session && ended('You left.'));

/** Reads what the link is for, again and again while the server does not answer. */
async function readLink() {
  const response = await fetch('/join/room', { headers: TYPE }).catch(() => null);
  if (!response || response.status === 429 || response.status >= 500) {
    say('The server does not answer. Trying again …');
    return setTimeout(readLink, 2000 + Math.random() * 2000);
  }
  if (!response.ok) return say('This link is not valid any more. Ask for a new one.');
  const pass = await response.json();
  role = pass.role;
  part('room').textContent = pass.room;
  document.title = `${pass.room} · Convoke`;
  part('recorded').hidden = !pass.recorded;
  part('enter').hidden = false;
  part('name').focus();
  say('');
}
readLink().catch(failed);
