package org.example.janusbot;

import dev.onvoid.webrtc.CreateSessionDescriptionObserver;
import dev.onvoid.webrtc.PeerConnectionFactory;
import dev.onvoid.webrtc.PeerConnectionObserver;
import dev.onvoid.webrtc.RTCAnswerOptions;
import dev.onvoid.webrtc.RTCConfiguration;
import dev.onvoid.webrtc.RTCIceCandidate;
import dev.onvoid.webrtc.RTCIceGatheringState;
import dev.onvoid.webrtc.RTCPeerConnection;
import dev.onvoid.webrtc.RTCRtpTransceiver;
import dev.onvoid.webrtc.RTCSdpType;
import dev.onvoid.webrtc.RTCSessionDescription;
import dev.onvoid.webrtc.SetSessionDescriptionObserver;
import dev.onvoid.webrtc.media.audio.AudioTrack;
import dev.onvoid.webrtc.media.audio.HeadlessAudioDeviceModule;
import io.convoke.agent.meeting.MeetingAudio;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A room of a Janus behind a Convoke server, joined by a link as the join page does it: with the
 * link's token, over {@code /join/janus}. Each speaker has a connection of its own, so a track
 * cannot be taken for another one's, and one that fails ends alone.
 */
public final class JanusRoom implements MeetingAudio {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Duration ANSWER_MAX = Duration.ofSeconds(20);
  private static final Duration POLL_MAX = Duration.ofSeconds(45);

  /** With a second after each, almost the minute for which Janus keeps a session. */
  private static final int FAILURES_MAX = 50;

  /** A session ends without requests, and one that waits for events is none. */
  private static final Duration BEAT = Duration.ofSeconds(5);

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private final URI server;
  private final String token;
  private final Map<String, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();
  private final Map<String, Person> people = new LinkedHashMap<>();
  private final Map<String, RTCPeerConnection> connections = new HashMap<>();
  private final ExecutorService events = Executors.newSingleThreadExecutor();
  private final HeadlessAudioDeviceModule device = new HeadlessAudioDeviceModule();
  private PeerConnectionFactory factory;
  private ScheduledExecutorService beats;
  private volatile long session;
  private volatile boolean closed;
  private long speaker;
  private long privateId;
  private String self = "";
  private MeetingListener listener;

  /**
   * A room that is not joined yet.
   *
   * @param link as {@code POST /rooms} returned it
   */
  public JanusRoom(URI link) {
    this.server = link.resolve("/");
    this.token = link.getFragment() == null ? "" : link.getFragment();
  }

  @Override
  public List<Person> join(String name, MeetingListener itsListener) throws Exception {
    listener = itsListener;
    factory = new PeerConnectionFactory(device);
    // After the factory has initialised the device: without a playout no sound is decoded.
    device.initPlayout();
    device.startPlayout();
    session = post("", Map.of("janus", "create")).path("data").path("id").asLong();
    Thread _ = Thread.ofVirtual().name("janus-events").start(this::poll);
    beats =
        Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().name("janus-beat").factory());
    var _ =
        beats.scheduleAtFixedRate(
            this::beat, BEAT.toMillis(), BEAT.toMillis(), TimeUnit.MILLISECONDS);
    speaker = attach();
    JsonNode joined =
        ask(speaker, Map.of("request", "join", "ptype", "publisher", "display", name), null)
            .path("plugindata")
            .path("data");
    self = joined.path("id").asString();
    privateId = joined.path("private_id").asLong();
    List<Person> there = new ArrayList<>();
    for (String list : List.of("publishers", "attendees")) {
      for (JsonNode one : joined.path(list)) {
        there.add(known(one));
      }
    }
    events.execute(() -> listen(joined.path("publishers")));
    return there;
  }

  @Override
  public String self() {
    return self;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (beats != null) {
      beats.shutdownNow();
    }
    try {
      if (session != 0) {
        JsonNode _ = post("/" + session, Map.of("janus", "destroy"));
      }
    } catch (Exception gone) {
      // Janus ends a session without requests by itself.
    }
    events.execute(() -> connections.values().forEach(RTCPeerConnection::close));
    events.shutdown();
    try {
      boolean _ = events.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
    http.shutdownNow();
  }

  private void beat() {
    try {
      JsonNode _ = post("/" + session, Map.of("janus", "keepalive"));
    } catch (Exception failed) {
      // The wait for events tells when the session is gone.
    }
  }

  private Person known(JsonNode one) {
    String id = one.path("id").asString();
    return people.computeIfAbsent(
        id, _ -> new Person(id, one.path("display").asString(id), Instant.now()));
  }

  /** Waits for events until the session ends; they are handled on one thread. */
  private void poll() {
    int failures = 0;
    try {
      while (!closed && failures <= FAILURES_MAX) {
        try {
          if (sessionOver()) {
            break;
          }
          failures = 0;
        } catch (IOException | JacksonException failed) {
          failures++;
          TimeUnit.SECONDS.sleep(1);
        }
      }
      end("platform_gone");
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits once for events; true if there will be no more. */
  private boolean sessionOver() throws IOException, InterruptedException {
    HttpResponse<byte[]> response = send(request("/" + session).timeout(POLL_MAX).GET().build());
    if (response.statusCode() != 200) {
      throw new IOException("the server answered " + response.statusCode());
    }
    JsonNode answer = JSON.readTree(response.body());
    if (answer.path("janus").asString("").equals("error")) {
      return true;
    }
    for (JsonNode event : answer) {
      if (event.path("janus").asString("").equals("timeout")) {
        return true;
      }
      CompletableFuture<JsonNode> asker = waiting.remove(event.path("transaction").asString(""));
      if (asker != null) {
        asker.complete(event);
      } else if (event.path("sender").asLong() == speaker) {
        events.execute(() -> changed(event.path("plugindata").path("data")));
      }
    }
    return false;
  }

  private void end(String reason) {
    if (!closed) {
      listener.ended(reason);
    }
  }

  private void changed(JsonNode data) {
    if (closed) {
      return;
    }
    if (data.path("videoroom").asString("").equals("destroyed")) {
      end("meeting_ended");
      return;
    }
    if (data.has("joining")) {
      listener.joined(known(data.path("joining")));
    }
    for (JsonNode one : data.path("publishers")) {
      if (!people.containsKey(one.path("id").asString())) {
        listener.joined(known(one));
      }
    }
    listen(data.path("publishers"));
    JsonNode gone = data.has("leaving") ? data.path("leaving") : data.path("kicked");
    if (gone.asString("").equals("ok") || gone.asString("").equals(self)) {
      end("removed");
    } else if (!gone.isMissingNode()) {
      stopListening(gone.asString());
      if (people.remove(gone.asString()) != null) {
        listener.left(gone.asString(), Instant.now());
      }
    }
    if (data.has("unpublished")) {
      stopListening(data.path("unpublished").asString(""));
    }
  }

  private void stopListening(String id) {
    RTCPeerConnection connection = connections.remove(id);
    if (connection != null) {
      connection.close();
    }
  }

  private void listen(JsonNode publishers) {
    for (JsonNode one : publishers) {
      Person person = known(one);
      if (!connections.containsKey(person.id())) {
        try {
          listen(person);
        } catch (Exception failed) {
          System.err.println("cannot hear " + person.id() + ": " + failed);
        }
      }
    }
  }

  private void listen(Person person) throws Exception {
    long handle = attach();
    JsonNode offer =
        ask(
            handle,
            Map.of(
                "request", "join",
                "ptype", "subscriber",
                "private_id", privateId,
                "streams", List.of(Map.of("feed", person.id()))),
            null);
    SoundSink sink = listener.heard(person);
    CompletableFuture<Void> gathered = new CompletableFuture<>();
    RTCPeerConnection connection =
        factory.createPeerConnection(
            new RTCConfiguration(),
            new PeerConnectionObserver() {
              @Override
              public void onIceCandidate(RTCIceCandidate candidate) {}

              @Override
              public void onIceGatheringChange(RTCIceGatheringState state) {
                if (state == RTCIceGatheringState.COMPLETE) {
                  gathered.complete(null);
                }
              }

              @Override
              public void onTrack(RTCRtpTransceiver transceiver) {
                if (transceiver.getReceiver().getTrack() instanceof AudioTrack track) {
                  track.addSink(
                      (data, bits, rate, channels, frames) ->
                          sink.samples(mono(data, channels), rate));
                }
              }
            });
    connections.put(person.id(), connection);
    JsonNode jsep = offer.path("jsep");
    set(
        done ->
            connection.setRemoteDescription(
                new RTCSessionDescription(RTCSdpType.OFFER, jsep.path("sdp").asString()), done));
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
    gathered.completeOnTimeout(null, 2, TimeUnit.SECONDS).get();
    JsonNode _ =
        ask(
            handle,
            Map.of("request", "start"),
            Map.of("type", "answer", "sdp", connection.getLocalDescription().sdp));
  }

  /** Sets a description and waits until it is set. */
  private static void set(java.util.function.Consumer<SetSessionDescriptionObserver> setting)
      throws Exception {
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

  private long attach() throws Exception {
    return post("/" + session, Map.of("janus", "attach")).path("data").path("id").asLong();
  }

  /** Sends a request to the plugin and waits for its event. */
  private JsonNode ask(long handle, Map<String, ?> body, Map<String, ?> jsep) throws Exception {
    String transaction = UUID.randomUUID().toString();
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    waiting.put(transaction, answer);
    Map<String, Object> message = new HashMap<>();
    message.put("janus", "message");
    message.put("transaction", transaction);
    message.put("body", body);
    if (jsep != null) {
      message.put("jsep", jsep);
    }
    JsonNode event;
    try {
      JsonNode _ = post("/" + session + "/" + handle, message);
      event = answer.get(ANSWER_MAX.toSeconds(), TimeUnit.SECONDS);
    } finally {
      CompletableFuture<JsonNode> _ = waiting.remove(transaction);
    }
    JsonNode data = event.path("plugindata").path("data");
    if (data.has("error_code")) {
      throw new JoinRefused(data.path("error").asString());
    }
    return event;
  }

  private JsonNode post(String path, Map<String, ?> fields) throws Exception {
    ObjectNode message = JSON.valueToTree(fields);
    if (!message.has("transaction")) {
      message.put("transaction", UUID.randomUUID().toString());
    }
    HttpResponse<byte[]> response =
        send(
            request(path)
                .timeout(ANSWER_MAX)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(message)))
                .build());
    switch (response.statusCode()) {
      case 200 -> {
        JsonNode answer = JSON.readTree(response.body());
        if (answer.path("janus").asString("").equals("error")) {
          throw new IOException(answer.path("error").path("reason").asString());
        }
        return answer;
      }
      case 401, 403 -> throw new JoinRefused("the link is not valid");
      default -> throw new IOException("the server answered " + response.statusCode());
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(server.resolve("/join/janus" + path))
        .header("X-Join-Token", token);
  }

  private HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException {
    return http.send(request, HttpResponse.BodyHandlers.ofByteArray());
  }
}
