// Participants of a room who speak what they are given, each with a connection and a picture of its own.
globalThis.speakers = (() => {
  const context = new AudioContext({ sampleRate: 48000 });
  const all = new Map();
  const fresh = () => crypto.randomUUID();

  function picture(number, name) {
    const canvas = document.createElement('canvas');
    canvas.width = 320;
    canvas.height = 180;
    const pen = canvas.getContext('2d');
    let frame = 0;
    setInterval(() => {
      pen.fillStyle = ['#c33', '#3c3', '#33c', '#cc3'][number % 4];
      pen.fillRect(0, 0, 320, 180);
      pen.fillStyle = '#fff';
      pen.fillRect((frame++ * 5) % 320, 80, 20, 20);
      pen.font = '24px sans-serif';
      pen.fillText(name, 12, 160);
    }, 100);
    return canvas.captureStream(10).getVideoTracks()[0];
  }

  class Speaker {
    constructor(token) {
      this.types = { 'Content-Type': 'application/json', 'X-Join-Token': token };
      this.waiting = new Map();
      this.target = context.createMediaStreamDestination();
      // Without any source a track sends nothing, unlike a microphone.
      const noise = context.createBufferSource();
      noise.buffer = context.createBuffer(1, 48000, 48000);
      noise.buffer.getChannelData(0).forEach((_, i, all) => (all[i] = (Math.random() - 0.5) / 1e6));
      noise.loop = true;
      noise.connect(this.target);
      noise.start();
    }

    async post(path, message) {
      const body = JSON.stringify({ transaction: fresh(), ...message });
      const response = await fetch(`/join/janus${path}`, { method: 'POST', headers: this.types, body });
      const answer = await response.json();
      if (!response.ok || answer.janus === 'error') throw new Error(JSON.stringify(answer));
      return answer;
    }

    async poll() {
      while (this.session) {
        try {
          const response = await fetch(`/join/janus/${this.session}`, { headers: this.types });
          const events = await response.json();
          if (events.janus === 'error' && events.error.code === 458) this.lost = true;
          for (const event of events) {
            if (event.janus === 'timeout') this.lost = true;
            this.waiting.get(event.transaction)?.(event);
          }
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 500));
        }
      }
    }

    async ask(body, jsep) {
      const transaction = fresh();
      const event = new Promise((resolve) => this.waiting.set(transaction, resolve));
      await this.post(`/${this.session}/${this.handle}`, { janus: 'message', transaction, body, ...(jsep && { jsep }) });
      const answer = await event;
      if (answer.plugindata.data.error) throw new Error(answer.plugindata.data.error);
      return answer;
    }

    async join(name, video) {
      await context.resume();
      this.session = (await this.post('', { janus: 'create' })).data.id;
      this.poll();
      this.beat = setInterval(() => this.post(`/${this.session}`, { janus: 'keepalive' }).catch(() => {}), 5000);
      this.handle = (await this.post(`/${this.session}`, { janus: 'attach' })).data.id;
      await this.ask({ request: 'join', ptype: 'publisher', display: name });
      const connection = new RTCPeerConnection();
      this.connection = connection;
      connection.addTrack(this.target.stream.getAudioTracks()[0]);
      if (video) connection.addTrack(picture(all.size - 1, name));
      await connection.setLocalDescription();
      if (connection.iceGatheringState !== 'complete') {
        await new Promise((resolve) => {
          connection.onicegatheringstatechange = () => connection.iceGatheringState === 'complete' && resolve();
          setTimeout(resolve, 2000);
        });
      }
      const connected = new Promise((resolve, reject) => {
        connection.onconnectionstatechange = () => connection.connectionState === 'connected' && resolve();
        setTimeout(() => reject(new Error('not connected')), 20000);
      });
      const { type, sdp } = connection.localDescription;
      const answer = await this.ask({ request: 'publish', audio: true, video }, { type, sdp });
      await connection.setRemoteDescription(answer.jsep);
      await connected;
    }

    async say(wav) {
      const bytes = Uint8Array.from(atob(wav), (one) => one.charCodeAt(0));
      const source = context.createBufferSource();
      source.buffer = await context.decodeAudioData(bytes.buffer);
      source.connect(this.target);
      const said = new Promise((resolve) => (source.onended = resolve));
      source.start();
      await said;
    }

    async leave() {
      clearInterval(this.beat);
      const session = this.session;
      await this.post(`/${session}/${this.handle}`, { janus: 'message', body: { request: 'leave' } });
      this.connection.close();
      this.session = 0;
      await this.post(`/${session}`, { janus: 'destroy' });
    }
  }

  return {
    // Whether Janus still has the session, as far as this page knows.
    here: (name) => all.has(name) && !all.get(name).lost,
    // Forgets someone whose room is gone.
    drop(name) {
      const speaker = all.get(name);
      all.delete(name);
      if (!speaker) return;
      clearInterval(speaker.beat);
      speaker.session = 0;
      speaker.connection?.close();
    },
    // Two people of one page have two names; what a room is told may be the same.
    async join({ token, name, shown = name, video }) {
      const speaker = new Speaker(token);
      all.set(name, speaker);
      await speaker.join(shown, video);
    },
    quiet: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    say: ({ name, wav }) => all.get(name).say(wav),
    async leave(name) {
      await all.get(name).leave();
      all.delete(name);
    },
  };
})();
