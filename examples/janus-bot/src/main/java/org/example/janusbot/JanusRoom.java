package org.example.janusbot;

import dev.onvoid.webrtc.PeerConnectionFactory;
import dev.onvoid.webrtc.media.audio.HeadlessAudioDeviceModule;
import io.convoke.agent.meeting.ChatPayload;
import io.convoke.agent.meeting.MeetingAudio;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/**
 * A room of a Janus behind a Convoke server, joined by a link as the join page does it: with the
 * link's token, over {@code /join/janus}. Each speaker has a connection of its own, so a track
 * cannot be taken for another one's, and one that fails ends alone.
 */
public final class JanusRoom implements MeetingAudio {
  private final JanusSession janus;
  private final Map<String, Person> people = new LinkedHashMap<>();

  /** Of those who publish now. */
  private final Map<String, SpeakerConnection> connections = new HashMap<>();

  /** Where the sound of each goes, also after they were silent for a while. */
  private final Map<String, SoundSink> sinks = new HashMap<>();

  private final ExecutorService events = Executors.newSingleThreadExecutor();
  private final HeadlessAudioDeviceModule device = new HeadlessAudioDeviceModule();
  private PeerConnectionFactory factory;
  private JanusVoice voice;
  private volatile boolean closed;
  private long privateId;
  private String self = "";
  private MeetingListener listener;

  /**
   * A room that is not joined yet.
   *
   * @param link as {@code POST /rooms} returned it
   */
  public JanusRoom(URI link) {
    this.janus = new JanusSession(link);
  }

  @Override
  public List<Person> join(String name, MeetingListener itsListener) throws Exception {
    listener = itsListener;
    factory = new PeerConnectionFactory(device);
    // After the factory has initialised the device: without a playout no sound is decoded.
    device.initPlayout();
    device.startPlayout();
    janus.open(() -> end("platform_gone"));
    long speaker =
        janus.attach(
            event -> events.execute(() -> changed(event.path("plugindata").path("data"))));
    voice = new JanusVoice(janus, factory, device, speaker);
    JsonNode joined =
        janus
            .ask(
                speaker,
                Map.of("request", "join", "ptype", "publisher", "display", name),
                Map.of())
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
  public SoundSink voice() throws Exception {
    return voice.sound();
  }

  @Override
  public void write(String text) throws Exception {
    voice.write(text);
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
    janus.close();
    if (voice != null) {
      voice.close();
    }
    events.execute(this::stopListening);
    events.shutdown();
    try {
      boolean _ = events.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends all connections, and waits a moment for them. */
  private void stopListening() {
    connections.values().forEach(SpeakerConnection::close);
    try {
      for (SpeakerConnection connection : connections.values()) {
        connection.awaitEnd(Duration.ofSeconds(1));
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private Person known(JsonNode one) {
    String id = one.path("id").asString();
    return people.computeIfAbsent(
        id, _ -> new Person(id, one.path("display").asString(id), Instant.now()));
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
      SoundSink _ = sinks.remove(gone.asString());
      if (people.remove(gone.asString()) != null) {
        listener.left(gone.asString(), Instant.now());
      }
    }
    if (data.has("unpublished")) {
      stopListening(data.path("unpublished").asString(""));
    }
  }

  /** A message on a person's data channel. */
  private void wrote(Person person, String payload) {
    Optional<String> text = ChatPayload.text(payload);
    if (text.isPresent() && !closed) {
      try {
        events.execute(() -> listener.wrote(person, text.get()));
      } catch (RejectedExecutionException leaving) {
        // Nothing is reported any more.
      }
    }
  }

  private void stopListening(String id) {
    SpeakerConnection connection = connections.remove(id);
    if (connection != null) {
      connection.close();
    }
  }

  private void listen(JsonNode publishers) {
    for (JsonNode one : publishers) {
      Person person = known(one);
      if (!connections.containsKey(person.id())) {
        SoundSink sink = sinks.computeIfAbsent(person.id(), _ -> listener.heard(person));
        connections.put(
            person.id(),
            new SpeakerConnection(
                janus, factory, privateId, person.id(), sink, text -> wrote(person, text)));
      }
    }
  }
}
