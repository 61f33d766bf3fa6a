package org.example.janusbot;

import dev.onvoid.webrtc.CreateSessionDescriptionObserver;
import dev.onvoid.webrtc.PeerConnectionFactory;
import dev.onvoid.webrtc.PeerConnectionObserver;
import dev.onvoid.webrtc.RTCAnswerOptions;
import dev.onvoid.webrtc.RTCConfiguration;
import dev.onvoid.webrtc.RTCDataChannel;
import dev.onvoid.webrtc.RTCDataChannelBuffer;
import dev.onvoid.webrtc.RTCDataChannelInit;
import dev.onvoid.webrtc.RTCDataChannelObserver;
import dev.onvoid.webrtc.RTCIceCandidate;
import dev.onvoid.webrtc.RTCIceGatheringState;
import dev.onvoid.webrtc.RTCPeerConnection;
import dev.onvoid.webrtc.RTCPeerConnectionState;
import dev.onvoid.webrtc.RTCRtpTransceiver;
import dev.onvoid.webrtc.RTCSdpType;
import dev.onvoid.webrtc.RTCSessionDescription;
import dev.onvoid.webrtc.SetSessionDescriptionObserver;
import dev.onvoid.webrtc.media.audio.AudioTrack;
import io.convoke.agent.meeting.MeetingAudio;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

/**
 * The connection over which one person is heard. One that fails, or is lost later, is made anew
 * after a pause, until it is closed; its sound, and what the person
 * writes into the chat, go to the same place.
 */
final class SpeakerConnection implements AutoCloseable {
  private static final Duration PAUSE_MIN = Duration.ofSeconds(1);
  private static final Duration PAUSE_MAX = Duration.ofSeconds(10);
  private static final Duration CONNECTED_MAX = Duration.ofSeconds(20);

  private final JanusSession janus;
  private final PeerConnectionFactory factory;
  private final long privateId;
  private final String person;
  private final MeetingAudio.SoundSink sink;
  private final Consumer<String> texts;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread keeper;
  private volatile Attempt attempt = new Attempt();

  /** What becomes of one connection. */
  private static final class Attempt {
    private final CompletableFuture<Void> gathered = new CompletableFuture<>();
    private final CompletableFuture<Void> connected = new CompletableFuture<>();

    /** Completes with the reason. */
    private final CompletableFuture<String> lost = new CompletableFuture<>();

    /** Kept, so that they go on to tell. */
    private final List<RTCDataChannel> channels = new CopyOnWriteArrayList<>();

    void lose(String why) {
      boolean _ = lost.complete(why);
      boolean _ = connected.completeExceptionally(new IOException(why));
    }
  }

  /** Connects, on a thread of its own; {@code privateId} is ours in the room. */
  SpeakerConnection(
      JanusSession janus,
      PeerConnectionFactory factory,
      long privateId,
      String person,
      MeetingAudio.SoundSink sink,
      Consumer<String> texts) {
    this.texts = texts;
    this.janus = janus;
    this.factory = factory;
    this.privateId = privateId;
    this.person = person;
    this.sink = sink;
    this.keeper = Thread.ofVirtual().name("hears-" + person).start(this::keep);
  }

  /** Ends it soon. */
  @Override
  public void close() {
    closed.countDown();
    attempt.lose("closed");
  }

  /** Waits until it has ended. */
  void awaitEnd(Duration atMost) throws InterruptedException {
    boolean _ = keeper.join(atMost);
  }

  private boolean open() {
    return closed.getCount() > 0 && janus.isOpen();
  }

  private void keep() {
    Duration pause = PAUSE_MIN;
    try {
      while (open()) {
        Attempt next = new Attempt();
        attempt = next;
        if (!open()) {
          return;
        }
        try {
          String why = hear(next);
          pause = PAUSE_MIN;
          tell("does not hear " + person + " any more: " + why);
        } catch (InterruptedException stopped) {
          throw stopped;
        } catch (Exception failed) {
          tell("cannot hear " + person + ": " + failed);
        }
        boolean _ = closed.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        pause = pause.multipliedBy(2).compareTo(PAUSE_MAX) < 0 ? pause.multipliedBy(2) : PAUSE_MAX;
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void tell(String what) {
    if (open()) {
      System.err.println(what);
    }
  }

  /** Connects and hears until the connection is lost; returns why it was. */
  private String hear(Attempt now) throws Exception {
    long handle = janus.attach(event -> toldBy(event, now));
    try {
      JsonNode offer =
          janus.ask(
              handle,
              Map.of(
                  "request", "join",
                  "ptype", "subscriber",
                  "private_id", privateId,
                  "streams", List.of(Map.of("feed", person))),
              Map.of());
      RTCPeerConnection connection =
          factory.createPeerConnection(new RTCConfiguration(), new Observer(now, sink, texts));
      try {
        // Janus sends the chat to those alone who have opened a channel.
        now.channels.add(connection.createDataChannel("chat", new RTCDataChannelInit()));
        String answer = answer(connection, offer.path("jsep").path("sdp").asString(), now);
        JsonNode _ =
            janus.ask(
                handle, Map.of("request", "start"), Map.of("type", "answer", "sdp", answer));
        Void _ = now.connected.get(CONNECTED_MAX.toSeconds(), TimeUnit.SECONDS);
        tell("hears " + person);
        return now.lost.get();
      } finally {
        connection.close();
      }
    } finally {
      janus.detach(handle);
    }
  }

  /** Janus ends a connection whose media stopped, and a handle of its own accord. */
  private static void toldBy(JsonNode event, Attempt now) {
    String what = event.path("janus").asString("");
    if (what.equals("hangup") || what.equals("detached")) {
      now.lose(what + " " + event.path("reason").asString(""));
    }
  }

  /** Answers an offer; returns the description with our addresses. */
  private static String answer(RTCPeerConnection connection, String offer, Attempt now)
      throws Exception {
    set(
        done ->
            connection.setRemoteDescription(
                new RTCSessionDescription(RTCSdpType.OFFER, offer), done));
    CompletableFuture<RTCSessionDescription> answer = new CompletableFuture<>();
    connection.createAnswer(
        new RTCAnswerOptions(),
        new CreateSessionDescriptionObserver() {
          @Override
          public void onSuccess(RTCSessionDescription description) {
            answer.complete(description);
          }

          @Override
          public void onFailure(String error) {
            answer.completeExceptionally(new IOException(error));
          }
        });
    RTCSessionDescription ours = answer.get(10, TimeUnit.SECONDS);
    set(done -> connection.setLocalDescription(ours, done));
    Void _ = now.gathered.completeOnTimeout(null, 2, TimeUnit.SECONDS).get();
    return connection.getLocalDescription().sdp;
  }

  /** Sets a description and waits until it is set. */
  static void set(Consumer<SetSessionDescriptionObserver> setting) throws Exception {
    CompletableFuture<Void> done = new CompletableFuture<>();
    setting.accept(
        new SetSessionDescriptionObserver() {
          @Override
          public void onSuccess() {
            done.complete(null);
          }

          @Override
          public void onFailure(String error) {
            done.completeExceptionally(new IOException(error));
          }
        });
    Void _ = done.get(10, TimeUnit.SECONDS);
  }

  /** Follows the connection, on threads of the media library. */
  private record Observer(Attempt now, MeetingAudio.SoundSink sink, Consumer<String> texts)
      implements PeerConnectionObserver {
    @Override
    public void onIceCandidate(RTCIceCandidate candidate) {}

    @Override
    public void onIceGatheringChange(RTCIceGatheringState state) {
      if (state == RTCIceGatheringState.COMPLETE) {
        boolean _ = now.gathered.complete(null);
      }
    }

    @Override
    public void onConnectionChange(RTCPeerConnectionState state) {
      switch (state) {
        case CONNECTED -> {
          boolean _ = now.connected.complete(null);
        }
        case FAILED, CLOSED -> now.lose("the connection " + state.name().toLowerCase(Locale.ROOT));
        case NEW, CONNECTING, DISCONNECTED -> {}
      }
    }

    @Override
    public void onDataChannel(RTCDataChannel channel) {
      now.channels.add(channel);
      channel.registerObserver(new TextObserver(texts));
    }

    @Override
    public void onTrack(RTCRtpTransceiver transceiver) {
      if (transceiver.getReceiver().getTrack() instanceof AudioTrack track) {
        track.addSink(
            (data, bits, rate, channels, frames) -> sink.samples(mono(data, channels), rate));
      }
    }
  }

  /** Takes the texts that come over a data channel. */
  private record TextObserver(Consumer<String> texts) implements RTCDataChannelObserver {
    @Override
    public void onMessage(RTCDataChannelBuffer buffer) {
      if (!buffer.binary) {
        texts.accept(StandardCharsets.UTF_8.decode(buffer.data).toString());
      }
    }

    @Override
    public void onStateChange() {}

    @Override
    public void onBufferedAmountChange(long before) {}
  }

  /** The first channel alone. */
  private static byte[] mono(byte[] pcm, int channels) {
    if (channels == 1) {
      return pcm.clone();
    }
    byte[] one = new byte[pcm.length / channels];
    for (int i = 0; i + 1 < one.length; i += 2) {
      one[i] = pcm[i * channels];
      one[i + 1] = pcm[i * channels + 1];
    }
    return one;
  }
}
