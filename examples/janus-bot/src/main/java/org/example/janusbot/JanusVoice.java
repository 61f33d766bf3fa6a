package org.example.janusbot;

import dev.onvoid.webrtc.CreateSessionDescriptionObserver;
import dev.onvoid.webrtc.PeerConnectionFactory;
import dev.onvoid.webrtc.PeerConnectionObserver;
import dev.onvoid.webrtc.RTCConfiguration;
import dev.onvoid.webrtc.RTCDataChannel;
import dev.onvoid.webrtc.RTCDataChannelBuffer;
import dev.onvoid.webrtc.RTCDataChannelInit;
import dev.onvoid.webrtc.RTCDataChannelObserver;
import dev.onvoid.webrtc.RTCDataChannelState;
import dev.onvoid.webrtc.RTCIceCandidate;
import dev.onvoid.webrtc.RTCIceGatheringState;
import dev.onvoid.webrtc.RTCOfferOptions;
import dev.onvoid.webrtc.RTCPeerConnection;
import dev.onvoid.webrtc.RTCPeerConnectionState;
import dev.onvoid.webrtc.RTCSdpType;
import dev.onvoid.webrtc.RTCSessionDescription;
import dev.onvoid.webrtc.media.audio.AudioTrack;
import dev.onvoid.webrtc.media.audio.CustomAudioSource;
import dev.onvoid.webrtc.media.audio.HeadlessAudioDeviceModule;
import io.convoke.agent.meeting.ChatPayload;
import io.convoke.agent.meeting.MeetingAudio;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/**
 * What the bot itself sends: one connection with its sound and a data channel for the chat. It is
 * made when it is first needed, and anew after it was lost.
 */
final class JanusVoice implements AutoCloseable {
  private static final Duration CONNECTED_MAX = Duration.ofSeconds(20);

  /** In which the others subscribe to what they have just been told of. */
  private static final Duration SETTLED = Duration.ofSeconds(2);

  private final JanusSession janus;
  private final PeerConnectionFactory factory;
  private final HeadlessAudioDeviceModule device;
  private final long handle;
  private final CountDownLatch closing = new CountDownLatch(1);

  /** Guarded by this. */
  private Connection connection;

  /** The one that is being made. */
  private volatile CompletableFuture<Void> opening = new CompletableFuture<>();

  /** {@code handle} is ours in the room, which publishes nothing yet. */
  JanusVoice(
      JanusSession janus,
      PeerConnectionFactory factory,
      HeadlessAudioDeviceModule device,
      long handle) {
    this.janus = janus;
    this.device = device;
    this.factory = factory;
    this.handle = handle;
  }

  /** Where our sound goes. */
  synchronized MeetingAudio.SoundSink sound() throws Exception {
    Connection now = connected();
    return now::push;
  }

  /** Writes into the chat. */
  synchronized void write(String text) throws Exception {
    connected().send(ChatPayload.of(text));
  }

  @Override
  public void close() {
    closing.countDown();
    boolean _ = opening.completeExceptionally(new IOException("closed"));
    synchronized (this) {
      if (connection != null) {
        connection.close();
      }
    }
  }

  private Connection connected() throws Exception {
    if (closing.getCount() == 0) {
      throw new IOException("closed");
    }
    if (connection != null && connection.open()) {
      return connection;
    }
    if (connection != null) {
      connection.close();
      connection = null;
      try {
        JsonNode _ = janus.ask(handle, Map.of("request", "unpublish"), Map.of());
      } catch (MeetingAudio.JoinRefused ended) {
        // Janus has ended it before: it refuses, as nothing is published.
      }
    }
    Connection fresh = new Connection();
    opening = fresh.opened;
    boolean works = false;
    try {
      fresh.publish();
      works = true;
    } finally {
      if (!works) {
        fresh.close();
      }
    }
    connection = fresh;
    boolean _ = closing.await(SETTLED.toMillis(), TimeUnit.MILLISECONDS);
    return fresh;
  }

  /** One connection, and what belongs to it. */
  private final class Connection
      implements PeerConnectionObserver, RTCDataChannelObserver, AutoCloseable {
    private final CompletableFuture<Void> gathered = new CompletableFuture<>();
    private final CompletableFuture<Void> opened = new CompletableFuture<>();
    private final CustomAudioSource source = new CustomAudioSource();
    private final AudioTrack track = factory.createAudioTrack("voice", source);
    private final RTCPeerConnection peer =
        factory.createPeerConnection(new RTCConfiguration(), this);
    private final RTCDataChannel chat;
    private volatile boolean lost;
    private boolean closed;

    private Connection() {
      var _ = peer.addTrack(track, List.of("bot"));
      chat = peer.createDataChannel("chat", new RTCDataChannelInit());
      chat.registerObserver(this);
    }

    private void publish() throws Exception {
      CompletableFuture<RTCSessionDescription> offer = new CompletableFuture<>();
      peer.createOffer(
          new RTCOfferOptions(),
          new CreateSessionDescriptionObserver() {
            @Override
            public void onSuccess(RTCSessionDescription description) {
              offer.complete(description);
            }

            @Override
            public void onFailure(String error) {
              offer.completeExceptionally(new IOException(error));
            }
          });
      RTCSessionDescription ours = offer.get(10, TimeUnit.SECONDS);
      SpeakerConnection.set(done -> peer.setLocalDescription(ours, done));
      Void _ = gathered.completeOnTimeout(null, 2, TimeUnit.SECONDS).get();
      JsonNode answer =
          janus.ask(
              handle,
              Map.of("request", "publish", "audio", true, "video", false),
              Map.of("type", "offer", "sdp", peer.getLocalDescription().sdp));
      String sdp = answer.path("jsep").path("sdp").asString();
      SpeakerConnection.set(
          done -> peer.setRemoteDescription(new RTCSessionDescription(RTCSdpType.ANSWER, sdp), done));
      Void _ = opened.get(CONNECTED_MAX.toSeconds(), TimeUnit.SECONDS);
      // A connection that sends sound starts the microphone; its silence must not meet our sound.
      device.stopRecording();
    }

    private boolean open() {
      return !lost && chat.getState() == RTCDataChannelState.OPEN;
    }

    private synchronized void push(byte[] pcm, int rate) {
      if (!closed) {
        source.pushAudio(pcm, 16, rate, 1, pcm.length / 2);
      }
    }

    private void send(String payload) throws Exception {
      chat.send(
          new RTCDataChannelBuffer(
              ByteBuffer.wrap(payload.getBytes(StandardCharsets.UTF_8)), false));
    }

    @Override
    public synchronized void close() {
      if (!closed) {
        closed = true;
        chat.unregisterObserver();
        chat.close();
        peer.close();
      }
    }

    @Override
    public void onIceCandidate(RTCIceCandidate candidate) {}

    @Override
    public void onIceGatheringChange(RTCIceGatheringState state) {
      if (state == RTCIceGatheringState.COMPLETE) {
        boolean _ = gathered.complete(null);
      }
    }

    @Override
    public void onConnectionChange(RTCPeerConnectionState state) {
      if (state == RTCPeerConnectionState.FAILED || state == RTCPeerConnectionState.CLOSED) {
        lost = true;
        boolean _ = opened.completeExceptionally(new IOException("not connected"));
      }
    }

    @Override
    public void onStateChange() {
      if (chat.getState() == RTCDataChannelState.OPEN) {
        boolean _ = opened.complete(null);
      }
    }

    @Override
    public void onMessage(RTCDataChannelBuffer buffer) {}

    @Override
    public void onBufferedAmountChange(long before) {}
  }
}
